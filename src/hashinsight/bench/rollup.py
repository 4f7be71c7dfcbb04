"""`bench rollup`: five minutes of samples into rows of five minutes and the live state, for a tenth and for all."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.telemetry.layers import Layer, bucket_start
from hashinsight.telemetry.queries.raw import open_hour
from hashinsight.telemetry.service.rollups import roll_up_five_minutes, roll_up_live

MACHINES = 100_000
SITE_MACHINES = 5_000
SAMPLES = 5
_BUCKET = timedelta(minutes=5)

_MINERS = """
insert into sites (tenant_id, code, name, created_at)
select :tenant, 'site-' || n, 'Site ' || n, :now from generate_series(1, cast(:sites as int)) n;
"""
_MORE = """
insert into miners (tenant_id, site_id, miner_id, created_at, updated_at)
select :tenant, s.id, 'm' || n, :now, :now from sites s, generate_series(1, cast(:each as int)) n
"""
_RAW = """
insert into telemetry_raw (miner_no, ts, tenant_id, site_id, received_at, upload_mode, status, flags, hashrate_ths,
    hashrate_5s_ths, temp_c, temp_max_c, power_w, fan_rpm, fan_min_rpm, frequency_mhz, accepted, rejected, hw_errors,
    uptime_sec, chip_temps_c, fan_speeds, model, firmware, pool_url, worker)
select miner_no, cast(:begins as timestamptz) + minute * interval '1 minute' + (miner_no % 60) * interval '1 second',
    tenant_id, site_id, :now, 0, 1, 0, 100 + miner_no % 7, 101, 60 + minute, 70 + minute, 3000 + miner_no % 50, 5400,
    5300, 545, 1000 + 12 * minute, 3 + minute, 1, 86400 + 60 * minute, '{60, 61, 62}', '{5400, 5300, 5500, 5400}',
    'Antminer S19j Pro', '49.0.1.3', 'stratum+tcp://pool.example:3333', 'farm.' || miner_no
from miners, generate_series(0, cast(:samples as int) - 1) minute where miner_no <= :most order by minute, miner_no
"""
_TOUCH = """
insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)
select distinct tenant_id, site_id, layer, cast(:begins as timestamptz) from miners, generate_series(0, 1) layer
where miner_no <= :most
"""


async def measure() -> Result:
    async with scratch() as place:
        newest = bucket_start(datetime.now(UTC), Layer.FIVE_MINUTES) - _BUCKET
        await _miners(place)
        buckets = [newest - n * 6 * _BUCKET for n in range(6)]
        small = min([await _round(place, bucket, MACHINES // 10) for bucket in buckets[:3]])
        rounds = [await _round(place, bucket, MACHINES) for bucket in reversed(buckets[3:])]
        whole = min(rounds)
        bare = await _bare(place, buckets[3])
    return Result(
        name="rollup",
        figure=round(whole, 2),
        unit="s for 100,000 machines",
        limit=round(bare, 2),
        ratio=round(bare / whole, 3),
        detail={
            "seconds_100k": round(whole, 2),
            "seconds_10k": round(small, 3),
            "growth_10x": round(whole / small, 2),
            "seconds_100k_worst": round(max(rounds), 2),
            "samples": SAMPLES * MACHINES,
        },
    )


async def _miners(place: Scratch) -> None:
    sites = MACHINES // SITE_MACHINES
    async with place.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, "bench", now=system_clock())
        given = {"tenant": tenant.id, "now": system_clock(), "sites": sites, "each": SITE_MACHINES}
        for statement in (_MINERS, _MORE):
            await session.execute(text(statement), given)


async def _round(place: Scratch, begins: datetime, machines: int) -> float:
    """One bucket's samples in, then both rollups as the worker's ticks do them, side by side."""
    async with place.database.transaction(job_context()) as session:
        for hour in {bucket_start(begins, Layer.HOUR), bucket_start(begins + _BUCKET, Layer.HOUR)}:
            await open_hour(session, hour)
        given = {"begins": begins, "now": begins, "samples": SAMPLES, "most": machines}
        await session.execute(text(_RAW), given)
        await session.execute(text(_TOUCH), given)
    await _analyse(place)
    now = begins + _BUCKET + timedelta(seconds=20)
    began = time.perf_counter()
    await asyncio.gather(_five_minutes(place, now), _live(place, now))
    return time.perf_counter() - began


async def _five_minutes(place: Scratch, now: datetime) -> None:
    async with place.database.transaction(job_context()) as session:
        await roll_up_five_minutes(session, now=now)


async def _live(place: Scratch, now: datetime) -> None:
    async with place.database.transaction(job_context()) as session:
        await roll_up_live(session, now=now)


async def _analyse(place: Scratch) -> None:
    child = await asyncio.create_subprocess_exec(*place.psql, "-c", "vacuum analyze telemetry_raw")
    if await child.wait() != 0:
        raise RuntimeError("psql could not analyse")


async def _bare(place: Scratch, begins: datetime) -> float:
    """The limit: the plainest aggregate of the same samples into a table of the same key."""
    table = "create table limit_5min (miner_no int, bucket_ts timestamptz, samples int, ths float8, watts float8,"
    first, last = begins.isoformat(), (begins + _BUCKET).isoformat()
    script = f"""{table} primary key (miner_no, bucket_ts));
        \\timing on
        insert into limit_5min select miner_no, '{first}', count(*), sum(hashrate_ths), sum(power_w)
        from telemetry_raw where ts >= '{first}' and ts < '{last}' group by miner_no;
    """  # noqa: S608 - our own times
    file = place.folder / "bare.sql"
    file.write_text(script)
    child = await asyncio.create_subprocess_exec(*place.psql, "-f", str(file), stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    return float(out.decode().rsplit("Time: ", 1)[1].split(" ms")[0]) / 1000
