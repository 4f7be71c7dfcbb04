"""`bench cycle`: one cycle of a site, from live rows to committed events, for 10,000 and 100,000 machines.

The limit is the time psql needs to read the same live rows and write the same state once.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlalchemy import text

from hashinsight.audit.actions import SYSTEM
from hashinsight.bench.report import Result
from hashinsight.bench.scratch import Scratch, scratch
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.ids import new_id
from hashinsight.kit.process import keep_memory
from hashinsight.problems.config import Config
from hashinsight.problems.service.cycle import run_cycle

SMALL, LARGE = 10_000, 100_000
_CYCLE, _HOUR = timedelta(minutes=5), timedelta(hours=1)
_FIT = timedelta(seconds=Config().mode_fit_sec)
_WARM, _TIMED = 4, 5

_SITE = "insert into sites (tenant_id, code, name, created_at) values (:tenant, :code, :code, :now) returning id"
_COLLECTOR = """
insert into collectors (id, tenant_id, site_id, name, status, permissions, created_at, updated_at, last_seen_at)
values (:id, :tenant, :site, 'one', 'active', '{read}', :now, :now, :now)
"""
_MINERS = """
insert into miners (tenant_id, site_id, miner_id, created_at, updated_at)
select :tenant, :site, 'm' || n, :now, :now from generate_series(1, cast(:machines as int)) n
"""
_LIVE = """
insert into telemetry_live (miner_no, tenant_id, site_id, ts, last_seen_at, online, status, flags, hashrate_5min_ths,
    hashrate_ths, expected_ths, temp_c, temp_max_c, fan_rpm, fan_min_rpm, power_w, power_5min_w, powered_5min_ths,
    accepted, rejected, hw_errors, uptime_sec, boards_healthy, boards_total, model, firmware, pool_url, worker,
    updated_at)
select miner_no, tenant_id, site_id, :now, :now, true, 1, 0, 100, 100, 100, 56, 60, 4500, 4500, 3000, 3000, 100,
    0, 0, 0, 500000, 3, 3,
    (array['Antminer S19j Pro', 'Antminer S21', 'Whatsminer M50S', 'Antminer S19 XP'])[1 + miner_no % 4],
    (array['stock 1', 'LuxOS 2024'])[1 + miner_no % 2], 'stratum+tcp://pool.example:3333', 'farm.' || miner_no, :now
from miners where site_id = :site
"""
# as a collector reports them: three boards that add up to the machine
_BOARD = (
    "jsonb_build_object('board', {no}, 'hashrate_ths', {ths}, 'temp_c', temp_c, 'temp_max_c', temp_max_c, 'chips', 110,"
    " 'chips_expected', 110, 'frequency_mhz', 545.5, 'serial', 'B{no}' || miner_no)"
)
_BOARDS = ", ".join(_BOARD.format(no=no, ths=ths) for no, ths in enumerate((33.3, 33.4, 33.3)))
# per 1,000 machines :ill do not hash and :dark are offline; the others vary a little from sample to sample
_NEXT = f"""
update telemetry_live set ts = :now, hashrate_5min_ths = case when miner_no % 1000 < :ill then 0
        else 100 * (1 + 0.02 * (random() + random() + random() - 1.5)) end,
    status = case when miner_no % 1000 >= 1000 - :dark then 0 else 1 end,
    temp_c = 56 + random(), temp_max_c = 60 + random(), fan_min_rpm = 4500 + 50 * random(),
    power_5min_w = 3000 * (1 + 0.01 * (random() - 0.5)), accepted = accepted + 60,
    rejected = (accepted + 60) * 3 / 1000, hw_errors = (accepted + 60) * 2 / 1000, uptime_sec = uptime_sec + 300,
    updated_at = :now, boards = jsonb_build_array({_BOARDS}) where site_id = :site
