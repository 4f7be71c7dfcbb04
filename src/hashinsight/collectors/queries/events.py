"""Collector events: stored once each, listed within a scope, moved by guarded updates."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import CollectorEvent
from hashinsight.collectors.states import OFFLINE, EventStatus, Source
from hashinsight.identity.scope import Columns, Scope, within

_SYSTEM = "system"


async def insert_events(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> int:
    """Says how many were new: a report that came before is passed over."""
    stored = await session.execute(
        insert(CollectorEvent)
        .on_conflict_do_nothing(
            index_elements=["collector_id", "reported_id"], index_where=text("reported_id is not null")
        )
        .values(list(rows))
        .returning(CollectorEvent.id)
    )
    return len(stored.all())


async def has_recent_event(
    session: AsyncSession, collector_id: UUID, kind: str, detail: tuple[str, str] | None = None, *, since: datetime
) -> bool:
    """Whether we ourselves told this of the collector since then; with this detail, name and value, if one is given."""
    query = select(CollectorEvent.id).where(
        CollectorEvent.collector_id == collector_id,
        CollectorEvent.kind == kind,
        CollectorEvent.source == Source.CLOUD.value,
        CollectorEvent.at > since,
    )
    if detail is not None:
        query = query.where(CollectorEvent.details[detail[0]].as_string() == detail[1])
    return (await session.execute(query.limit(1))).scalar() is not None


def in_scope(scope: Scope) -> Any:
    return within(scope, Columns(CollectorEvent.tenant_id, CollectorEvent.site_id, CollectorEvent.zone_id))


def select_events(scope: Scope) -> Select[CollectorEvent]:
    return select(CollectorEvent).where(in_scope(scope))


async def find_event(session: AsyncSession, scope: Scope, event_id: UUID) -> CollectorEvent | None:
    query = select_events(scope).where(CollectorEvent.id == event_id)
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
    """It is back, or not waited for any more: our own `offline` events of it are over. Says how many."""
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
