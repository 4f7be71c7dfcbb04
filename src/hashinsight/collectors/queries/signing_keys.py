"""Signing keys, sealed: of one collector, inside tenant and site."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, SigningKey
from hashinsight.kit.db.pipeline import PipelineStatement

# asked with every poll that hands something out: a revoked key signs nothing from then on
_SIGNER = text(
    "select c.signs_commands, k.key_id, k.algorithm, k.sealed from collectors c left join lateral ("
    " select key_id, algorithm, sealed from collector_signing_keys where collector_id = c.id and revoked_at is null"
    " and signs_from <= :now order by signs_from desc, created_at desc, key_id limit 1"
    ") k on true where c.id = :collector_id"
)


def signer_statement(collector_id: UUID, *, now: datetime) -> PipelineStatement:
    """Whether its commands are signed, and by which key: of those whose time has come, the one that came last."""
    return _SIGNER, {"collector_id": collector_id, "now": now}


async def list_keys(session: AsyncSession, collector_id: UUID) -> Sequence[SigningKey]:
    """All that it ever had, the newest first."""
    query = (
        select(SigningKey)
        .where(SigningKey.collector_id == collector_id)
        .order_by(SigningKey.signs_from.desc(), SigningKey.created_at.desc(), SigningKey.key_id)
        .execution_options(populate_existing=True)
    )
    return (await session.execute(query)).scalars().all()


async def insert_key(session: AsyncSession, collector: Collector, **values: Any) -> None:
    owner = {"tenant_id": collector.tenant_id, "site_id": collector.site_id, "collector_id": collector.id}
    await session.execute(insert(SigningKey).values(**owner, **values))


async def move_revoked(session: AsyncSession, collector_id: UUID, key_id: str, *, now: datetime) -> bool:
    """The secret goes with it. False: there is no such key that is good."""
    moved = await session.execute(
        update(SigningKey)
        .where(SigningKey.collector_id == collector_id, SigningKey.key_id == key_id, SigningKey.revoked_at.is_(None))
        .values(revoked_at=now, sealed=None)
        .returning(SigningKey.key_id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None
