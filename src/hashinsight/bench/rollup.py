"""`bench rollup`: five minutes of samples into five-minute rows and live state, for 10,000 and 100,000 machines."""

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

_SITES = """
insert into sites (tenant_id, code, name, created_at)
select :tenant, 'site-' || n, 'Site ' || n, :now from generate_series(1, cast(:sites as int)) n;
"""
_MINERS = """
insert into miners (tenant_id, site_id, miner_id, created_at, updated_at)
select :tenant, s.id, 'm' || n, :now, :now from sites s, generate_series(1, cast(:each as int)) n
"""
_RAW = """
insert into telemetry_raw (miner_no, ts, tenant_id, site_id, received_at, upload_mode, status, flags, hashrate_ths,
    hashrate_5s_ths, temp_c, temp_max_c, power_w, fan_rpm, fan_min_rpm, frequency_mhz, accepted, rejected, hw_errors,
    uptime_sec, chip_temps_c, fan_speeds, model, firmware, pool_url, worker)
select miner_no, cast(:bucket as timestamptz) + minute * interval '1 minute' + (miner_no % 60) * interval '1 second',
    tenant_id, site_id, :now, 0, 1, 0, 100 + miner_no % 7, 101, 60 + minute, 70 + minute, 3000 + miner_no % 50, 5400,
    5300, 545, 1000 + 12 * minute, 3 + minute, 1, 86400 + 60 * minute, '{60, 61, 62}', '{5400, 5300, 5500, 5400}',
    'Antminer S19j Pro', '49.0.1.3', 'stratum+tcp://pool.example:3333', 'farm.' || miner_no
from miners, generate_series(0, cast(:samples as int) - 1) minute where miner_no <= :most order by minute, miner_no
"""
_TOUCH = """
insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)
select distinct tenant_id, site_id, layer, cast(:bucket as timestamptz) from miners, generate_series(0, 1) layer
where miner_no <= :most
"""


async def measure() -> Result:
    async with scratch() as installation:
        newest = bucket_start(datetime.now(UTC), Layer.FIVE_MINUTES) - _BUCKET
        await _create_machines(installation)
        buckets = [newest - n * 6 * _BUCKET for n in range(6)]
        small = min([await _round(installation, bucket, MACHINES // 10) for bucket in buckets[:3]])
        rounds = [await _round(installation, bucket, MACHINES) for bucket in reversed(buckets[3:])]
        best = min(rounds)
        limit = await asyncio.to_thread(_time_psql, installation, buckets[3])
    return Result(
        name="rollup",
        figure=round(best, 2),
        unit="s for 100,000 machines",
        limit=round(limit, 2),
        ratio=round(limit / best, 3),
        detail={
            "seconds_100k": round(best, 2),
            "seconds_10k": round(small, 3),
            "growth_10x": round(best / small, 2),
            "seconds_100k_worst": round(max(rounds), 2),
            "samples": SAMPLES * MACHINES,
        },
    )


async def _create_machines(installation: Scratch) -> None:
    sites = MACHINES // SITE_MACHINES
    async with installation.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, "bench", now=system_clock())
        values = {"tenant": tenant.id, "now": system_clock(), "sites": sites, "each": SITE_MACHINES}
        for statement in (_SITES, _MINERS):
            await session.execute(text(statement), values)


async def _round(installation: Scratch, bucket: datetime, machines: int) -> float:
    """Insert one bucket's samples, then time both rollups running together, as the worker does."""
    async with installation.database.transaction(job_context()) as session:
        for hour in {bucket_start(bucket, Layer.HOUR), bucket_start(bucket + _BUCKET, Layer.HOUR)}:
            await open_hour(session, hour)
        values = {"bucket": bucket, "now": bucket, "samples": SAMPLES, "most": machines}
        await session.execute(text(_RAW), values)
        await session.execute(text(_TOUCH), values)
    await asyncio.to_thread(installation.run_psql, "-c", "vacuum analyze telemetry_raw")
    now = bucket + _BUCKET + timedelta(seconds=20)
    began = time.perf_counter()
    await asyncio.gather(_five_minutes(installation, now), _live(installation, now))
    return time.perf_counter() - began


async def _five_minutes(installation: Scratch, now: datetime) -> None:
    async with installation.database.transaction(job_context()) as session:
        await roll_up_five_minutes(session, now=now)


async def _live(installation: Scratch, now: datetime) -> None:
    async with installation.database.transaction(job_context()) as session:
        await roll_up_live(session, now=now)


def _time_psql(installation: Scratch, bucket: datetime) -> float:
    """The limit: a plain aggregate of the same samples into a table with the same key."""
    table = "create table limit_5min (miner_no int, bucket_ts timestamptz, samples int, ths float8, watts float8,"
    first, last = bucket.isoformat(), (bucket + _BUCKET).isoformat()
    script = f"""{table} primary key (miner_no, bucket_ts));
        \\timing on
        insert into limit_5min select miner_no, '{first}', count(*), sum(hashrate_ths), sum(power_w)
        from telemetry_raw where ts >= '{first}' and ts < '{last}' group by miner_no;
    """  # noqa: S608 - times only
    file = installation.folder / "limit.sql"
    file.write_text(script)
    return float(installation.run_psql("-f", str(file)).rsplit("Time: ", 1)[1].split(" ms")[0]) / 1000
