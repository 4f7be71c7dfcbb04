"""What the parts of one collector share: settings, device id, fault log, cloud client, spool and journal."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from hashinsight.edge.cloud.client import CloudClient
from hashinsight.edge.fault_log import FaultLog
from hashinsight.edge.settings import Settings
from hashinsight.edge.settings_file import get_device_id, make_state_dir, read_token
from hashinsight.edge.storage.disk import FileThread
from hashinsight.edge.storage.journal import Journal
from hashinsight.edge.storage.spool import Spool

SPOOL, JOURNAL = "spool.db", "journal.db"


@dataclass(frozen=True)
class Resources:
    settings: Settings
    device_id: str
    faults: FaultLog
    client: CloudClient
    spool: Spool
    spool_thread: FileThread  # all calls of the spool go through it
    journal: Journal
    journal_thread: FileThread
    clock: Callable[[], float] = time.time

    async def aclose(self) -> None:
        await self.client.aclose()
        for thread, file in ((self.spool_thread, self.spool), (self.journal_thread, self.journal)):
            await thread(file.close)
            thread.close()


def open_resources(settings: Settings, *, clock: Callable[[], float] = time.time) -> Resources:
    """Open spool and journal, and ack what a crash interrupted. The caller holds the folder lock."""
    folder, now, faults = make_state_dir(settings), clock(), FaultLog(clock)
    device_id = get_device_id(settings)
    read_token(settings)  # before any file is opened: without a token the collector cannot work
    journal = Journal(folder / JOURNAL, now=now)
    client = CloudClient(settings, device_id, faults, incarnation=journal.next_incarnation(), clock=clock)
    spool = Spool(folder / SPOOL, settings.spool, now=now)
    for file in (journal, spool):
        if file.damaged is not None:
            faults.note("damaged", f"damaged state file renamed to {file.damaged.name}; a new one was created")
    for command_id in journal.recover(device_id, now=now):
        faults.note("command interrupted", f"{command_id}: outcome unknown, not run again")
    return Resources(
        settings, device_id, faults, client, spool, FileThread("spool"), journal, FileThread("journal"), clock
    )
