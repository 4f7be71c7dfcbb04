"""Collectors and where they stand: reading them within a scope, and moving their state."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import case, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, CollectorEvent
from hashinsight.collectors.states import REGISTRATION_OPEN, EventStatus, Severity, Status
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.queries.tables import Site


def in_scope(scope: Scope) -> Any:
    return within(scope, Columns(Collector.tenant_id, Collector.site_id, Collector.zone_id))


def select_collectors(scope: Scope) -> Any:
    return select(Collector, Site.code).join(Site, Site.id == Collector.site_id).where(in_scope(scope))


async def find_collector(
    session: AsyncSession, collector_id: UUID, scope: Scope | None = None, *, lock: bool = False
) -> Collector | None:
    """Without a scope only for those who have none: jobs, and a collector that asks about itself."""
    query = select(Collector).where(Collector.id == collector_id)
    if scope is not None:
        query = query.where(in_scope(scope))
    if lock:
        query = query.with_for_update()
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()


async def get_site_code(session: AsyncSession, site_id: int) -> str:
    return (await session.execute(select(Site.code).where(Site.id == site_id))).scalar_one()


async def move_status(
    session: AsyncSession, collector_id: UUID, from_: Sequence[Status], to: Status, *, now: datetime
) -> bool:
    """False: it was in another state by then."""
    values: dict[str, Any] = {"status": to.value, "updated_at": now}
    if to is Status.ACTIVE:
        values["watched_from"] = now
    if Status.PENDING in from_ and to is Status.ACTIVE:
        values["registration_open_until"] = now + REGISTRATION_OPEN
    moved = await session.execute(
        update(Collector)
        .where(Collector.id == collector_id, Collector.status.in_([one.value for one in from_]))
        .values(**values)
        .returning(Collector.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


def select_summary(scope: Scope) -> Any:
    """One row a collector: itself, its site's code, and its open events by severity."""
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
    shown = [func.coalesce(counts.c[f"open_{severity.value}"], 0) for severity in Severity]
    return (
        select(Collector, Site.code, *shown)
        .join(Site, Site.id == Collector.site_id)
        .outerjoin(counts, counts.c.collector_id == Collector.id)
        .where(in_scope(scope))
    )
