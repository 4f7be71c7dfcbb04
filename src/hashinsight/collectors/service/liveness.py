"""Who is heard and who has gone silent. Both are told once: as a state, an event and an audit entry."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import Entry, record, record_many
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import events, liveness
from hashinsight.collectors.queries.tokens import TokenHolder
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.states import RECONNECTED, REGISTERED, Status
from hashinsight.kit.clock import iso_z
from hashinsight.kit.ids import new_id
from hashinsight.kit.scrub import scrub


def is_call_due(holder: TokenHolder, *, now: datetime) -> bool:
    """Whether a call has to be noted at all: some seconds after the last one it has."""
    seen = holder.last_seen_at
    return holder.status != Status.ACTIVE or seen is None or seen < now - liveness.NOTE_EVERY


async def note_call(
    session: AsyncSession,
    actor: Actor,
    collector_id: UUID,
    *,
    device_id: str | None,
    site_form: str | None,
    now: datetime,
) -> None:
    """An authenticated call came in. It is noted every few seconds; one of an offline collector brings it back."""
    heard = await liveness.move_heard(
        session, collector_id, address=actor.address, device=device_id, site_form=site_form, now=now
    )
    if heard is None or not (heard.was_offline or heard.is_first):
        return
    collector = await session.get_one(Collector, collector_id)
    if heard.was_offline:
        await events.move_offline_resolved(session, collector.id, now=now)
        silent_since = None if heard.last_seen_at is None else iso_z(heard.last_seen_at)
        title = f"collector {collector.name} is back"
        await open_event(session, collector, RECONNECTED, title, details={"silent_since": silent_since}, now=now)
        await record(
            session,
            actor,
            Action.COLLECTOR_RECONNECTED,
            "collector",
            collector.id,
            tenant_id=collector.tenant_id,
            before={"status": Status.OFFLINE.value},
            after={"status": Status.ACTIVE.value},
            now=now,
        )
    else:
        await open_event(
            session, collector, REGISTERED, f"collector {collector.name} was heard for the first time", now=now
        )
        await record(
            session,
            actor,
            Action.COLLECTOR_REGISTERED,
            "collector",
            collector.id,
            tenant_id=collector.tenant_id,
            after={"device_id": device_id, "address": actor.address},
            now=now,
        )


async def update_skew(session: AsyncSession, collector_id: UUID, skew_sec: float) -> None:
    """How far its clock is ahead of ours, as its telemetry shows it."""
    await liveness.update_skew(session, collector_id, skew_sec)


async def update_site_form(session: AsyncSession, collector_id: UUID, site_form: str) -> None:
    """Its site as it writes it in an envelope, for one that names it nowhere else."""
    await liveness.update_site_form(session, collector_id, site_form)


async def sweep_silent(session: AsyncSession, *, now: datetime) -> int:
    """Every collector that was silent for too long is offline now; says how many."""
    gone = await liveness.move_silent_offline(session, now=now)
    entries = [
        Entry(
            Action.COLLECTOR_OFFLINE,
            "collector",
            row.id,
            before={"status": Status.ACTIVE.value},
            after={
                "status": Status.OFFLINE.value,
                "last_seen_at": None if row.last_seen_at is None else iso_z(row.last_seen_at),
            },
            tenant_id=row.tenant_id,
        )
        for row in gone
    ]
    await record_many(session, SYSTEM, entries, now=now)
    return len(gone)


# how a heartbeat's fields are called beside the collector
_BESIDE = {
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


def clock_skew_sec(sent_at: datetime | None, now: datetime) -> float | None:
    """How far the collector's clock is ahead of ours, the time on the way included; None when it did not say."""
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
    """Store it; gives the skew of the collector's clock. What it does not say stays as it was said before."""
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
    await liveness.insert_heartbeat(session, row, now=now)
    beside = {column: values[name] for name, column in _BESIDE.items() if values.get(name) is not None}
    await liveness.update_reported(session, collector.id, beside, now=now)
    return skew
