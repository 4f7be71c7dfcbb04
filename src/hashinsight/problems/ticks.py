"""The registry's beat: a cycle every five minutes at every site, and what is past its time dropped."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db import partitions
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun

CYCLE = timedelta(minutes=5)
_WHOLE_KEPT, _HOURS_KEPT, _RUNS_KEPT = timedelta(days=2), timedelta(days=30), timedelta(days=30)


def problem_ticks(database: Database) -> tuple[Tick, ...]:
    async def cycle(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.problems.service.cycle import run_cycle

        await run_cycle(database, session, run.site_id, period=run.period, now=run.now)

    # only the newest period: what was missed is not judged on today's state
    return (
        Tick("problem_cycle", CYCLE, CatchUp.LATEST, cycle, sites=_sites),
        Tick("problem_house", timedelta(hours=1), CatchUp.LATEST, _keep_house),
    )


async def _sites(session: AsyncSession) -> Sequence[int]:
    return list((await session.execute(select(Site.id).order_by(Site.id))).scalars())


async def _keep_house(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.problems.models import FEATURE_CHUNKS, FEATURE_HOURS, RUNS
    from hashinsight.problems.service.cycle import DAY

    for table in (FEATURE_CHUNKS, FEATURE_HOURS):
        await partitions.ensure(session, table.name, run.now, run.now + DAY, DAY)
    await partitions.drop_before(session, FEATURE_CHUNKS.name, run.now - _WHOLE_KEPT)
    await partitions.drop_before(session, FEATURE_HOURS.name, run.now - _HOURS_KEPT)
    await session.execute(delete(RUNS).where(RUNS.c.period < run.now - _RUNS_KEPT))
