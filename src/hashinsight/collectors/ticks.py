"""Periodic work on collectors: offline detection, partitions of heartbeats."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.queries import liveness
from hashinsight.collectors.queries.liveness import HEARTBEAT_TABLE
from hashinsight.collectors.service.liveness import sweep_silent
from hashinsight.collectors.states import HEARTBEAT_STEP, HEARTBEATS_AHEAD, HEARTBEATS_KEPT
from hashinsight.kit.db import partitions
from hashinsight.kit.ticks.tick import TickRun

_AWAY = timedelta(minutes=1)  # several periods: a busy worker is not away


async def notice_silent_collectors(session: AsyncSession, run: TickRun) -> None:
    """After a time without sweeps, the server was probably down: collectors get time to call again."""
    swept_at = await liveness.find_last_sweep(session, run.tick)
    if swept_at is not None and run.now - swept_at > _AWAY:
        await liveness.restart_watch(session, run.now - swept_at, now=run.now)
    await sweep_silent(session, now=run.now)


async def keep_heartbeat_days(session: AsyncSession, run: TickRun) -> None:
    await partitions.ensure(session, HEARTBEAT_TABLE, run.now, run.now + HEARTBEATS_AHEAD, HEARTBEAT_STEP)
    await partitions.drop_before(session, HEARTBEAT_TABLE, run.now - HEARTBEATS_KEPT)
