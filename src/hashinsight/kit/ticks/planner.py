"""Writes down which runs are due. Any number of schedulers may do it at once: a run exists once."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.tick import Tick, first_missing, floor_period

log = structlog.get_logger(__name__)


async def plan(database: Database, ticks: Sequence[Tick], *, now: datetime) -> int:
    """Insert every run that has become due by `now`; says how many were new. One tick's trouble is its own."""
    new = 0
    for tick in ticks:
        try:
            new += await _plan_one(database, tick, now=now)
        except Exception as error:  # noqa: BLE001 - whatever a tick's list of sites raises must not end the others
            log.warning("plan_failed", tick=tick.name, error=str(error))
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
