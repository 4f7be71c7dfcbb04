"""Configurations: which one a collector should run, and which one it runs."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, any_, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, CollectorConfig
from hashinsight.collectors.queries.registry import in_scope
from hashinsight.collectors.states import DEFAULT_CONFIG, DEFAULT_VERSION, ConfigStatus
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.ids import new_id
from hashinsight.kit.paging import Page, page


def _lists(collector_id: Any) -> Any:
    return any_(CollectorConfig.collector_ids) == collector_id


def _applies(tenant_id: Any, collector_id: Any) -> ColumnElement[bool]:
    return and_(
        CollectorConfig.tenant_id == tenant_id,
        CollectorConfig.status == ConfigStatus.ACTIVE.value,
        or_(CollectorConfig.collector_ids.is_(None), _lists(collector_id)),
    )


def _wanted(tenant_id: Any, collector_id: Any) -> Select[CollectorConfig]:
    """The active one that applies: for listed collectors before for all, the default last, newest first."""
    return (
        select(CollectorConfig)
        .where(_applies(tenant_id, collector_id))
        .order_by(
            CollectorConfig.collector_ids.is_(None),
            CollectorConfig.is_default,
            CollectorConfig.activated_at.desc(),
            CollectorConfig.id.desc(),
        )
        .limit(1)
    )


async def find_wanted(session: AsyncSession, collector: Collector) -> CollectorConfig | None:
    return (await session.execute(_wanted(collector.tenant_id, collector.id))).scalar()


async def find_version(session: AsyncSession, tenant_id: UUID, version: str) -> CollectorConfig | None:
    """For all collectors, or for one that the transaction sees: versions of other sites stay hidden."""
    is_seen = select(Collector.id).where(_lists(Collector.id)).exists()
    query = select(CollectorConfig).where(
        CollectorConfig.tenant_id == tenant_id,
        CollectorConfig.version == version,
        or_(CollectorConfig.collector_ids.is_(None), is_seen),
    )
    return (await session.execute(query)).scalar()


async def is_applicable(session: AsyncSession, config: CollectorConfig, collector: Collector) -> bool:
    """Whether it is active and applies to this collector."""
    query = select(CollectorConfig.id).where(
        CollectorConfig.id == config.id, _applies(collector.tenant_id, collector.id)
    )
    return (await session.execute(query)).scalar() is not None


async def list_rollout(
    session: AsyncSession,
    scope: Scope,
    *,
    site_id: int | None = None,
    only_behind: bool = False,
    limit: int,
    cursor: str | None = None,
) -> Page:
    """Rows of collector, site code and wanted version; `only_behind`: those that run another version."""
    wanted = _wanted_version()
    query = select(Collector, Site.code, wanted).join(Site, Site.id == Collector.site_id).where(in_scope(scope))
    if site_id is not None:
        query = query.where(Collector.site_id == site_id)
    if only_behind:
        query = query.where(Collector.config_version.is_distinct_from(wanted))
    return await page(session, query, [Collector.id], limit=limit, cursor=cursor)


async def list_configs(
    session: AsyncSession,
    scope: Scope,
    *,
    status: ConfigStatus | None = None,
    limit: int,
    cursor: str | None = None,
) -> Page:
    """Oldest first."""
    query = select(CollectorConfig).where(_visible(scope))
    if status is not None:
        query = query.where(CollectorConfig.status == status.value)
    return await page(session, query, [CollectorConfig.id], limit=limit, cursor=cursor)


def _wanted_version() -> Any:
    wanted = _wanted(Collector.tenant_id, Collector.id).with_only_columns(CollectorConfig.version)
    return wanted.correlate(Collector).scalar_subquery()


def _visible(scope: Scope) -> ColumnElement[bool]:
    """For all collectors, or for one within the scope."""
    own = CollectorConfig.tenant_id == scope.tenant_id
    if scope.is_whole:
        return own
    named = select(Collector.id).where(in_scope(scope), _lists(Collector.id)).exists()
    return own & or_(CollectorConfig.collector_ids.is_(None), named)


async def find_config(session: AsyncSession, scope: Scope, config_id: UUID) -> CollectorConfig | None:
    query = select(CollectorConfig).where(CollectorConfig.id == config_id, _visible(scope))
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()


async def list_visible_ids(session: AsyncSession, scope: Scope, ids: list[UUID]) -> set[UUID]:
    return set((await session.execute(select(Collector.id).where(Collector.id.in_(ids), in_scope(scope)))).scalars())


async def insert_default(session: AsyncSession, tenant_id: UUID, *, now: datetime) -> UUID | None:
    """The tenant's first configuration; None if it has one."""
    inserted = await session.execute(
        insert(CollectorConfig)
        .values(
            id=new_id(),
            tenant_id=tenant_id,
            version=DEFAULT_VERSION,
            data=DEFAULT_CONFIG,
            status=ConfigStatus.ACTIVE.value,
            is_default=True,
            change_summary="default",
            created_at=now,
            created_by="system",
            activated_at=now,
            activated_by="system",
        )
        .on_conflict_do_nothing()
        .returning(CollectorConfig.id)
    )
    return inserted.scalar()


async def clear_default(session: AsyncSession, tenant_id: UUID) -> None:
    await session.execute(
        update(CollectorConfig)
        .where(
            CollectorConfig.tenant_id == tenant_id,
            CollectorConfig.is_default,
            CollectorConfig.status == ConfigStatus.ACTIVE.value,
        )
        .values(is_default=False)
        .execution_options(synchronize_session=False)
    )


async def move_activated(session: AsyncSession, config_id: UUID, by: str, *, now: datetime) -> bool:
    moved = await session.execute(
        update(CollectorConfig)
        .where(CollectorConfig.id == config_id, CollectorConfig.status == ConfigStatus.DRAFT.value)
        .values(status=ConfigStatus.ACTIVE.value, activated_at=now, activated_by=by)
        .returning(CollectorConfig.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None


async def move_deprecated(session: AsyncSession, config_id: UUID, by: str, *, now: datetime) -> bool:
    """Not the default: collectors fall back to it."""
    moved = await session.execute(
        update(CollectorConfig)
        .where(
            CollectorConfig.id == config_id,
            CollectorConfig.status == ConfigStatus.ACTIVE.value,
            CollectorConfig.is_default.is_(False),
        )
        .values(status=ConfigStatus.DEPRECATED.value, deprecated_at=now, deprecated_by=by)
        .returning(CollectorConfig.id)
        .execution_options(synchronize_session=False)
    )
    return moved.first() is not None
