r"""`bench ingest`: gzip JSON over HTTP to committed rows, against psql's \copy of the same rows into the same table."""

import asyncio
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hashinsight.bench.api_server import ApiServer, command, running_api
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.bench.uploads import SAMPLES, make_batches

ROUNDS = 3  # of ours and the limit's in turn: whatever else the machine does meets both
BATCHES = 200  # a round
MACHINES = 20_000
_CONNECTIONS = 4
_APART = timedelta(hours=1)  # between the times of one round and those of the next
# the same table, empty: its columns, its indexes and its hours
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
    async with scratch() as place:
        command(place, "tenant", "create", "--name", "bench")
        command(place, "site", "create", "--code", "one", "--name", "One")
        token = command(place, "collector", "create", "--site", "one", "--name", "north")["token"]
        newest = datetime.now(UTC) - timedelta(minutes=1)
        ours = repeated = limit = together = 0.0
        async with running_api(place) as api:
            await _warm(api, token, place.folder / "warm", newest)
            for n in range(ROUNDS):
                first, again = place.folder / f"first{n}", place.folder / f"again{n}"
                make_batches(first, BATCHES, machines=MACHINES, newest=newest - (2 * n + 1) * _APART)
                make_batches(again, BATCHES, machines=MACHINES, newest=newest - (2 * n + 2) * _APART, repeated=0.3)
                ours += await sent(api, token, first)
                limit += await asyncio.to_thread(_copy_by_psql, place)
                repeated += await sent(api, token, again)
            memory = api.peak_rss_mb()
        async with running_api(place, processes=2) as api:
            later = newest - (2 * ROUNDS + 2) * _APART
            await _warm(api, token, place.folder / "warm2", later + timedelta(minutes=5))
            for n in range(ROUNDS):
                folder = place.folder / f"together{n}"
                make_batches(folder, BATCHES, machines=MACHINES, newest=later - n * _APART)
                together += await sent(api, token, folder)
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
            "rows_per_s_two_processes": round(rows / together),
            "ratio_two_processes": round(limit / together, 3),
            "peak_rss_mb": round(memory, 1),
            "rows": rows,
        },
    )


async def _warm(api: ApiServer, token: str, folder: Path, newest: datetime) -> None:
    """The first batches make machines and hours: they are not what is measured."""
    make_batches(folder, MACHINES // SAMPLES, machines=MACHINES, newest=newest + timedelta(seconds=59))
    await sent(api, token, folder)


async def sent(api: ApiServer, token: str, folder: Path) -> float:
    arguments: Sequence[str] = (str(api.port), token, str(folder), str(_CONNECTIONS))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hashinsight.bench.uploads", *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError("the client failed")
    return float(out)


def _copy_by_psql(place: Scratch) -> float:
    """The rows that came in last, out to a file and by one COPY into a table that is made as theirs is."""
    rows = place.folder / "raw.csv"
    taken = f"select * from telemetry_raw order by received_at desc limit {BATCHES * SAMPLES}"  # noqa: S608 - our own
    _psql(place, f"\\copy ({taken}) to '{rows}' csv")
    _psql(place, _SAME_TABLE)
    began = time.perf_counter()
    _psql(place, f"\\copy limit_raw from '{rows}' csv")
    return time.perf_counter() - began


def _psql(place: Scratch, script: str) -> None:
    subprocess.run([*place.psql, "-c", script], check=True)


_SOAK_ROUNDS = 10
_SOAK_BATCHES = 1_000
_SOAK_MINUTES = _SOAK_BATCHES * SAMPLES // MACHINES  # that a round of batches covers


async def measure_soak() -> Result:
    held: list[float] = []
    seconds = 0.0
    async with scratch() as place:
        command(place, "tenant", "create", "--name", "bench")
        command(place, "site", "create", "--code", "one", "--name", "One")
        token = command(place, "collector", "create", "--site", "one", "--name", "north")["token"]
        newest = datetime.now(UTC) - timedelta(minutes=1)
        async with running_api(place) as api:
            for n in range(_SOAK_ROUNDS):
                folder = place.folder / f"round{n}"
                make_batches(
                    folder, _SOAK_BATCHES, machines=MACHINES, newest=newest - timedelta(minutes=n * _SOAK_MINUTES)
                )
                seconds += await sent(api, token, folder)
                held.append(api.rss_mb())
                shutil.rmtree(folder)
    return Result(
        name="ingest-soak",
        figure=round(held[-1], 1),
        unit="MB held after the last round",
        limit=round(held[0], 1),
        ratio=round(held[-1] / held[0], 3),
        detail={
            "rows": _SOAK_ROUNDS * _SOAK_BATCHES * SAMPLES,
            "rows_per_s": round(_SOAK_ROUNDS * _SOAK_BATCHES * SAMPLES / seconds),
            **{f"mb_after_{n + 1}_million": round(mb, 1) for n, mb in enumerate(held)},
        },
    )
