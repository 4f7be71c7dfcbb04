"""What the parts of one edge share: who it is, what it keeps, and its line to the cloud."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from hashinsight.edge.cloud.client import Line
from hashinsight.edge.fault_log import Say
from hashinsight.edge.settings import Settings
from hashinsight.edge.settings_file import device_id, make_state_dir, read_token
from hashinsight.edge.storage.disk import Worker
from hashinsight.edge.storage.journal import Journal
from hashinsight.edge.storage.spool import Spool

SPOOL, JOURNAL = "spool.db", "journal.db"


@dataclass(frozen=True)
class Box:
    settings: Settings
    device_id: str
    say: Say
    line: Line
    spool: Spool
    on_spool: Worker  # every call of the spool goes through its thread
    journal: Journal
    on_journal: Worker
    clock: Callable[[], float] = time.time

    async def aclose(self) -> None:
        await self.line.aclose()
        for worker, file in ((self.on_spool, self.spool), (self.on_journal, self.journal)):
            await worker(file.close)
            worker.close()


def open_box(settings: Settings, say: Say | None = None, *, clock: Callable[[], float] = time.time) -> Box:
    """Open what is kept, and answer for what a crash cut short. Call it under the folder's lock."""
    folder, now, say = make_state_dir(settings), clock(), say or Say(clock)
    name = device_id(settings)
    read_token(settings)  # before anything is opened: without one it may not call
    journal = Journal(folder / JOURNAL, now=now)
    line = Line(settings, name, say, incarnation=journal.next_incarnation(), clock=clock)
    spool = Spool(folder / SPOOL, settings.spool, now=now)
    for file in (journal, spool):
        if file.damaged is not None:
            say.once("damaged", f"a file of the state folder is kept as {file.damaged.name}, and begun anew")
    for command_id in journal.recover(name, now=now):
        say.once("command cut short", f"{command_id}: its outcome is unknown, and it is not run again")
    return Box(settings, name, say, line, spool, Worker("spool"), journal, Worker("journal"), clock)
