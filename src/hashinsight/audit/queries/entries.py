"""Searching entries: filters that the indexes serve, and the lines of an export."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, ColumnElement, Select, literal_column, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.models import DENSE, RARE, AuditEntry
from hashinsight.audit.queries.seals import LINE
from hashinsight.kit.paging import Page, page

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
