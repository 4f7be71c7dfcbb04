r"""`bench ingest`: gzip JSON over HTTP to committed rows; the limit is psql's \copy of the same rows."""

import asyncio
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hashinsight.bench.api_server import ApiServer, create_collector, create_site, running_api
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.bench.uploads import SAMPLES, make_batches

ROUNDS = 3  # ours and the limit in turn, so that other load on the machine hits both
BATCHES = 200  # a round
MACHINES = 20_000
_CONNECTIONS = 4
_APART = timedelta(hours=1)  # between the sample times of two rounds
# an empty copy of telemetry_raw: columns, indexes, hourly partitions
_SAME_TABLE = """
    set client_min_messages = warning; drop table if exists limit_raw;
    create table limit_raw (like telemetry_raw including all) partition by range (ts);
    do $$ declare part record; begin
        for part in
            select c.oid, c.relname, pg_get_expr(c.relpartbound, c.oid) bounds
            from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'telemetry_raw'::regclass
        loop
            execute format('create table %I partition of limit_raw %s', 'limit_' || part.relname, part.bounds);
        end loop;
    end $$
"""


async def measure() -> Result:
    async with scratch() as installation:
        create_site(installation)
        token = create_collector(installation)
        newest = datetime.now(UTC) - timedelta(minutes=1)
        ours = repeated = limit = two_processes = 0.0
        async with running_api(installation) as api:
            await _warm(api, token, installation.folder / "warm", newest)
            for n in range(ROUNDS):
                new, resent = installation.folder / f"new{n}", installation.folder / f"resent{n}"
                make_batches(new, BATCHES, machines=MACHINES, newest=newest - (2 * n + 1) * _APART)
                make_batches(resent, BATCHES, machines=MACHINES, newest=newest - (2 * n + 2) * _APART, repeated=0.3)
                ours += await _send(api, token, new)
                limit += await asyncio.to_thread(_copy_by_psql, installation)
                repeated += await _send(api, token, resent)
            memory = api.peak_rss_mb()
        async with running_api(installation, processes=2) as api:
            later = newest - (2 * ROUNDS + 2) * _APART
            await _warm(api, token, installation.folder / "warm2", later + timedelta(minutes=5))
            for n in range(ROUNDS):
                folder = installation.folder / f"two_processes{n}"
                make_batches(folder, BATCHES, machines=MACHINES, newest=later - n * _APART)
                two_processes += await _send(api, token, folder)
    rows = ROUNDS * BATCHES * SAMPLES
    return Result(
        name="ingest",
        figure=round(rows / ours),
        unit="rows/s committed",
        limit=round(rows / limit),
        ratio=round(limit / ours, 3),
        detail={
            "rows_per_s_repeated_30": round(rows / repeated),
            "ratio_repeated_30": round(limit / repeated, 3),
            "rows_per_s_two_processes": round(rows / two_processes),
            "ratio_two_processes": round(limit / two_processes, 3),
            "limit_copy_rows_per_s": round(rows / limit),
            "peak_rss_mb": round(memory, 1),
            "rows": rows,
        },
    )


async def _warm(api: ApiServer, token: str, folder: Path, newest: datetime) -> None:
    """Not timed: the first batches register machines and create partitions."""
    make_batches(folder, MACHINES // SAMPLES, machines=MACHINES, newest=newest + timedelta(seconds=59))
    await _send(api, token, folder)


async def _send(api: ApiServer, token: str, folder: Path) -> float:
    arguments: Sequence[str] = (str(api.port), token, str(folder), str(_CONNECTIONS))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hashinsight.bench.uploads", *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError("the upload client failed")
    return float(out)


def _copy_by_psql(installation: Scratch) -> float:
    """Export the newest rows and COPY them into an empty copy of their table."""
    rows = installation.folder / "raw.csv"
    newest = f"select * from telemetry_raw order by received_at desc limit {BATCHES * SAMPLES}"  # noqa: S608 - a number
    installation.run_psql("-c", f"\\copy ({newest}) to '{rows}' csv")
    installation.run_psql("-c", _SAME_TABLE)
    began = time.perf_counter()
    installation.run_psql("-c", f"\\copy limit_raw from '{rows}' csv")
    return time.perf_counter() - began


_SOAK_ROUNDS = 10
_SOAK_BATCHES = 1_000
_SOAK_MINUTES = _SOAK_BATCHES * SAMPLES // MACHINES  # of telemetry per round


async def measure_soak() -> Result:
    memory_mb: list[float] = []
    seconds = 0.0
    async with scratch() as installation:
        create_site(installation)
        token = create_collector(installation)
        newest = datetime.now(UTC) - timedelta(minutes=1)
        async with running_api(installation) as api:
            for n in range(_SOAK_ROUNDS):
                folder = installation.folder / f"round{n}"
                make_batches(
                    folder, _SOAK_BATCHES, machines=MACHINES, newest=newest - timedelta(minutes=n * _SOAK_MINUTES)
                )
                seconds += await _send(api, token, folder)
                memory_mb.append(api.rss_mb())
                shutil.rmtree(folder)
    return Result(
        name="ingest-soak",
        figure=round(memory_mb[-1], 1),
        unit="MB held after the last round",
        limit=round(memory_mb[0], 1),
        ratio=round(memory_mb[-1] / memory_mb[0], 3),
        detail={
            "rows": _SOAK_ROUNDS * _SOAK_BATCHES * SAMPLES,
            "rows_per_s": round(_SOAK_ROUNDS * _SOAK_BATCHES * SAMPLES / seconds),
            **{f"mb_after_{n + 1}_million": round(mb, 1) for n, mb in enumerate(memory_mb)},
        },
    )
