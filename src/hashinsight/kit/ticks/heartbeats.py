"""Heartbeats of workers and schedulers, so that `doctor` and `/readyz` can name a missing one."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import structlog
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.clock import Clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks.models import ProcessBeat

log = structlog.get_logger(__name__)

EVERY_SECONDS = 5.0
MISSING_AFTER = timedelta(seconds=30)
FORGET_AFTER = timedelta(days=1)


@asynccontextmanager
async def heartbeat(database: Database, process: str, clock: Clock) -> AsyncIterator[None]:
    """Writes heartbeats of this process while the block runs."""
    started_at = clock()
    me = {"process": process, "host": socket.gethostname(), "pid": os.getpid()}

    async def beat() -> None:
        while True:
            try:
                async with database.transaction(job_context(work_seconds=10)) as session:
                    await _upsert(session, me, started_at=started_at, seen_at=clock())
            except (SQLAlchemyError, OSError) as error:
                log.warning("heartbeat_failed", error=str(error))
            await asyncio.sleep(EVERY_SECONDS)

    beats = asyncio.create_task(beat())
    try:
        yield
    finally:
        beats.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beats
        with contextlib.suppress(SQLAlchemyError, OSError):
            async with database.transaction(job_context(work_seconds=10)) as session:
                await session.execute(delete(ProcessBeat).filter_by(**me))


async def list_live_processes(session: AsyncSession, *, now: datetime) -> Sequence[ProcessBeat]:
    """Processes with a recent heartbeat."""
    alive = select(ProcessBeat).where(ProcessBeat.seen_at > now - MISSING_AFTER)
    return (await session.execute(alive.order_by(ProcessBeat.process, ProcessBeat.pid))).scalars().all()


async def delete_old_heartbeats(session: AsyncSession, *, now: datetime) -> None:
    await session.execute(delete(ProcessBeat).where(ProcessBeat.seen_at < now - FORGET_AFTER))


async def _upsert(session: AsyncSession, me: dict[str, object], *, started_at: datetime, seen_at: datetime) -> None:
    values = {"started_at": started_at, "seen_at": seen_at}
    await session.execute(
        insert(ProcessBeat)
        .values(**me, **values)
        .on_conflict_do_update(index_elements=["process", "host", "pid"], set_=values)
    )
