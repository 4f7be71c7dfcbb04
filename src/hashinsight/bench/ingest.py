r"""`bench ingest`: gzip JSON over HTTP to committed rows, against psql's \copy of the same rows into the same table."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.bench.serving import Serving, command, serving
from hashinsight.bench.uploads import SAMPLES, make_batches

BATCHES = 500
REPEATED_BATCHES = 200
MACHINES = 20_000
_CONNECTIONS = 4


async def measure() -> Result:
    async with scratch() as place:
        command(place, "tenant", "create", "--name", "bench")
        command(place, "site", "create", "--code", "one", "--name", "One")
        token = command(place, "collector", "create", "--site", "one", "--name", "north")["token"]
        newest = datetime.now(UTC) - timedelta(minutes=1)
        first = make_batches(place.folder / "first", BATCHES, machines=MACHINES, newest=newest)
        async with serving(place) as api:
            await _send(api, token, place.folder / "warm", newest)
            alone = len(first) * SAMPLES / await _sent(api, token, place.folder / "first")
            again = place.folder / "again"
            make_batches(again, REPEATED_BATCHES, machines=MACHINES, newest=newest - timedelta(hours=2), repeated=0.3)
            repeated = REPEATED_BATCHES * SAMPLES / await _sent(api, token, again)
            memory = api.peak_rss_mb()
        limit = _copy_by_psql(place)
        second = place.folder / "second"
        make_batches(second, BATCHES, machines=MACHINES, newest=newest - timedelta(hours=4))
        async with serving(place, processes=2) as api:
            await _send(api, token, place.folder / "warm2", newest - timedelta(hours=6))
            together = BATCHES * SAMPLES / await _sent(api, token, second)
    return Result(
        name="ingest",
        figure=round(alone),
        unit="rows/s committed",
        limit=round(limit),
        ratio=round(alone / limit, 3),
        detail={
            "rows_per_s_repeated_30": round(repeated),
            "ratio_repeated_30": round(repeated / limit, 3),
            "rows_per_s_two_processes": round(together),
            "peak_rss_mb": round(memory, 1),
            "limit_copy_rows_per_s": round(limit),
            "rows": BATCHES * SAMPLES,
        },
    )


async def _send(api: Serving, token: str, folder: Path, newest: datetime) -> None:
    """The first batches make machines and hours: they are not what is measured."""
    make_batches(folder, MACHINES // SAMPLES, machines=MACHINES, newest=newest + timedelta(seconds=59))
    await _sent(api, token, folder)


async def _sent(api: Serving, token: str, folder: Path) -> float:
    arguments: Sequence[str] = (str(api.port), token, str(folder), str(_CONNECTIONS))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hashinsight.bench.uploads", *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError("the client failed")
    return float(out)


def _copy_by_psql(place: Scratch) -> float:
    """The rows that came in, out to a file and by one COPY into a table with the same columns and indexes."""
    rows = place.folder / "raw.csv"
    prepare = "create table limit_raw (like telemetry_raw including all)"
    taken = f"select * from telemetry_raw order by received_at limit {BATCHES * SAMPLES}"  # noqa: S608 - our own number
    out = f"\\copy ({taken}) to '{rows}' csv"
    for script in (out, prepare):
        subprocess.run([*place.psql, "-c", script], check=True)
    began = time.perf_counter()
    subprocess.run([*place.psql, "-c", f"\\copy limit_raw from '{rows}' csv"], check=True)
    return BATCHES * SAMPLES / (time.perf_counter() - began)
