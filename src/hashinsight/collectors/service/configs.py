"""Configuration versions: draft, activate, deprecate; and the version that a collector reports."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.models import CollectorConfig
from hashinsight.collectors.queries import configs, registry
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.service.tokens import record_change
from hashinsight.collectors.states import CONFIG_CHANGED, CollectorPermission, ConfigStatus
from hashinsight.kit.errors import Conflict
from hashinsight.kit.ids import new_id
from hashinsight.wire.freshness import MAX_INTERVAL_SEC

_INTERVALS = {"collection_interval": "collection_interval_sec", "heartbeat_interval": "heartbeat_interval_sec"}


@dataclass(frozen=True)
class NewConfig:
    version: str
    data: Mapping[str, Any]
    collector_ids: tuple[UUID, ...] | None = None
    is_default: bool = False
    change_summary: str = ""


async def draft(
    session: AsyncSession, actor: Actor, tenant_id: UUID, new: NewConfig, *, now: datetime
) -> CollectorConfig:
    config = CollectorConfig(
        id=new_id(),
        tenant_id=tenant_id,
        version=new.version,
        data=dict(new.data),
        collector_ids=None if new.collector_ids is None else sorted(set(new.collector_ids)),
        status=ConfigStatus.DRAFT.value,
        is_default=new.is_default,
        change_summary=new.change_summary,
        created_at=now,
        created_by=actor.signature,
    )
    try:
        async with session.begin_nested():
            session.add(config)
            await session.flush()
    except IntegrityError as error:
        raise Conflict(f"configuration {new.version} already exists", code="VERSION_TAKEN") from error
    after = {"version": new.version, "is_default": new.is_default, "change_summary": new.change_summary}
    await _record(session, actor, Action.COLLECTOR_CONFIG_CREATED, config, after, now=now)
    return config


async def activate(session: AsyncSession, actor: Actor, config: CollectorConfig, *, now: datetime) -> None:
    """Draft → active. A new default replaces the old one, which stays active without being the default."""
    try:
        async with session.begin_nested():
            if config.is_default:
                await configs.clear_default(session, config.tenant_id)
            moved = await configs.move_activated(session, config.id, actor.signature, now=now)
    except IntegrityError as error:
        raise Conflict("another configuration became the default just now: try again") from error
    if not moved:
        raise Conflict("only a draft can be activated", details={"status": config.status})
    await _record(session, actor, Action.COLLECTOR_CONFIG_ACTIVATED, config, {"version": config.version}, now=now)


async def deprecate(session: AsyncSession, actor: Actor, config: CollectorConfig, *, now: datetime) -> None:
    """Active → deprecated: its collectors fall back to the next one that applies."""
    if not await configs.move_deprecated(session, config.id, actor.signature, now=now):
        raise Conflict(
            "only an active configuration that is not the default can be deprecated",
            details={"status": config.status, "is_default": config.is_default},
        )
    await _record(session, actor, Action.COLLECTOR_CONFIG_DEPRECATED, config, {"version": config.version}, now=now)


async def note_applied(session: AsyncSession, actor: Actor, collector_id: UUID, version: str, *, now: datetime) -> bool:
    """The collector reports this version; returns whether the version is known.

    Its intervals are taken only from an active version that applies to it.
    """
    collector = await registry.get_collector(session, collector_id, lock=True)
    known = await configs.find_version(session, collector.tenant_id, version)
    before = collector.config_version
    collector.config_applied_at = now
    intervals: dict[str, int] = {}
    if known is not None and CollectorPermission.CONFIG in collector.permissions:
        intervals = _intervals(known.data) if await configs.is_applicable(session, known, collector) else {}
    old_intervals = {column: getattr(collector, column) for column in intervals}
    for column, value in intervals.items():
        setattr(collector, column, value)
    if version != before:
        collector.config_version = version
        await open_event(
            session,
            collector,
            CONFIG_CHANGED,
            f"collector {collector.name} runs configuration {version}",
            details={"before": before, "after": version},
            now=now,
        )
    if version != before or old_intervals != intervals:
        collector.updated_at = now
        await record_change(
            session,
            actor,
            Action.COLLECTOR_CONFIG_APPLIED,
            collector,
            {"config_version": version, **intervals},
            before={"config_version": before, **old_intervals},
            now=now,
        )
    await session.flush()
    return known is not None


def _intervals(data: Mapping[str, Any]) -> dict[str, int]:
    intervals = {}
    for key, column in _INTERVALS.items():
        value = data.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_INTERVAL_SEC:
            intervals[column] = value
    return intervals


async def _record(
    session: AsyncSession,
    actor: Actor,
    action: Action,
    config: CollectorConfig,
    after: Mapping[str, Any],
    *,
    now: datetime,
) -> None:
    await record(
        session, actor, action, "collector_config", config.id, tenant_id=config.tenant_id, after=after, now=now
    )
