"""A whole collector with fake machines: what it does to them is on disk before it reports it. Killed at any time."""

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hashinsight.edge.cloud.intake import Intake
from hashinsight.edge.cloud.remote_config import EffectiveConfig
from hashinsight.edge.collector import Site, run_collector
from hashinsight.edge.commands.outcomes import Outcome
from hashinsight.edge.settings import Settings
from hashinsight.edge.storage.spool import Spool
from hashinsight.wire.acks import AckStatus
from hashinsight.wire.commands import Command
from tests.edge.factories import settings_in

MACHINES = 20


def log_stored_samples(file: Path) -> None:
    """The times of the readings, written once the spool has them: what a kill must not lose."""
    lines, put = file.open("a"), Spool.put

    def put_and_log(
        spool: Spool, records: Iterable[Mapping[str, Any]], *, now: float, max_hours: float | None = None
    ) -> int:
        records = list(records)
        bad = put(spool, records, now=now, max_hours=max_hours)
        lines.writelines(f"{at}\n" for at in sorted({str(record["timestamp"]) for record in records}))
        lines.flush()
        return bad

    setattr(Spool, "put", put_and_log)  # noqa: B010 - a plain assignment to a method has no type


class FakeSite:
    def __init__(self, folder: Path, sink: Intake) -> None:
        self._sink = sink
        self._ran = (folder / "ran.txt").open("a")
        self._read = (folder / "read.txt").open("a")

    async def run(self) -> None:
        while True:
            now = datetime.now(UTC)
            self._sink.add_samples([{"miner_id": f"A-{n}", "timestamp": now.isoformat()} for n in range(MACHINES)])
            self._read.write(f"{now.isoformat()}\n")
            self._read.flush()
            await asyncio.sleep(0.05)

    def find(self, miner_id: str) -> Any:
        return SimpleNamespace(miner_id=miner_id)

    def counts(self) -> Any:
        return SimpleNamespace(
            online=MACHINES, offline=0, total=MACHINES, by_reader={"fake": MACHINES}, errors_by_kind={}
        )

    def apply_config(self, config: EffectiveConfig) -> None:
        pass

    async def execute(self, _: Any, command: Command) -> Outcome:
        self._ran.write(f"{command.command_id}\n")
        self._ran.flush()
        os.fsync(self._ran.fileno())
        await asyncio.sleep(0.03)
        now = datetime.now(UTC)
        return Outcome(AckStatus.SUCCEEDED, now, now)


if __name__ == "__main__":
    folder, url = Path(sys.argv[1]), sys.argv[2]
    log_stored_samples(folder / "stored.txt")
    quick = {
        "cloud_upload_interval_sec": 0.1,
        "cloud_command_interval_sec": 0.05,
        "spool_store_every_sec": 0.1,
        "limits_per_minute": 100_000,
    }

    def make_site(_: Settings, sink: Intake, __: str) -> Site:
        return FakeSite(folder, sink)

    def ready() -> None:
        sys.stdout.write("ready\n")
        sys.stdout.flush()

    asyncio.run(run_collector(settings_in(folder / "state", url, **quick), make_site, ready=ready))
