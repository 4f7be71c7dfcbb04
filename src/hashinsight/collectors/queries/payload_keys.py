"""Payload keys, sealed: of one collector, inside tenant and site."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, PayloadKey
from hashinsight.kit.ids import new_id


async def list_good(session: AsyncSession, collector_id: UUID, *, now: datetime) -> Sequence[bytes]:
    """The newest first."""
    query = (
        select(PayloadKey.sealed)
        .where(
            PayloadKey.collector_id == collector_id,
            or_(PayloadKey.good_until.is_(None), PayloadKey.good_until > now),
        )
        .order_by(PayloadKey.created_at.desc(), PayloadKey.id.desc())
    )
    return (await session.execute(query)).scalars().all()


async def insert_key(session: AsyncSession, collector: Collector, sealed: bytes, *, now: datetime) -> None:
    owner = {"tenant_id": collector.tenant_id, "site_id": collector.site_id, "collector_id": collector.id}
    await session.execute(insert(PayloadKey).values(id=new_id(), **owner, sealed=sealed, created_at=now))


async def move_expiring(session: AsyncSession, collector_id: UUID, *, until: datetime) -> int:
    """Cut the life of every key that would outlive `until`; says how many."""
    moved = await session.execute(
        update(PayloadKey)
        .where(
            PayloadKey.collector_id == collector_id,
            or_(PayloadKey.good_until.is_(None), PayloadKey.good_until > until),
        )
        .values(good_until=until)
        .returning(PayloadKey.id)
        .execution_options(synchronize_session=False)
    )
    return len(moved.all())


async def delete_keys(session: AsyncSession, collector_id: UUID, *, gone_by: datetime | None = None) -> int:
    """All of them, or those that are good no more; says how many."""
    gone = delete(PayloadKey).where(PayloadKey.collector_id == collector_id)
    if gone_by is not None:
        gone = gone.where(PayloadKey.good_until <= gone_by)
    return len((await session.execute(gone.returning(PayloadKey.id))).all())
