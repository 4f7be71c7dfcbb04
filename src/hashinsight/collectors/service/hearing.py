"""Who is heard and who has gone silent. Both are told once: as a state, an event and an audit entry."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service import Entry, record, record_many
from hashinsight.collectors.kinds import RECONNECTED, REGISTERED, Status
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import events, hearing
from hashinsight.collectors.queries.tokens import Holder
from hashinsight.collectors.service.events import tell
from hashinsight.kit.clock import iso_z


def is_news(holder: Holder, *, now: datetime) -> bool:
    """Whether a call has to be noted at all: some seconds after the last one it has."""
    seen = holder.last_seen_at
    return holder.status != Status.ACTIVE or seen is None or seen < now - hearing.NOTE_EVERY


async def hear(
    session: AsyncSession,
    actor: Actor,
    collector_id: UUID,
    *,
    device_id: str | None,
    site_form: str | None,
    now: datetime,
) -> None:
    """An authenticated call came in. It is noted every few seconds; one of an offline collector brings it back."""
    heard = await hearing.move_heard(
        session, collector_id, address=actor.address, device=device_id, site_form=site_form, now=now
    )
    if heard is None or not (heard.was_offline or heard.is_first):
        return
    collector = await session.get_one(Collector, collector_id)
    if heard.was_offline:
        await events.move_offline_resolved(session, collector.id, now=now)
        silent_since = None if heard.last_seen_at is None else iso_z(heard.last_seen_at)
        title = f"collector {collector.name} is back"
        await tell(session, collector, RECONNECTED, title, details={"silent_since": silent_since}, now=now)
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
        await tell(session, collector, REGISTERED, f"collector {collector.name} was heard for the first time", now=now)
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


async def note_skew(session: AsyncSession, collector_id: UUID, skew_sec: float) -> None:
    """How far its clock is ahead of ours, as its telemetry shows it."""
    await hearing.update_skew(session, collector_id, skew_sec)


async def note_site_form(session: AsyncSession, collector_id: UUID, site_form: str) -> None:
    """Its site as it writes it in an envelope, for one that names it nowhere else."""
    await hearing.update_site_form(session, collector_id, site_form)


async def sweep_silent(session: AsyncSession, *, now: datetime) -> int:
    """Every collector that was silent for too long is offline now; says how many."""
    gone = await hearing.move_silent_offline(session, now=now)
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
