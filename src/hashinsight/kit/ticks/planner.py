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
    """Insert every run that has become due by `now`; says how many were new."""
    new = 0
    for tick in ticks:
        async with database.transaction(job_context(work_seconds=30)) as session:
            await queries.upsert_tick(session, tick, now=now)
            sites = await tick.sites(session)
            newest = await queries.list_newest_periods(session, tick.name, sites)
            first = {site: first_missing(newest.get(site), now, tick) for site in sites}
            if first:
                new += await queries.insert_due(session, tick, first, floor_period(now, tick.length))
    return new
