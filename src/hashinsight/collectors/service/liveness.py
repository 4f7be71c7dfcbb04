"""Liveness: calls and heartbeats are noted, silent collectors go offline. Each change is one state, event and entry."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import events
from hashinsight.collectors.queries import liveness as queries
from hashinsight.collectors.queries.registry import get_collector
from hashinsight.collectors.queries.tokens import TokenHolder
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.service.tokens import record_change
from hashinsight.collectors.states import RECONNECTED, REGISTERED, Status
from hashinsight.kit.ids import new_id
from hashinsight.kit.scrub import scrub
from hashinsight.wire.times import write_time

# field of a heartbeat → column of the collector
_REPORTED = {
    "status": "reported_status",
    "cpu_usage": "cpu_usage",
    "memory_usage": "memory_usage",
    "disk_usage": "disk_usage",
    "uptime_sec": "uptime_sec",
    "version": "version",
    "miners_online": "active_miners",
    "miners_total": "total_miners",
    "clock_skew_sec": "clock_skew_sec",
}


def is_call_due(holder: TokenHolder, *, now: datetime) -> bool:
    """Whether a call has to be noted: every few seconds, and of an offline collector."""
    seen = holder.last_seen_at
    return holder.status != Status.ACTIVE or seen is None or seen < now - queries.NOTE_EVERY


async def note_call(
    session: AsyncSession,
    actor: Actor,
    collector_id: UUID,
    *,
    device_id: str | None,
    site_form: str | None,
    now: datetime,
) -> None:
    """Note an authenticated call; an offline collector is active again."""
    call = await queries.move_heard(
        session, collector_id, address=actor.address, device=device_id, site_form=site_form, now=now
    )
    if call is None or not (call.was_offline or call.is_first):
        return
    collector = await get_collector(session, collector_id)
    if call.was_offline:
        await events.move_offline_resolved(session, collector.id, now=now)
        silent_since = None if call.last_seen_at is None else write_time(call.last_seen_at)
        title = f"collector {collector.name} is back"
        await open_event(session, collector, RECONNECTED, title, details={"silent_since": silent_since}, now=now)
        before, after = {"status": Status.OFFLINE.value}, {"status": Status.ACTIVE.value}
        await record_change(session, actor, Action.COLLECTOR_RECONNECTED, collector, after, before=before, now=now)
    else:
        await open_event(session, collector, REGISTERED, f"first call of collector {collector.name}", now=now)
        details = {"device_id": device_id, "address": actor.address}
        await record_change(session, actor, Action.COLLECTOR_REGISTERED, collector, details, now=now)


async def update_skew(session: AsyncSession, collector_id: UUID, skew_sec: float) -> None:
    """How far the collector's clock is ahead, from its telemetry."""
    await queries.update_collector(session, collector_id, clock_skew_sec=skew_sec)


async def update_site_form(session: AsyncSession, collector_id: UUID, site_form: str) -> None:
    """The site as the collector writes it in an envelope, if it names it nowhere else."""
    await queries.update_collector(session, collector_id, site_form=site_form)


async def sweep_silent(session: AsyncSession, *, now: datetime) -> int:
    """Set silent collectors offline; returns how many."""
    gone = await queries.move_silent_offline(session, now=now)
    entries = [
        Entry(
            Action.COLLECTOR_OFFLINE,
            "collector",
            row.id,
            before={"status": Status.ACTIVE.value},
            after={
                "status": Status.OFFLINE.value,
                "last_seen_at": None if row.last_seen_at is None else write_time(row.last_seen_at),
            },
            tenant_id=row.tenant_id,
        )
        for row in gone
    ]
    await record_many(session, SYSTEM, entries, now=now)
    return len(gone)


def clock_skew_sec(sent_at: datetime | None, now: datetime) -> float | None:
    """How far the collector's clock is ahead, network delay included; None without `sent_at`."""
    return None if sent_at is None else round((sent_at - now).total_seconds(), 3)


async def store_heartbeat(
    session: AsyncSession,
    collector: Collector,
    fields: dict[str, Any],
    *,
    device_id: str | None,
    sent_at: datetime | None,
    now: datetime,
) -> float | None:
    """Returns the clock skew. The collector keeps its last known figure for every field that is missing."""
    values = dict(fields)
    values["clock_skew_sec"] = skew = clock_skew_sec(sent_at, now)
    if values.get("extra_data") is not None:
        values["extra_data"] = scrub(values["extra_data"])
    row = {
        "id": new_id(),
        "at": now,
        "tenant_id": collector.tenant_id,
        "site_id": collector.site_id,
        "collector_id": collector.id,
        "device_id": device_id,
        **values,
    }
    await queries.insert_heartbeat(session, row, now=now)
    reported = {column: values[name] for name, column in _REPORTED.items() if values.get(name) is not None}
    await queries.update_reported(session, collector.id, reported, now=now)
    return skew