"""  # noqa: S608 - constants only


@dataclass
class _Site:
    installation: Scratch
    site_id: int
    now: datetime

    async def cycle(self, *, ill: int, dark: int = 0, after: timedelta = _CYCLE) -> tuple[float, Mapping[str, float]]:
        """Write new samples (not timed), then run a cycle as the worker does. Returns seconds, total and by part."""
        self.now += after
        async with self.installation.database.transaction(job_context()) as session:
            values = {"now": self.now - timedelta(seconds=20), "site": self.site_id, "ill": ill, "dark": dark}
            await session.execute(text(_NEXT), values)
            seen = text("update collectors set last_seen_at = :now where site_id = :site")
            await session.execute(seen, {"now": self.now, "site": self.site_id})
        await asyncio.to_thread(self.installation.run_psql, "-c", "checkpoint")
        began = time.perf_counter()
        async with self.installation.database.transaction(job_context()) as session:
            result = await run_cycle(self.installation.database, session, self.site_id, period=self.now, now=self.now)
        elapsed = time.perf_counter() - began
        if result is None:
            raise RuntimeError("the cycle did not run")
        return elapsed, result.seconds


async def measure() -> Result:
    keep_memory()  # as the worker does
    async with scratch() as installation:
        small = await _open(installation, "small", SMALL)
        steady_small = await _steady(small, ill=20)
        large = await _open(installation, "large", LARGE)
        steady = await _steady(large, ill=20)
        dark = [await large.cycle(ill=20, dark=200) for _ in range(2)]
        many = [await large.cycle(ill=20, dark=200) for _ in range(_TIMED)]
        # only some cycles do this: open problems are touched hourly, modes are fitted every few hours
        touched, _ = await large.cycle(ill=20, dark=200, after=_HOUR)
        fitted, fit_parts = await large.cycle(ill=20, dark=200, after=_FIT)
        limit = await asyncio.to_thread(_time_psql, installation, large.site_id)
    total, parts = median(seconds for seconds, _ in steady), [parts for _, parts in steady]
    return Result(
        name="cycle",
        figure=round(total, 2),
        unit=f"s for {LARGE:,} machines, from live rows to committed events",
        limit=round(limit, 2),
        ratio=round(limit / total, 3),
        detail={
            "seconds_100k": round(total, 3),
            "seconds_10k": round(median(seconds for seconds, _ in steady_small), 3),
            "growth_10x": round(total / median(seconds for seconds, _ in steady_small), 2),
            "seconds_100k_worst": round(max(seconds for seconds, _ in steady), 3),
            "statistics_seconds_100k": round(median(part["think"] for part in parts), 3),
            "seconds_20_percent_open": round(median(seconds for seconds, _ in many), 3),
            "dark_20k_extra_seconds": round(max(seconds for seconds, _ in dark) - total, 3),
            "seconds_22000_touched_at_once": round(touched, 3),
            "seconds_22000_touched_and_modes_fitted": round(fitted, 3),
            "statistics_seconds_with_modes_fitted": round(fit_parts["think"], 3),
            **{f"seconds_{name}": round(median(part[name] for part in parts), 3) for name in parts[0]},
        },
    )


async def _open(installation: Scratch, code: str, machines: int) -> _Site:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)  # no timed cycle starts a new hour
    async with installation.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, code, now=system_clock())
        values = {"tenant": tenant.id, "code": code, "now": now, "machines": machines, "id": new_id()}
        site_id = (await session.execute(text(_SITE), values)).scalar_one()
        for statement in (_COLLECTOR, _MINERS, _LIVE):
            await session.execute(text(statement), {**values, "site": site_id})
    await asyncio.to_thread(installation.run_psql, "-c", "vacuum analyze")
    return _Site(installation, site_id, now)


async def _steady(site: _Site, *, ill: int) -> list[tuple[float, Mapping[str, float]]]:
    for _ in range(_WARM):
        await site.cycle(ill=ill)
    await asyncio.to_thread(site.installation.run_psql, "-c", "vacuum analyze")
    return [await site.cycle(ill=ill) for _ in range(_TIMED)]


def _time_psql(installation: Scratch, site_id: int) -> float:
    began = time.perf_counter()
    rows = f"select * from {{}} where site_id = {site_id}"  # noqa: S608 - a number
    installation.run_psql("-c", f"\\copy ({rows.format('telemetry_live')}) to '/dev/null' (format binary)")
    installation.run_psql("-c", f"create table limit_state as {rows.format('problem_state')}")
    return time.perf_counter() - began
