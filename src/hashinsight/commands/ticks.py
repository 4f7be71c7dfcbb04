"""Periodic work on commands: sweeps, archive, deletion of old keys."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun


async def _sweep(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.sweep(session, now=run.now)


async def _archive(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.archive(session, now=run.now)


async def _delete_old(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.commands.service import sweeps

    await sweeps.delete_old(session, now=run.now)


# LATEST: one run after an outage does all that is due
COMMAND_TICKS = (
    Tick("commands_sweep", timedelta(seconds=5), CatchUp.LATEST, _sweep),
    Tick("commands_archive", timedelta(seconds=15), CatchUp.LATEST, _archive),
    Tick("commands_forget", timedelta(hours=1), CatchUp.LATEST, _delete_old),
)
