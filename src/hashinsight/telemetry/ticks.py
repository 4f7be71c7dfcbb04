"""Periodic work on telemetry: partitions created ahead, layers rolled up, expired partitions dropped."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun

# buckets of one run: a day's backlog of 100,000 machines is caught up over some runs, none of which lasts past its time
_LIVE_BUCKETS = 24
_FIVE_MINUTE_BUCKETS = 48


def telemetry_ticks(*, five_minutes_kept: timedelta, days_kept: timedelta | None) -> tuple[Tick, ...]:
    async def roll_live(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.inventory.queries import places
        from hashinsight.kit.changes import note_change
        from hashinsight.telemetry.service import rollups

        rolled = await rollups.roll_up_live(session, now=run.now, most=_LIVE_BUCKETS)
        for site_id, tenant_id in await places.list_site_tenants(session, rolled):
            note_change(session, tenant_id, site_id, "telemetry")

    async def roll_five_minutes(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.telemetry.service import rollups

        await rollups.roll_up_five_minutes(session, now=run.now, most=_FIVE_MINUTE_BUCKETS)

    async def roll_hours(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.telemetry.service import rollups

        await rollups.roll_up_hours(session, now=run.now)

    async def roll_days(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.telemetry.service import rollups

        await rollups.roll_up_days(session, now=run.now)

    async def keep_house(session: AsyncSession, run: TickRun) -> None:
        from hashinsight.telemetry.service import rollups

        await rollups.maintain_partitions(
            session, five_minutes_kept=five_minutes_kept, days_kept=days_kept, now=run.now
        )

    # the marks say what is to be done, and stay until it is: a missed period needs no run of its own
    return (
        Tick("telemetry_live", timedelta(minutes=1), CatchUp.LATEST, roll_live),
        Tick("telemetry_5min", timedelta(minutes=5), CatchUp.LATEST, roll_five_minutes),
        Tick("telemetry_hours", timedelta(minutes=15), CatchUp.LATEST, roll_hours),
        Tick("telemetry_days", timedelta(hours=1), CatchUp.LATEST, roll_days),
        Tick("telemetry_house", timedelta(minutes=15), CatchUp.LATEST, keep_house),
    )
