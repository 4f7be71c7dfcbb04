"""Writing the record: always in the transaction of what it records."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.models import AuditEntry
from hashinsight.kit.ids import new_id


async def record(
    session: AsyncSession,
    actor: Actor,
    action: Action,
    entity_type: str,
    entity_id: object | None = None,
    *,
    tenant_id: UUID | None,
    now: datetime,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Add one entry. `before` and `after` hold plain JSON values and no secret."""
    await session.execute(
        insert(AuditEntry).values(
            id=new_id(),
            at=now,
            tenant_id=tenant_id,
            actor_kind=actor.kind.value,
            actor_id=actor.id,
            action=action.value,
            entity_type=entity_type,
            entity_id=None if entity_id is None else str(entity_id),
            before=None if before is None else dict(before),
            after=None if after is None else dict(after),
            reason=reason,
            request_id=actor.request_id,
            address=actor.address,
        )
    )
