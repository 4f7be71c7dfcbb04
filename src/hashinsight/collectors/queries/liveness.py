"""Liveness of collectors: calls noted, silent ones set offline, heartbeats stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector, Heartbeat
from hashinsight.collectors.states import HEARTBEAT_STEP, OFFLINE, REGISTRATION_OPEN, severity_of
from hashinsight.kit.db import partitions
from hashinsight.kit.paging import Page, page
from hashinsight.kit.ticks.models import TickRunRow
from hashinsight.wire.freshness import SILENT_INTERVALS

HEARTBEAT_TABLE = Heartbeat.__tablename__
NOTE_EVERY = timedelta(seconds=5)


def silence_sql(collector: str) -> str:
    """`silence_limit_sec` as an interval in SQL; `collector`: the table or its alias."""
    slower = f"greatest({collector}.heartbeat_interval_sec, {collector}.collection_interval_sec)"
    return f"{SILENT_INTERVALS} * {slower} * interval '1 second'"


_NOTE_CALL = text("""
with
-- the collector before this call, if the call has to be noted
before as (
    select id, status, last_seen_at
    from collectors
    where id = :id
        and status in ('active', 'offline')
        and (status = 'offline' or last_seen_at is null or last_seen_at < :stale)
    for update
)
update collectors c
set status = 'active',
    last_seen_at = greatest(c.last_seen_at, :now),
    last_address = :address,
    last_device_id = :device,
    site_form = coalesce(:form, c.site_form),
    registration_open_until = case
        when before.last_seen_at is null then greatest(c.registration_open_until, :open_until)
        else c.registration_open_until
    end,
    connection_count = c.connection_count + (before.status = 'offline' or before.last_seen_at is null)::int
from before
where c.id = before.id
returning
    before.status = 'offline' as was_offline,
    before.last_seen_at is null as is_first,
    before.last_seen_at
""")
_SET_OFFLINE = text(f"""
with
gone as (
    update collectors
    set status = 'offline', updated_at = :now
    where status = 'active'
        and greatest(last_seen_at, watched_from, created_at)
            < cast(:now as timestamptz) - {silence_sql("collectors")}
    returning id, tenant_id, site_id, zone_id, name, last_seen_at
),
-- one event per collector
events as (
    insert into collector_events (
        id, tenant_id, site_id, zone_id, collector_id, at, source, kind, severity, title, message, details
    )
    select
        gen_random_uuid(),
        tenant_id,
        site_id,
        zone_id,
        id,
        :now,
        'cloud',
        :kind,
        :severity,
        'collector ' || name || ' is offline',
        'No calls from this collector. Its machines have no data until it is back.',
        jsonb_build_object('last_seen_at', last_seen_at)
    from gone
)
select id, tenant_id, last_seen_at from gone
""")  # noqa: S608 - words of our own tables
_RESTART_WATCH = text("""
update collectors
set watched_from = :now
where status = 'active' and :away_sec > 2 * greatest(heartbeat_interval_sec, collection_interval_sec)
""")


@dataclass(frozen=True)
class NotedCall:
    was_offline: bool
    is_first: bool
    last_seen_at: datetime | None  # before this call


async def move_heard(
    session: AsyncSession,
    collector_id: UUID,
    *,
    address: str | None,
    device: str | None,
    site_form: str | None,
    now: datetime,
) -> NotedCall | None:
    """Note the call; an offline collector becomes active. None: nothing to note, or another call was first."""
    values = {
        "id": collector_id,
        "now": now,
        "stale": now - NOTE_EVERY,
        "address": address,
        "device": device,
        "form": site_form,
        "open_until": now + REGISTRATION_OPEN,
    }
    row = (await session.execute(_NOTE_CALL, values)).first()
    return NotedCall(row.was_offline, row.is_first, row.last_seen_at) if row else None


async def update_collector(session: AsyncSession, collector_id: UUID, **values: Any) -> None:
    await session.execute(
        update(Collector)
        .where(Collector.id == collector_id)
        .values(**values)
        .execution_options(synchronize_session=False)
    )


async def move_silent_offline(session: AsyncSession, *, now: datetime) -> Sequence[Any]:
    """All silent collectors, each with its event, in one statement."""
    values = {"now": now, "kind": OFFLINE, "severity": severity_of(OFFLINE).value}
    return (await session.execute(_SET_OFFLINE, values)).all()


async def restart_watch(session: AsyncSession, away: timedelta, *, now: datetime) -> None:
    """The server was away for that long: silence during that time does not count."""
    await session.execute(_RESTART_WATCH, {"now": now, "away_sec": away.total_seconds()})


async def find_last_sweep(session: AsyncSession, tick: str) -> datetime | None:
    query = select(func.max(TickRunRow.finished_at)).where(TickRunRow.tick == tick, TickRunRow.state == "done")
    return (await session.execute(query)).scalar()


async def insert_heartbeat(session: AsyncSession, values: dict[str, Any], *, now: datetime) -> None:
    # the tick creates partitions ahead; without it, a heartbeat must not fail
    await partitions.ensure(session, HEARTBEAT_TABLE, now, now, HEARTBEAT_STEP)
    await session.execute(insert(Heartbeat).values(**values))


async def update_reported(session: AsyncSession, collector_id: UUID, values: dict[str, Any], *, now: datetime) -> None:
    """The figures of the newest heartbeat, on the collector; an older one that comes late changes nothing."""
    await session.execute(
        update(Collector)
        .where(
            Collector.id == collector_id, (Collector.last_heartbeat_at.is_(None)) | (Collector.last_heartbeat_at <= now)
        )
        .values(last_heartbeat_at=now, **values)
        .execution_options(synchronize_session=False)
    )


async def list_heartbeats(
    session: AsyncSession,
    collector_id: UUID,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int,
    cursor: str | None = None,
) -> Page:
    """Newest first."""
    query = select(Heartbeat).where(Heartbeat.collector_id == collector_id)
    if since is not None:
        query = query.where(Heartbeat.at >= since)
    if until is not None:
        query = query.where(Heartbeat.at < until)
    key = [Heartbeat.at, Heartbeat.id]
    return await page(session, query, key, limit=limit, cursor=cursor, descending=True)
