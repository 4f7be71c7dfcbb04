"""Writing the record: always in the transaction of what it records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import msgspec
from sqlalchemy import Table, insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.models import AuditEntry
from hashinsight.kit.ids import new_id

_TYPES = {"id": "uuid", "at": "timestamptz", "tenant_id": "uuid", "before": "jsonb", "after": "jsonb"}
_NAMES = (
    *("id", "at", "tenant_id", "actor_kind", "actor_id", "action", "entity_type", "entity_id"),
    *("before", "after", "reason", "request_id", "address"),
)
_LISTED = ", ".join(_NAMES)
_TYPED = ", ".join(f"{name} {_TYPES.get(name, 'text')}" for name in _NAMES)
_MANY = text(
    f"insert into audit_log ({_LISTED}) select {_LISTED}"  # noqa: S608 - our own columns
    f" from json_to_recordset(cast(:rows as json)) as r ({_TYPED})"
)
_AT_ONCE = 10_000
# For the few statements that are too hot for a second one: what they write, they record themselves, in this order.
INSERT_AUDIT_LOG = f"insert into audit_log ({_LISTED})"


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
    """Add many entries in one statement: a sweep over thousands of things must not wait for each of them."""
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
    if len(rows) == 1:
        # of the table, not of the model: that one would leave empty columns out, and a statement would tell them
        await session.execute(insert(cast("Table", AuditEntry.__table__)), rows)
        return
    for start in range(0, len(rows), _AT_ONCE):
        part = msgspec.json.encode(rows[start : start + _AT_ONCE]).decode()
        await session.execute(_MANY, {"rows": part})
