"""Collectors: read within a scope, and moved between states."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, case, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, CollectorEvent
from hashinsight.collectors.states import REGISTRATION_OPEN, EventStatus, Severity, Status
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, page


def in_scope(scope: Scope) -> ColumnElement[bool]:
    return within(scope, Columns(Collector.tenant_id, Collector.site_id, Collector.zone_id))


async def list_collectors(
    session: AsyncSession,
    scope: Scope,
    *,
    site_id: int | None = None,
    status: Status | None = None,
    limit: int,
    cursor: str | None = None,
) -> Page:
    """Rows of collector and site code, oldest first."""
    query = select(Collector, Site.code).join(Site, Site.id == Collector.site_id).where(in_scope(scope))
    if site_id is not None:
        query = query.where(Collector.site_id == site_id)
    if status is not None:
        query = query.where(Collector.status == status.value)
    return await page(session, query, [Collector.id], limit=limit, cursor=cursor)


async def list_of_installation(session: AsyncSession, *, site_id: int | None = None) -> Sequence[Any]:
    """Rows of collector and site code, of all tenants that the transaction sees, by site and name."""
    query = select(Collector, Site.code).join(Site, Site.id == Collector.site_id).order_by(Site.code, Collector.name)
    if site_id is not None:
        query = query.where(Collector.site_id == site_id)
    return (await session.execute(query)).all()


async def list_summaries(
    session: AsyncSession, scope: Scope, *, site_id: int | None = None, limit: int, cursor: str | None = None
) -> Page:
    """Rows of collector, site code and its open events by severity, oldest collector first."""
    counts = (
        select(
            CollectorEvent.collector_id,
            *(
                func.count(case((CollectorEvent.severity == severity.value, 1))).label(f"open_{severity.value}")
                for severity in Severity
            ),
        )
        .where(CollectorEvent.status == EventStatus.OPEN.value)
        .group_by(CollectorEvent.collector_id)
        .subquery()
    )
    query = (
        select(Collector, Site.code, *(func.coalesce(counts.c[f"open_{severity.value}"], 0) for severity in Severity))
        .join(Site, Site.id == Collector.site_id)
        .outerjoin(counts, counts.c.collector_id == Collector.id)
        .where(in_scope(scope))
    )
    if site_id is not None:
        query = query.where(Collector.site_id == site_id)
    return await page(session, query, [Collector.id], limit=limit, cursor=cursor)


async def find_collector(
    session: AsyncSession, collector_id: UUID, scope: Scope | None = None, *, lock: bool = False
) -> Collector | None:
    """Without a scope only for callers that have none: jobs, and a collector itself."""
    query = select(Collector).where(Collector.id == collector_id)
    if scope is not None:
        query = query.where(in_scope(scope))
    if lock:
        query = query.with_for_update()
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()


async def get_collector(
    session: AsyncSession, collector_id: UUID, scope: Scope | None = None, *, lock: bool = False
) -> Collector:
    collector = await find_collector(session, collector_id, scope, lock=lock)
    if collector is None:
        raise NotFound("no such collector")
    return collector


async def list_by_name(session: AsyncSession, name: str) -> Sequence[Collector]:
    """Of all sites that the transaction sees: names are unique within a site."""
    return (await session.execute(select(Collector).where(Collector.name == name))).scalars().all()


async def list_names(session: AsyncSession, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = await session.execute(select(Collector.id, Collector.name).where(Collector.id.in_(ids)))
    return {row.id: row.name for row in rows}


async def get_site_code(session: AsyncSession, site_id: int) -> str:
    return (await session.execute(select(Site.code).where(Site.id == site_id))).scalar_one()


async def move_status(
    session: AsyncSession, collector_id: UUID, from_: Sequence[Status], to: Status, *, now: datetime
) -> bool:
    """False: it was in another state."""
    values: dict[str, Any] = {"status": to.value, "updated_at": now}
    if to is Status.ACTIVE:
        values["watched_from"] = now
    if Status.PENDING in from_ and to is Status.ACTIVE:
        values["registration_open_until"] = now + REGISTRATION_OPEN
    moved = await session.execute(
        update(Collector)
        .where(Collector.id == collector_id, Collector.status.in_([status.value for status in from_]))
        .values(**values)
        .returning(Collector.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


def owner_columns(collector: Collector) -> dict[str, Any]:
    """The columns that say whose a token or key is."""
    return {"tenant_id": collector.tenant_id, "site_id": collector.site_id, "collector_id": collector.id}
