"""Heartbeats: written into the day's partition, read newest first."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.kinds import HEARTBEAT_STEP
from hashinsight.collectors.models import Collector, Heartbeat
from hashinsight.kit.db import partitions

TABLE = Heartbeat.__tablename__


async def insert_heartbeat(session: AsyncSession, values: dict[str, Any], *, now: datetime) -> None:
    # the tick makes days ahead; without it, a heartbeat is still no reason to fail
    await partitions.ensure(session, TABLE, now, now, HEARTBEAT_STEP)
    await session.execute(insert(Heartbeat).values(**values))


async def update_reported(session: AsyncSession, collector_id: UUID, values: dict[str, Any], *, now: datetime) -> None:
    """What the newest heartbeat said, beside the collector. An older one that comes late changes nothing."""
    await session.execute(
        update(Collector)
        .where(
            Collector.id == collector_id, (Collector.last_heartbeat_at.is_(None)) | (Collector.last_heartbeat_at <= now)
        )
        .values(last_heartbeat_at=now, **values)
        .execution_options(synchronize_session=False)
    )


def select_heartbeats(collector_id: UUID, since: datetime | None, until: datetime | None) -> Select[Any]:
    query = select(Heartbeat).where(Heartbeat.collector_id == collector_id)
    if since is not None:
        query = query.where(Heartbeat.at >= since)
    if until is not None:
        query = query.where(Heartbeat.at < until)
    return query
