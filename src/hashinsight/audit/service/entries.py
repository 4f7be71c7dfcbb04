"""Recording entries, always in the transaction of what they record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.queries.entries import insert_entries
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class Entry:
    """`before` and `after` have plain JSON values and no secrets: the domain removes them before it records."""

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
    """Add many entries in one statement."""
    kind = actor.kind.value
    rows = [
        {
            "id": new_id(),
            "at": now,
            "tenant_id": entry.tenant_id,
            "actor_kind": kind,
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
    await insert_entries(session, rows)
