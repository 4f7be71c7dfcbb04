"""The table of ticks: everything that the installation does by itself, and how often."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun

KEEP_TICK_RUNS = timedelta(days=14)


async def pulse(_session: AsyncSession, _run: TickRun) -> None:
    """Does nothing but be done: its row shows that scheduler, database and worker hang together."""


async def prune_tick_runs(session: AsyncSession, run: TickRun) -> None:
    await queries.prune(session, now=run.now, keep=KEEP_TICK_RUNS)


TICKS = (
    Tick("pulse", timedelta(seconds=15), CatchUp.LATEST, pulse),
    Tick("prune_tick_runs", timedelta(hours=1), CatchUp.LATEST, prune_tick_runs),
)
