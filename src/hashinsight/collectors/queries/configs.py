"""Configurations: which one a collector should run, and who runs what."""

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


def _lists(collector_id: Any) -> Any:
    return any_(CollectorConfig.collector_ids) == collector_id


def _applies(tenant_id: Any, collector_id: Any) -> ColumnElement[bool]:
    return and_(
        CollectorConfig.tenant_id == tenant_id,
        CollectorConfig.status == ConfigStatus.ACTIVE.value,
        or_(CollectorConfig.collector_ids.is_(None), _lists(collector_id)),
    )


def _wanted(tenant_id: Any, collector_id: Any) -> Select[CollectorConfig]:
    """Active ones that apply: listed before all, the default last, the newest first."""
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
    """One that is for all, or for a collector that the transaction sees: other sites' versions are not told."""
    seen = select(Collector.id).where(_lists(Collector.id)).exists()
    query = select(CollectorConfig).where(
        CollectorConfig.tenant_id == tenant_id,
        CollectorConfig.version == version,
        or_(CollectorConfig.collector_ids.is_(None), seen),
    )
    return (await session.execute(query)).scalar()


async def is_applicable(session: AsyncSession, config: CollectorConfig, collector: Collector) -> bool:
    """Whether it is active and for this collector."""
    query = select(CollectorConfig.id).where(
        CollectorConfig.id == config.id, _applies(collector.tenant_id, collector.id)
    )
    return (await session.execute(query)).scalar() is not None


def select_rollout(scope: Scope) -> Any:
    """Collectors with their site's code and the version that each should run."""
    return (
        select(Collector, Site.code, _wanted_version()).join(Site, Site.id == Collector.site_id).where(in_scope(scope))
    )


def is_behind() -> ColumnElement[bool]:
    """Those that do not run what they should."""
    return Collector.config_version.is_distinct_from(_wanted_version())


def _wanted_version() -> Any:
    wanted = _wanted(Collector.tenant_id, Collector.id).with_only_columns(CollectorConfig.version)
    return wanted.correlate(Collector).scalar_subquery()


def visible(scope: Scope) -> ColumnElement[bool]:
    """Those for all, and those that name a collector inside the scope."""
    own = CollectorConfig.tenant_id == scope.tenant_id
    if scope.is_whole:
        return own
    named = select(Collector.id).where(in_scope(scope), _lists(Collector.id)).exists()
    return own & or_(CollectorConfig.collector_ids.is_(None), named)


async def find_config(session: AsyncSession, scope: Scope, config_id: UUID) -> CollectorConfig | None:
    query = select(CollectorConfig).where(CollectorConfig.id == config_id, visible(scope))
    return (await session.execute(query.execution_options(populate_existing=True))).scalar()


async def list_visible_ids(session: AsyncSession, scope: Scope, ids: list[UUID]) -> set[UUID]:
    return set((await session.execute(select(Collector.id).where(Collector.id.in_(ids), in_scope(scope)))).scalars())


async def insert_default(session: AsyncSession, tenant_id: UUID, *, now: datetime) -> UUID | None:
    """The tenant's first configuration; None when it has one."""
    made = await session.execute(
        insert(CollectorConfig)
        .values(
            id=new_id(),
            tenant_id=tenant_id,
            version=DEFAULT_VERSION,
            data=DEFAULT_CONFIG,
            status=ConfigStatus.ACTIVE.value,
            is_default=True,
            change_summary="the default",
            created_at=now,
            created_by="system",
            activated_at=now,
            activated_by="system",
        )
        .on_conflict_do_nothing()
        .returning(CollectorConfig.id)
    )
    return made.scalar()


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
    """The default stays: something must be left to fall back on."""
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
