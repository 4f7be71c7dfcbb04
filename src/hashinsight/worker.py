"""The table of ticks, everything the installation does by itself and how often; and its long jobs.

A tick's first run imports what its work needs: the scheduler reads the same table and never does the work.
"""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.ticks import audit_ticks
from hashinsight.collectors.ticks import keep_heartbeat_days, notice_silent_collectors
from hashinsight.commands.ticks import COMMAND_TICKS
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.jobs.queries import delete_old_jobs
from hashinsight.kit.jobs.runner import Job
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings
from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.heartbeats import delete_old_heartbeats
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.problems.ticks import problem_ticks
from hashinsight.telemetry.ticks import telemetry_ticks

KEEP_TICK_RUNS = timedelta(days=14)
KEEP_JOBS = timedelta(days=30)


async def pulse(_session: AsyncSession, _run: TickRun) -> None:
    """No work: its run shows that scheduler, database and worker are running."""


async def prune_tick_runs(session: AsyncSession, run: TickRun) -> None:
    await queries.prune(session, now=run.now, keep=KEEP_TICK_RUNS)
    await delete_old_heartbeats(session, now=run.now)
    await delete_old_jobs(session, before=run.now - KEEP_JOBS)


async def refresh_filter_groups(session: AsyncSession, run: TickRun) -> None:
    from hashinsight.inventory.service import refresh_groups

    await refresh_groups(session, now=run.now)


JOBS: tuple[Job, ...] = ()  # the allow list of long jobs

_TICKS = (
    Tick("pulse", timedelta(seconds=15), CatchUp.LATEST, pulse),
    Tick("prune_tick_runs", timedelta(hours=1), CatchUp.LATEST, prune_tick_runs),
    Tick("filter_groups", timedelta(minutes=5), CatchUp.LATEST, refresh_filter_groups),
    Tick("collectors_offline", timedelta(seconds=15), CatchUp.LATEST, notice_silent_collectors),
    Tick("heartbeat_days", timedelta(hours=1), CatchUp.LATEST, keep_heartbeat_days),
)


def ticks(settings: Settings, database: Database) -> tuple[Tick, ...]:
    anchor = settings.audit_anchor.get_secret_value() if settings.audit_anchor else None
    days_kept = timedelta(days=settings.daily_kept_days) if settings.daily_kept_days else None
    return (
        *_TICKS,
        *COMMAND_TICKS,
        *audit_ticks(Vault(load_secret_key(settings)), anchor),
        *telemetry_ticks(five_minutes_kept=timedelta(days=settings.five_minutes_kept_days), days_kept=days_kept),
        *problem_ticks(database),
    )
