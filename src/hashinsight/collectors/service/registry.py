"""Collectors: create, change, approve, disable, enable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.fields import as_json
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import configs, events, registry
from hashinsight.collectors.service.tokens import IssuedSecret, issue_code, issue_token, record_change
from hashinsight.collectors.states import DEFAULT_VERSION, MAX_REGISTRATION_OPEN, CollectorPermission, Status
from hashinsight.identity.caller import Caller
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.errors import Conflict, ValidationFailed
from hashinsight.kit.ids import new_id
from hashinsight.kit.scrub import scrub
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC

_MOVES = {
    Action.COLLECTOR_APPROVED: ((Status.PENDING,), Status.ACTIVE),
    Action.COLLECTOR_DISABLED: ((Status.PENDING, Status.ACTIVE, Status.OFFLINE), Status.DISABLED),
    Action.COLLECTOR_ENABLED: ((Status.DISABLED,), Status.ACTIVE),
}
ALL_PERMISSIONS = tuple(permission.value for permission in CollectorPermission)
_INTERVALS = ("collection_interval_sec", "heartbeat_interval_sec")


class Credential(StrEnum):
    """What is issued with a new collector."""

    TOKEN = "token"  # noqa: S105 - a name
    ENROLMENT_CODE = "enrolment_code"
    NOTHING = "nothing"


@dataclass(frozen=True)
class NewCollector:
    name: str
    zone_id: int | None = None
    permissions: Sequence[str] = ALL_PERMISSIONS
    collection_interval_sec: int = DEFAULT_INTERVAL_SEC
    heartbeat_interval_sec: int = 30
    settings: Mapping[str, Any] | None = None
    notes: str | None = None


async def create(
    session: AsyncSession, actor: Actor, site: Site, new: NewCollector, credential: Credential, *, now: datetime
) -> tuple[Collector, IssuedSecret | None]:
    """Active at once with a token; pending with an enrolment code or nothing."""
    if not new.name.strip():
        raise ValidationFailed("the name must not be empty")
    has_token = credential is Credential.TOKEN
    collector = Collector(
        id=new_id(),
        tenant_id=site.tenant_id,
        site_id=site.id,
        zone_id=new.zone_id,
        name=new.name,
        status=(Status.ACTIVE if has_token else Status.PENDING).value,
        permissions=sorted(set(new.permissions)),
        collection_interval_sec=new.collection_interval_sec,
        heartbeat_interval_sec=new.heartbeat_interval_sec,
        settings=dict(new.settings or {}),
        notes=new.notes,
        connection_count=0,
        watched_from=now if has_token else None,
        created_at=now,
        created_by=actor.signature,
        updated_at=now,
    )
    await _write(session, collector)
    after = {"name": new.name, "site_id": site.id, "zone_id": new.zone_id, "status": collector.status}
    await record_change(session, actor, Action.COLLECTOR_CREATED, collector, after, now=now)
    default = await configs.insert_default(session, site.tenant_id, now=now)
    if default is not None:
        await record(
            session,
            SYSTEM,
            Action.COLLECTOR_CONFIG_ACTIVATED,
            "collector_config",
            default,
            tenant_id=site.tenant_id,
            after={"version": DEFAULT_VERSION, "is_default": True},
            now=now,
        )
    if credential is Credential.NOTHING:
        return collector, None
    return collector, await (issue_token if has_token else issue_code)(session, actor, collector, now=now)


async def change(
    session: AsyncSession,
    actor: Actor,
    collector_id: UUID,
    fields: Mapping[str, Any],
    *,
    caller: Caller | None = None,
    now: datetime,
) -> Collector:
    """Set the given fields; the audit entry has the values before.

    Changes that let the collector do more need a step-up of the caller; None on the server's command line.
    """
    collector = await registry.get_collector(session, collector_id, lock=True)
    open_until = fields.get("registration_open_until")
    if open_until is not None and open_until > now + MAX_REGISTRATION_OPEN:
        raise ValidationFailed(f"registration can be open for at most {MAX_REGISTRATION_OPEN.days} days")
    before = {name: getattr(collector, name) for name in fields}
    changed = {name: value for name, value in fields.items() if value != before[name]}
    if not changed:
        return collector
    if caller is not None and _is_wider(before, changed):
        caller.check_step_up(now=now)
    for name, value in changed.items():
        setattr(collector, name, value)
    collector.updated_at = now
    await _write(session, collector)
    old, new = ({name: scrub(as_json(of)[name], name) for name in changed} for of in (before, changed))
    await record_change(session, actor, Action.COLLECTOR_CHANGED, collector, new, before=old, now=now)
    return collector


async def approve(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """Pending → active."""
    await _move(session, actor, collector, Action.COLLECTOR_APPROVED, now=now)


async def disable(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """Its calls are refused from the next one on; its tokens stay for when it is enabled again."""
    await _move(session, actor, collector, Action.COLLECTOR_DISABLED, now=now)


async def enable(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """Disabled → active."""
    await _move(session, actor, collector, Action.COLLECTOR_ENABLED, now=now)


def _is_wider(before: Mapping[str, Any], changed: Mapping[str, Any]) -> bool:
    """Whether a change lets the collector do more, or be silent for longer. `changed`: new values.

    From the whole site to a zone is narrower; from zone to zone covers machines that were not its own. The intervals
    decide how old a sample may be and how long the collector may be silent.
    """
    leaves_zone = "zone_id" in changed and before["zone_id"] is not None
    may_more = bool(set(changed.get("permissions", ())) - set(before.get("permissions", ())))
    is_slower = any(name in changed and changed[name] > before[name] for name in _INTERVALS)
    is_opened = changed.get("registration_open_until") is not None
    return leaves_zone or may_more or is_slower or is_opened


async def _write(session: AsyncSession, collector: Collector) -> None:
    name = collector.name
    try:
        async with session.begin_nested():
            session.add(collector)
            await session.flush()
    except IntegrityError as error:
        raise Conflict(f"the site already has a collector named {name}", code="NAME_TAKEN") from error


async def _move(session: AsyncSession, actor: Actor, collector: Collector, action: Action, *, now: datetime) -> None:
    from_, to = _MOVES[action]
    if not await registry.move_status(session, collector.id, from_, to, now=now):
        expected = " or ".join(from_)
        raise Conflict(f"the collector is not {expected}", details={"status": collector.status, "to": to.value})
    after: dict[str, Any] = {"status": to.value}
    if to is Status.DISABLED and (resolved := await events.move_offline_resolved(session, collector.id, now=now)):
        after["offline_events_resolved"] = resolved
    before = {"status": collector.status}
    await record_change(session, actor, action, collector, after, before=before, now=now)
