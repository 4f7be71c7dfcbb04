"""Writing the record: always in the transaction of what it records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import Table, insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.models import AuditEntry
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class Entry:
    """What an entry says. `before` and `after` hold plain JSON values and no secret."""

    action: Action
    entity_type: str
    entity_id: object | None = None
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str | None = None
    tenant_id: UUID | None = None


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
    """Add one entry."""
    entry = Entry(action, entity_type, entity_id, before, after, reason, tenant_id)
    await record_many(session, actor, [entry], now=now)


async def record_many(session: AsyncSession, actor: Actor, entries: Iterable[Entry], *, now: datetime) -> None:
    """Add many entries in one round trip: a sweep over thousands of things must not wait for each of them."""
    rows = [
        {
            "id": new_id(),
            "at": now,
            "tenant_id": entry.tenant_id,
            "actor_kind": actor.kind.value,
            "actor_id": actor.id,
            "action": entry.action.value,
            "entity_type": entry.entity_type,
            "entity_id": None if entry.entity_id is None else str(entry.entity_id),
            "before": None if entry.before is None else dict(entry.before),
            "after": None if entry.after is None else dict(entry.after),
            "reason": entry.reason,
            "request_id": actor.request_id,
            "address": actor.address,
        }
        for entry in entries
    ]
    if rows:
        # of the table, not of the model: that one would leave empty columns out, and a statement would tell them
        await session.execute(insert(cast("Table", AuditEntry.__table__)), rows)
