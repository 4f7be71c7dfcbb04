"""Collector events: inserted once, listed within a scope, moved by guarded updates."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import CollectorEvent
from hashinsight.collectors.states import OFFLINE, EventStatus, Source
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.paging import Page, page

_SYSTEM = "system"


async def insert_events(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> int:
    """Returns how many were new: repeated reports are ignored."""
    inserted = await session.execute(
        insert(CollectorEvent)
        .on_conflict_do_nothing(
            index_elements=["collector_id", "reported_id"], index_where=text("reported_id is not null")
        )
        .values(list(rows))
        .returning(CollectorEvent.id)
    )
    return len(inserted.all())


async def has_recent_event(
    session: AsyncSession, collector_id: UUID, kind: str, detail: tuple[str, str] | None = None, *, since: datetime
) -> bool:
    """Whether the server opened such an event since then; `detail`: name and value that it must have."""
    query = select(CollectorEvent.id).where(
        CollectorEvent.collector_id == collector_id,
        CollectorEvent.kind == kind,
        CollectorEvent.source == Source.CLOUD.value,
        CollectorEvent.at > since,
    )
    if detail is not None:
        query = query.where(CollectorEvent.details[detail[0]].as_string() == detail[1])
    return (await session.execute(query.limit(1))).scalar() is not None


def _in_scope(scope: Scope) -> ColumnElement[bool]:
    return within(scope, Columns(CollectorEvent.tenant_id, CollectorEvent.site_id, CollectorEvent.zone_id))


async def list_events(
    session: AsyncSession, scope: Scope, filters: Mapping[str, Any], *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first. `filters`: values of site_id, collector_id, status, severity, kind; None: any."""
    query = select(CollectorEvent).where(_in_scope(scope))
    for name, value in filters.items():
        if value is not None:
            query = query.where(getattr(CollectorEvent, name) == value)
    key = [CollectorEvent.at, CollectorEvent.id]
    return await page(session, query, key, limit=limit, cursor=cursor, descending=True)


async def find_tenant_of_event(session: AsyncSession, event_id: UUID) -> UUID | None:
    """For the command line, which sees all tenants."""
    return (await session.execute(select(CollectorEvent.tenant_id).where(CollectorEvent.id == event_id))).scalar()


async def find_event(session: AsyncSession, scope: Scope, event_id: UUID) -> CollectorEvent | None:
    query = select(CollectorEvent).where(_in_scope(scope), CollectorEvent.id == event_id)
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()


async def move_acknowledged(session: AsyncSession, event_id: UUID, by: str, *, now: datetime) -> bool:
    moved = await session.execute(
        update(CollectorEvent)
        .where(CollectorEvent.id == event_id, CollectorEvent.status == EventStatus.OPEN.value)
        .values(status=EventStatus.ACKNOWLEDGED.value, acknowledged_at=now, acknowledged_by=by)
        .returning(CollectorEvent.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


async def move_resolved(session: AsyncSession, event_id: UUID, by: str, *, now: datetime) -> bool:
    moved = await session.execute(
        update(CollectorEvent)
        .where(CollectorEvent.id == event_id, CollectorEvent.status != EventStatus.RESOLVED.value)
        .values(status=EventStatus.RESOLVED.value, resolved_at=now, resolved_by=by)
        .returning(CollectorEvent.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


async def move_offline_resolved(session: AsyncSession, collector_id: UUID, *, now: datetime) -> int:
    """Resolve the `offline` events of a collector that is back or disabled; returns how many."""
    moved = await session.execute(
        update(CollectorEvent)
        .where(
            CollectorEvent.collector_id == collector_id,
            CollectorEvent.kind == OFFLINE,
            CollectorEvent.source == Source.CLOUD.value,
            CollectorEvent.status != EventStatus.RESOLVED.value,
        )
        .values(status=EventStatus.RESOLVED.value, resolved_at=now, resolved_by=_SYSTEM)
        .returning(CollectorEvent.id)
        .execution_options(synchronize_session=False)
    )
    return len(moved.all())
