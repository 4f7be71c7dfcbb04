"""What commands need done by itself: lost leases, TTLs and stale approvals, and finished ones moved out of the way."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun


async def _sweep(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.sweep(session, now=run.now)


async def _archive(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.archive(session, now=run.now)


async def _forget(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.forget(session, now=run.now)


# the rows say what is to be done: a run after an outage does all of it, so a missed period needs no run of its own
COMMAND_TICKS = (
    Tick("commands_sweep", timedelta(seconds=5), CatchUp.LATEST, _sweep),
    Tick("commands_archive", timedelta(seconds=15), CatchUp.LATEST, _archive),
    Tick("commands_forget", timedelta(hours=1), CatchUp.LATEST, _forget),
)
