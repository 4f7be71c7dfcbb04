"""The ticks of problems: a cycle every five minutes at every site, and the retention of what cycles wrote.

The cycle's own modules load when it first runs: a worker starts without them.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db import partitions
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.problems.codes import CYCLE_SEC

DAY = timedelta(days=1)
_CYCLES_KEPT, _HOURS_KEPT, _RUNS_KEPT = timedelta(days=2), timedelta(days=30), timedelta(days=30)


def problem_ticks(database: Database) -> tuple[Tick, ...]:
    async def cycle(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.problems.service.cycle import run_cycle

        await run_cycle(database, session, run.site_id, period=run.period, now=run.now)

    # only the newest period: a missed one is not judged on today's state
    return (
        Tick("problem_cycle", timedelta(seconds=CYCLE_SEC), CatchUp.LATEST, cycle, sites=_list_site_ids),
        Tick("problem_house", timedelta(hours=1), CatchUp.LATEST, _apply_retention),
    )


async def _list_site_ids(session: AsyncSession) -> Sequence[int]:
    from hashinsight.problems.queries.cycle import list_site_ids

    return await list_site_ids(session)


async def _apply_retention(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.problems.models import FEATURE_CHUNKS, FEATURE_HOURS
    from hashinsight.problems.queries.cycle import delete_old_runs

    for table, kept in ((FEATURE_CHUNKS, _CYCLES_KEPT), (FEATURE_HOURS, _HOURS_KEPT)):
        await partitions.ensure(session, table.name, run.now, run.now + DAY, DAY)
        await partitions.drop_before(session, table.name, run.now - kept)
    await delete_old_runs(session, before=run.now - _RUNS_KEPT)
