"""The registry: create, change, approve, disable, enable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.fields import plain
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import configs, events, registry
from hashinsight.collectors.service.tokens import IssuedSecret, issue_code, issue_token
from hashinsight.collectors.states import DEFAULT_VERSION, MAX_REGISTRATION_OPEN, CollectorPermission, Status
from hashinsight.collectors.wider_access import is_wider
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.errors import Conflict, NotFound, ValidationFailed
from hashinsight.kit.ids import new_id

_MOVES = {
    Action.COLLECTOR_APPROVED: ((Status.PENDING,), Status.ACTIVE),
    Action.COLLECTOR_DISABLED: ((Status.PENDING, Status.ACTIVE, Status.OFFLINE), Status.DISABLED),
    Action.COLLECTOR_ENABLED: ((Status.DISABLED,), Status.ACTIVE),
}
ALL_PERMISSIONS = tuple(one.value for one in CollectorPermission)


class Credential(StrEnum):
    """What whoever creates a collector is handed for it."""

    TOKEN = "token"  # noqa: S105 - a name
    ENROLMENT_CODE = "enrolment_code"
    NOTHING = "nothing"


@dataclass(frozen=True)
class NewCollector:
    name: str
    zone_id: int | None = None
    permissions: Sequence[str] = ALL_PERMISSIONS
    collection_interval_sec: int = 60
    heartbeat_interval_sec: int = 30
    settings: Mapping[str, Any] | None = None
    notes: str | None = None


def who(actor: Actor) -> str:
    return actor.id or actor.kind.value


async def create(
    session: AsyncSession, actor: Actor, site: Site, new: NewCollector, credential: Credential, *, now: datetime
) -> tuple[Collector, IssuedSecret | None]:
    """With its token a collector is active at once; with an enrolment code or with nothing it is pending."""
    if not new.name.strip():
        raise ValidationFailed("a collector needs a name")
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
        created_by=who(actor),
        updated_at=now,
    )
    await _write(session, collector)
    after = {"name": new.name, "site_id": site.id, "zone_id": new.zone_id, "status": collector.status}
    await record(
        session,
        actor,
        Action.COLLECTOR_CREATED,
        "collector",
        collector.id,
        tenant_id=site.tenant_id,
        after=after,
        now=now,
    )
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
    check_step_up: Callable[[], None] | None = None,
    now: datetime,
) -> Collector:
    """Set the given fields; the entry holds what each was before.

    `check_step_up` raises unless a person has just shown who they are; the server's command line has none.
    """
    collector = await registry.find_collector(session, collector_id, lock=True)
    if collector is None:
        raise NotFound("no such collector")
    open_until = fields.get("registration_open_until")
    if open_until is not None and open_until > now + MAX_REGISTRATION_OPEN:
        raise ValidationFailed(f"registration is opened for at most {MAX_REGISTRATION_OPEN.days} days")
    before = {name: getattr(collector, name) for name in fields}
    changed = {name: value for name, value in fields.items() if value != before[name]}
    if not changed:
        return collector
    if check_step_up is not None and is_wider(before, changed):
        check_step_up()
    for name, value in changed.items():
        setattr(collector, name, value)
    collector.updated_at = now
    await _write(session, collector)
    await record(
        session,
        actor,
        Action.COLLECTOR_CHANGED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        before=plain({name: before[name] for name in changed}),
        after=plain(changed),
        now=now,
    )
    return collector


async def approve(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """From pending to active."""
    await _move(session, actor, collector, Action.COLLECTOR_APPROVED, now=now)


async def disable(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """Its calls are refused from the next one on; its tokens stay, for the day when it is enabled again."""
    await _move(session, actor, collector, Action.COLLECTOR_DISABLED, now=now)


async def enable(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> None:
    """From disabled to active."""
    await _move(session, actor, collector, Action.COLLECTOR_ENABLED, now=now)


async def _write(session: AsyncSession, collector: Collector) -> None:
    name = collector.name
    try:
        async with session.begin_nested():
            session.add(collector)
            await session.flush()
    except IntegrityError as error:
        raise Conflict(f"the site has a collector named {name} already", code="NAME_TAKEN") from error


async def _move(session: AsyncSession, actor: Actor, collector: Collector, action: Action, *, now: datetime) -> None:
    from_, to = _MOVES[action]
    if not await registry.move_status(session, collector.id, from_, to, now=now):
        wanted = " or ".join(from_)
        raise Conflict(f"the collector is not {wanted}", details={"status": collector.status, "to": to.value})
    after: dict[str, Any] = {"status": to.value}
    if to is Status.DISABLED and (over := await events.move_offline_resolved(session, collector.id, now=now)):
        after["offline_events_resolved"] = over
    await record(
        session,
        actor,
        action,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        before={"status": collector.status},
        after=after,
        now=now,
    )
