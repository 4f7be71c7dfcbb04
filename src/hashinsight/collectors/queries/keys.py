"""Keys of one collector, encrypted: payload keys and signing keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, PayloadKey, SigningKey
from hashinsight.collectors.queries.registry import owner_columns
from hashinsight.kit.db.pipeline import PipelineStatement
from hashinsight.kit.ids import new_id

# read with every poll that leases commands: a revoked key signs nothing from then on
_SIGNER = text("""
select c.signs_commands, k.key_id, k.algorithm, k.sealed
from collectors c
left join lateral (
    select key_id, algorithm, sealed
    from collector_signing_keys
    where collector_id = c.id and revoked_at is null and signs_from <= :now
    order by signs_from desc, created_at desc, key_id
    limit 1
) k on true
where c.id = :collector_id
""")


def signer_statement(collector_id: UUID, *, now: datetime) -> PipelineStatement:
    """Whether its commands are signed, and the key that took over last."""
    return _SIGNER, {"collector_id": collector_id, "now": now}


async def list_signing_keys(session: AsyncSession, collector_id: UUID) -> Sequence[SigningKey]:
    """All that it ever had, newest first."""
    query = (
        select(SigningKey)
        .where(SigningKey.collector_id == collector_id)
        .order_by(SigningKey.signs_from.desc(), SigningKey.created_at.desc(), SigningKey.key_id)
        .execution_options(populate_existing=True)
    )
    return (await session.execute(query)).scalars().all()


async def insert_signing_key(session: AsyncSession, collector: Collector, **values: Any) -> None:
    await session.execute(insert(SigningKey).values(**owner_columns(collector), **values))


async def move_signing_key_revoked(session: AsyncSession, collector_id: UUID, key_id: str, *, now: datetime) -> bool:
    """The secret is deleted with it. False: no such valid key."""
    moved = await session.execute(
        update(SigningKey)
        .where(SigningKey.collector_id == collector_id, SigningKey.key_id == key_id, SigningKey.revoked_at.is_(None))
        .values(revoked_at=now, sealed=None)
        .returning(SigningKey.key_id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


async def list_valid_payload_keys(session: AsyncSession, collector_id: UUID, *, now: datetime) -> Sequence[bytes]:
    """Newest first."""
    query = (
        select(PayloadKey.sealed)
        .where(
            PayloadKey.collector_id == collector_id,
            or_(PayloadKey.good_until.is_(None), PayloadKey.good_until > now),
        )
        .order_by(PayloadKey.created_at.desc(), PayloadKey.id.desc())
    )
    return (await session.execute(query)).scalars().all()


async def insert_payload_key(session: AsyncSession, collector: Collector, sealed: bytes, *, now: datetime) -> None:
    await session.execute(
        insert(PayloadKey).values(id=new_id(), **owner_columns(collector), sealed=sealed, created_at=now)
    )


async def move_payload_keys_expiring(session: AsyncSession, collector_id: UUID, *, until: datetime) -> int:
    """Shorten the validity of every key to `until`; returns how many."""
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


async def delete_payload_keys(session: AsyncSession, collector_id: UUID, *, expired_by: datetime | None = None) -> int:
    """All of them, or the expired ones; returns how many."""
    statement = delete(PayloadKey).where(PayloadKey.collector_id == collector_id)
    if expired_by is not None:
        statement = statement.where(PayloadKey.good_until <= expired_by)
    return len((await session.execute(statement.returning(PayloadKey.id))).all())
