"""The scheduler process: APScheduler is the clock, the run table the source of truth, Redis pub/sub the wake-up."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from hashinsight.kit.clock import Clock, system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.heartbeats import heartbeat
from hashinsight.kit.ticks.tick import Tick, first_missing, floor_period
from hashinsight.kit.ticks.wake import Waker

log = structlog.get_logger(__name__)


async def plan(database: Database, ticks: Sequence[Tick], *, now: datetime) -> int:
    """Insert every run due by `now`; returns how many are new. A failing tick does not affect the others."""
    new = 0
    for tick in ticks:
        try:
            new += await _plan_one(database, tick, now=now)
        except Exception as error:  # noqa: BLE001 - a failing tick must not stop the others
            log.warning("tick_schedule_failed", tick=tick.name, error=str(error))
    return new


async def _plan_one(database: Database, tick: Tick, *, now: datetime) -> int:
    async with database.transaction(job_context(work_seconds=30)) as session:
        await queries.upsert_tick(session, tick, now=now)
        sites = await tick.sites(session)
        newest = await queries.list_newest_periods(session, tick.name, sites, now=now)
        first = {site: first_missing(newest.get(site), now, tick) for site in sites}
        new = await queries.insert_due(session, tick, first, floor_period(now, tick.length)) if first else 0
        await queries.skip_overtaken(session, tick, now=now)
        return new


SWEEP_SECONDS = 10
STOP_SECONDS = 5


async def run_scheduler(
    database: Database,
    waker: Waker,
    ticks: Sequence[Tick],
    stop: asyncio.Event,
    *,
    clock: Clock = system_clock,
) -> None:
    """Plan each tick at its own interval, and all of them now and then, in case planning failed."""
    under_way: set[asyncio.Task[None]] = set()

    async def plan_and_wake(some: Sequence[Tick]) -> None:
        if await plan(database, some, now=clock()):
            await waker.wake()

    async def on_beat(some: Sequence[Tick]) -> None:
        if beat := asyncio.current_task():
            under_way.add(beat)
            beat.add_done_callback(under_way.discard)
        await plan_and_wake(some)

    scheduler = AsyncIOScheduler(timezone=UTC)
    scheduler.configure(job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None})
    for tick in ticks:
        scheduler.add_job(on_beat, _beat(tick.length, clock()), args=[[tick]], id=tick.name)
    scheduler.add_job(on_beat, _beat(timedelta(seconds=SWEEP_SECONDS), clock()), args=[ticks], id="sweep")
    async with heartbeat(database, "scheduler", clock):
        await plan_and_wake(ticks)
        scheduler.start()
        log.info("scheduler_started", ticks=[tick.name for tick in ticks])
        await stop.wait()
        scheduler.pause()
        await asyncio.sleep(0)  # lets a beat that was just started register itself
        if under_way:  # shutdown would cancel them and log an error
            await asyncio.wait(under_way, timeout=STOP_SECONDS)
        scheduler.shutdown(wait=False)
    log.info("scheduler_stopped")


def _beat(length: timedelta, now: datetime) -> IntervalTrigger:
    start = floor_period(now, length) + length
    return IntervalTrigger(seconds=int(length.total_seconds()), start_date=start, timezone=UTC)
