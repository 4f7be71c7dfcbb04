"""`bench cycle`: one cycle of a site, from its live rows to committed events, for 10,000 and for 100,000 machines.

The limit beside it is what psql needs to read the same live rows and to write the same carried state once.
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
# as an edge tells them: three that together hash what the machine does
_BOARD = (
    "jsonb_build_object('board', {no}, 'hashrate_ths', {ths}, 'temp_c', temp_c, 'temp_max_c', temp_max_c, 'chips', 110,"
    " 'chips_expected', 110, 'frequency_mhz', 545.5, 'serial', 'B{no}' || miner_no)"
)
_BOARDS = ", ".join(_BOARD.format(no=no, ths=ths) for no, ths in enumerate((33.3, 33.4, 33.3)))
# :ill of a thousand do not hash, :dark of a thousand do not answer; the rest differ a little from sample to sample
_NEXT = f"""
update telemetry_live set ts = :now, hashrate_5min_ths = case when miner_no % 1000 < :ill then 0
        else 100 * (1 + 0.02 * (random() + random() + random() - 1.5)) end,
    status = case when miner_no % 1000 >= 1000 - :dark then 0 else 1 end,
    temp_c = 56 + random(), temp_max_c = 60 + random(), fan_min_rpm = 4500 + 50 * random(),
    power_5min_w = 3000 * (1 + 0.01 * (random() - 0.5)), accepted = accepted + 60,
    rejected = (accepted + 60) * 3 / 1000, hw_errors = (accepted + 60) * 2 / 1000, uptime_sec = uptime_sec + 300,
    updated_at = :now, boards = jsonb_build_array({_BOARDS}) where site_id = :site
"""  # noqa: S608 - our own words


@dataclass
class _Site:
    place: Scratch
    site_id: int
    now: datetime

    async def cycle(self, *, ill: int, dark: int = 0, after: timedelta = _CYCLE) -> tuple[float, Mapping[str, float]]:
        """New samples come in, unmeasured; then a cycle as the worker's tick runs it. Its seconds, and by part."""
        self.now += after
        async with self.place.database.transaction(job_context()) as session:
            given = {"now": self.now - timedelta(seconds=20), "site": self.site_id, "ill": ill, "dark": dark}
            await session.execute(text(_NEXT), given)
            heard = text("update collectors set last_seen_at = :now where site_id = :site")
            await session.execute(heard, {"now": self.now, "site": self.site_id})
        await _psql(self.place, "checkpoint")
        began = time.perf_counter()
        async with self.place.database.transaction(job_context()) as session:
            ran = await run_cycle(self.place.database, session, self.site_id, period=self.now, now=self.now)
        took = time.perf_counter() - began
        if ran is None:
            raise RuntimeError("the cycle did not run")
        return took, ran.seconds


async def measure() -> Result:
    keep_memory()  # as the worker does
    async with scratch() as place:
        small = await _open(place, "small", SMALL)
        steady_small = await _steady(small, ill=20)
        large = await _open(place, "large", LARGE)
        steady = await _steady(large, ill=20)
        dark = [await large.cycle(ill=20, dark=200) for _ in range(2)]
        many = [await large.cycle(ill=20, dark=200) for _ in range(_TIMED)]
        # what only some cycles do: every open problem is touched once an hour of its life, modes are fitted every few
        touched, _ = await large.cycle(ill=20, dark=200, after=_HOUR)
        fitted, of_fit = await large.cycle(ill=20, dark=200, after=_FIT)
        limit = await _bare(place, large.site_id)
    whole, parts = median(took for took, _ in steady), [parts for _, parts in steady]
    return Result(
        name="cycle",
        figure=round(whole, 2),
        unit=f"s for {LARGE:,} machines, from live rows to committed events",
        limit=round(limit, 2),
        ratio=round(limit / whole, 3),
        detail={
            "seconds_100k": round(whole, 3),
            "seconds_10k": round(median(took for took, _ in steady_small), 3),
            "growth_10x": round(whole / median(took for took, _ in steady_small), 2),
            "seconds_100k_worst": round(max(took for took, _ in steady), 3),
            "seconds_statistics": round(median(one["think"] for one in parts), 3),
            "seconds_20_percent_open": round(median(took for took, _ in many), 3),
            "seconds_added_by_20000_going_dark": round(max(took for took, _ in dark) - whole, 3),
            "seconds_22000_touched_at_once": round(touched, 3),
            "seconds_22000_touched_and_modes_fitted": round(fitted, 3),
            "seconds_statistics_with_modes_fitted": round(of_fit["think"], 3),
            **{f"seconds_{name}": round(median(one[name] for one in parts), 3) for name in parts[0]},
        },
    )


async def _open(place: Scratch, code: str, machines: int) -> _Site:
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)  # so that no timed cycle begins an hour
    async with place.database.transaction(job_context()) as session:
        tenant = await create_tenant(session, SYSTEM, code, now=system_clock())
        given = {"tenant": tenant.id, "code": code, "now": now, "machines": machines, "id": new_id()}
        site_id = (await session.execute(text(_SITE), given)).scalar_one()
        for statement in (_COLLECTOR, _MINERS, _LIVE):
            await session.execute(text(statement), {**given, "site": site_id})
    await _psql(place, "vacuum analyze")
    return _Site(place, site_id, now)


async def _steady(site: _Site, *, ill: int) -> list[tuple[float, Mapping[str, float]]]:
    for _ in range(_WARM):
        await site.cycle(ill=ill)
    await _psql(site.place, "vacuum analyze")
    return [await site.cycle(ill=ill) for _ in range(_TIMED)]


async def _psql(place: Scratch, script: str) -> str:
    child = await asyncio.create_subprocess_exec(*place.psql, "-c", script, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    if child.returncode != 0:
        raise RuntimeError(f"psql could not do: {script}")
    return out.decode()


async def _bare(place: Scratch, site_id: int) -> float:
    began = time.perf_counter()
    rows = f"select * from {{}} where site_id = {site_id}"  # noqa: S608 - our own number
    await _psql(place, f"\\copy ({rows.format('telemetry_live')}) to '/dev/null' (format binary)")
    await _psql(place, f"create table limit_state as {rows.format('problem_state')}")
    return time.perf_counter() - began
