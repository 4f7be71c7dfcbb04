"""Entries of the audit log: inserted, searched by filters that the indexes serve, and the lines of an export."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import msgspec
from sqlalchemy import Boolean, ColumnElement, Select, Table, insert, literal_column, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.models import DENSE, RARE, AuditEntry
from hashinsight.audit.queries.seals import LINE
from hashinsight.kit.paging import Page, page

_COLUMNS = (
    *("id", "at", "tenant_id", "actor_kind", "actor_id", "action", "entity_type", "entity_id"),
    *("before", "after", "reason", "request_id", "address"),
)
_TYPES = {"id": "uuid", "at": "timestamptz", "tenant_id": "uuid", "before": "jsonb", "after": "jsonb"}
_TYPED_COLUMNS = ", ".join(f"{name} {_TYPES.get(name, 'text')}" for name in _COLUMNS)
# for the few hot statements that write their audit entries themselves, with values in this order
INSERT_AUDIT_LOG = f"insert into audit_log ({', '.join(_COLUMNS)})"
_INSERT_MANY = text(f"""
{INSERT_AUDIT_LOG}
select {", ".join(_COLUMNS)}
from json_to_recordset(cast(:rows as json)) as r ({_TYPED_COLUMNS})
""")  # noqa: S608 - our own columns
_ROWS = 10_000

ORDER = (AuditEntry.at, AuditEntry.id)
_LINE: ColumnElement[str] = literal_column(LINE.as_string())


@dataclass(frozen=True)
class AuditFilter:
    entity_type: str | None = None
    entity_id: str | None = None
    actor: str | None = None
    action: Action | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        columns = (
            (AuditEntry.entity_type, self.entity_type),
            (AuditEntry.entity_id, self.entity_id),
            (AuditEntry.actor_id, self.actor),
            (AuditEntry.action, self.action and self.action.value),
        )
        conditions = [column == value for column, value in columns if value is not None]
        if self.action is not None and self.action not in DENSE:
            conditions.append(literal_column(RARE, Boolean))
        if self.since is not None:
            conditions.append(AuditEntry.at >= self.since)
        if self.until is not None:
            conditions.append(AuditEntry.at < self.until)
        return conditions

    def given(self) -> dict[str, str]:
        """The filters that are set, for the audit entry of an export."""
        return {name: str(value) for name, value in vars(self).items() if value is not None}


async def insert_entries(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> None:
    if len(rows) == 1:
        # into the table: by the model, columns that are None would be left out, and statements would differ
        await session.execute(insert(cast("Table", AuditEntry.__table__)), rows)
        return
    for start in range(0, len(rows), _ROWS):
        part = msgspec.json.encode(rows[start : start + _ROWS]).decode()
        await session.execute(_INSERT_MANY, {"rows": part})


def select_entries(tenant_id: UUID, filters: AuditFilter) -> Select[AuditEntry]:
    return select(AuditEntry).where(AuditEntry.tenant_id == tenant_id, *filters.conditions())


async def list_entries(
    session: AsyncSession, tenant_id: UUID, filters: AuditFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first."""
    query = select_entries(tenant_id, filters)
    return await page(session, query, ORDER, limit=limit, cursor=cursor, descending=True)


async def list_entity_entries(
    session: AsyncSession, tenant_id: UUID, entity_type: str, entity_id: object, *, limit: int | None = None
) -> Sequence[AuditEntry]:
    """What happened to one command, problem, user …, oldest first."""
    query = select_entries(tenant_id, AuditFilter(entity_type, str(entity_id))).order_by(*ORDER).limit(limit)
    return (await session.execute(query)).scalars().all()


async def list_lines(
    session: AsyncSession, tenant_id: UUID, filters: AuditFilter, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Any]:
    """Entries as the lines that were sealed, oldest first, after a key of time and id."""
    query = select(AuditEntry.at, AuditEntry.id, _LINE.label("line"))
    query = query.where(AuditEntry.tenant_id == tenant_id, *filters.conditions())
    if after is not None:
        query = query.where(tuple_(*ORDER) > after)
    return (await session.execute(query.order_by(*ORDER).limit(limit))).all()
