"""Collector events: opened by the server or reported by the collector, acknowledged and resolved by people."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.models import Collector, CollectorEvent
from hashinsight.collectors.queries import events
from hashinsight.collectors.states import EventStatus, Source, severity_of
from hashinsight.kit.errors import Conflict
from hashinsight.kit.ids import new_id
from hashinsight.kit.offload import offload
from hashinsight.kit.scrub import MAX_CHARS_ON_LOOP, Scrubber


async def open_event(
    session: AsyncSession,
    collector: Collector,
    kind: str,
    title: str,
    *,
    message: str = "",
    details: dict[str, Any] | None = None,
    now: datetime,
) -> None:
    """An event of the server itself."""
    row = _owner(collector) | {
        "at": now,
        "source": Source.CLOUD.value,
        "kind": kind,
        "severity": severity_of(kind).value,
        "title": title,
        "message": message,
        "details": details,
    }
    await events.insert_events(session, [row])


async def scrub_reported(collector_id: UUID, reported: Sequence[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """Reported events without addresses and secrets of machines. `size`: of the body, in bytes."""
    scrubber = Scrubber()

    def scrubbed() -> list[dict[str, Any]]:
        return [
            {
                **event,
                "title": scrubber.text(event["title"] or event["kind"].replace("_", " ")),
                "message": scrubber.text(event["message"]),
                "details": scrubber.scrub(event["details"]),
            }
            for event in reported
        ]

    return await offload(collector_id, scrubbed) if size > MAX_CHARS_ON_LOOP else scrubbed()


async def report(
    session: AsyncSession, actor: Actor, collector: Collector, reported: Sequence[dict[str, Any]], *, now: datetime
) -> int:
    """Store reported events, already scrubbed; returns how many were new."""
    rows = [
        _owner(collector)
        | {
            **event,
            "severity": event["severity"] or severity_of(event["kind"]).value,
            "at": now,
            "source": Source.COLLECTOR.value,
        }
        for event in reported
    ]
    stored = await events.insert_events(session, rows) if rows else 0
    if stored:
        await record(
            session,
            actor,
            Action.COLLECTOR_EVENTS_REPORTED,
            "collector",
            collector.id,
            tenant_id=collector.tenant_id,
            after={"stored": stored, "kinds": sorted({event["kind"] for event in reported})},
            now=now,
        )
    return stored


async def acknowledge(session: AsyncSession, actor: Actor, event: CollectorEvent, *, now: datetime) -> None:
    """Open → acknowledged"""
    if not await events.move_acknowledged(session, event.id, actor.signature, now=now):
        raise Conflict("the event is not open", code="EVENT_NOT_OPEN", details={"status": event.status})
    await _record(session, actor, Action.COLLECTOR_EVENT_ACKNOWLEDGED, event, EventStatus.ACKNOWLEDGED, now=now)


async def resolve(session: AsyncSession, actor: Actor, event: CollectorEvent, *, now: datetime) -> None:
    """Open or acknowledged → resolved"""
    if not await events.move_resolved(session, event.id, actor.signature, now=now):
        raise Conflict("already resolved", code="ALREADY_FINAL")
    await _record(session, actor, Action.COLLECTOR_EVENT_RESOLVED, event, EventStatus.RESOLVED, now=now)


async def _record(
    session: AsyncSession, actor: Actor, action: Action, event: CollectorEvent, to: EventStatus, *, now: datetime
) -> None:
    await record(
        session,
        actor,
        action,
        "collector_event",
        event.id,
        tenant_id=event.tenant_id,
        before={"status": event.status},
        after={"status": to.value},
        now=now,
    )


def _owner(collector: Collector) -> dict[str, Any]:
    return {
        "id": new_id(),
        "tenant_id": collector.tenant_id,
        "site_id": collector.site_id,
        "zone_id": collector.zone_id,
        "collector_id": collector.id,
    }
