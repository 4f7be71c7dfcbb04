"""Sweeps: leases that are lost, TTLs and approvals that ran out. Sets of rows; locked ones are left to the next run."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.queries.liveness import silence_sql
from hashinsight.commands.catalogue import SETTINGS
from hashinsight.commands.models import COLUMNS
from hashinsight.commands.queries.fragments import insert_history
from hashinsight.commands.states import Event, sql_begin_states, sql_list

# Locked rows are updated by their place, as in a lease and for the same reason.
_RAN_OUT = "c.lease_until <= :now"
# A device with a long lease that was silent for three intervals. Uploads are noted with the collector and its last
# device: devices that share a token share that note.
_SILENT = f"""
            exists (
                select
                from collectors o
                left join command_devices d
                    on d.collector_id = o.id and d.device = coalesce(c.lease_device, '')
                where o.id = c.lease_owner
                    and greatest(
                        d.last_seen_at,
                        o.watched_from,
                        c.dispatched_at,
                        case when o.last_device_id is not distinct from c.lease_device then o.last_seen_at end,
                        (
                            select max(h.at)
                            from collector_heartbeats h
                            where h.collector_id = o.id
                                and h.device_id is not distinct from c.lease_device
                                and h.at > :look_back
                        )
                    ) < cast(:now as timestamptz) - {silence_sql("o")}
            )"""  # noqa: S608 - words of our own tables
_SWEPT = "command_id, tenant_id, dispatch_id, miner_no, command_type, priority, attempt, old_state, state, error_code"
_BY_SYSTEM = {"actor_kind": "'system'", "actor_id": "null"}
_LOST_HISTORY = insert_history(
    "moved",
    event="case state when 'queued' then 'lease_lost' else state end",
    old_state="old_state",
    new_state="state",
    message=":reason",
    details="jsonb_build_object('dispatch_id', dispatch_id, 'attempt', attempt)",
    **_BY_SYSTEM,
)
_EXPIRED_HISTORY = insert_history(
    "moved", event="'expired'", old_state="'queued'", new_state="'expired'", message=":reason", **_BY_SYSTEM
)


def lost_leases(condition: str) -> str:
    """Leased → queued under the same dispatch id while TTL and retries last, else expired; canceled if requested."""
    return f"""
    with
    lost as (
        select c.ctid as place, c.state
        from commands c
        where c.lease_until is not null and {condition}
        order by c.lease_until
        limit :most
        for update of c skip locked
    ),
    moved as (
        update commands c
        set state = case
                when c.cancel_requested_at is not null then 'canceled'
                when c.expires_at <= :now or c.attempt > c.max_retries then 'expired'
                else 'queued'
            end,
            error_code = case
                when c.cancel_requested_at is not null then 'CANCELED'
                when c.expires_at <= :now then 'COMMAND_EXPIRED'
                when c.attempt > c.max_retries then 'NO_ACK'
            end,
            finished_at = case
                when c.cancel_requested_at is not null or c.expires_at <= :now or c.attempt > c.max_retries
                then cast(:now as timestamptz)
            end,
            moves = c.moves + 1,
            lease_owner = null,
            lease_device = null,
            lease_until = null,
            next_attempt_at = :now,
            updated_at = :now
        from lost
        where c.ctid = lost.place and c.state in ({sql_begin_states(Event.LEASE_LOST)})
        returning
            c.command_id,
            c.moves,
            c.tenant_id,
            c.site_id,
            c.dispatch_id,
            c.miner_no,
            c.state,
            c.command_type,
            c.priority,
            c.attempt,
            c.error_code,
            lost.state as old_state
    ),
    attempts as (
        update command_attempts a
        set result = 'lost'
        from moved
        where a.dispatch_id = moved.dispatch_id
    ),
    history as ({_LOST_HISTORY})
    select {_SWEPT} from moved
    """  # noqa: S608 - words of our own tables


def _expired(condition: str, order: str) -> str:
    """Queued → expired."""
    return f"""
    with
    late as (
        select ctid as place
        from commands
        where state = 'queued' and {condition}
        order by {order}
        limit :most
        for update skip locked
    ),
    moved as (
        update commands c
        set state = 'expired',
            finished_at = :now,
            moves = c.moves + 1,
            updated_at = :now,
            error_code = :code,
            error_message = :reason
        from late
        where c.ctid = late.place and c.state = 'queued'
        returning c.*, 'queued' as old_state
    ),
    history as ({_EXPIRED_HISTORY})
    select {_SWEPT} from moved
    """  # noqa: S608 - words of our own tables


_LOST = text(lost_leases(_RAN_OUT))
_RETURNED = text(lost_leases(_SILENT))
_TTL = text(_expired("approval_state <> 'required' and expires_at <= :now", "expires_at"))
_UNAPPROVED = text(_expired("expires_at is null and approval_until <= :now", "approval_until"))
_ALL_COLUMNS = ", ".join(COLUMNS)
_ZONE_NOW = """(
        select case when m.site_id = gone.site_id then m.zone_id else gone.zone_id end
        from miners m
        where m.miner_no = gone.miner_no
    )"""
_ARCHIVED = ", ".join(_ZONE_NOW if name == "zone_id" else name for name in COLUMNS)
# settings stay for longer: the site's cap counts their machines
_ARCHIVE = text(f"""
with
gone as (
    delete from commands
    where ctid = any (array(
        select ctid
        from commands
        where finished_at <= :before
            and (command_type not in ({sql_list(SETTINGS)})
                or finished_at <= cast(:before as timestamptz) - interval '5 minutes')
        order by finished_at
        limit :most
        for update skip locked
    ))
    returning {_ALL_COLUMNS}
),
archived as (
    insert into commands_done ({_ALL_COLUMNS}) select {_ARCHIVED} from gone
)
select count(*) from gone
""")  # noqa: S608 - words of our own tables
# an hour late: a request that had to wait still goes by the clock at which it began
_DELETE_OLD = (
    text("delete from command_dedupe where until_at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_keys where until_at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_unapproved where at <= cast(:now as timestamptz) - interval '8 days'"),  # the longest TTL
    text("delete from command_rates where at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_devices where last_seen_at <= cast(:now as timestamptz) - interval '30 days'"),
)


async def move_lost(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Leases that ran out."""
    values = {"most": most, "now": now, "reason": "lease ran out without an ack"}
    return (await session.execute(_LOST, values)).all()


async def move_returned_silent(
    session: AsyncSession, *, look_back: datetime, most: int, now: datetime
) -> Sequence[Any]:
    """Leases of silent devices."""
    values = {"most": most, "now": now, "look_back": look_back, "reason": "device is silent"}
    return (await session.execute(_RETURNED, values)).all()


async def move_expired(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Queued commands whose TTL ran out."""
    values = {"most": most, "now": now, "code": "COMMAND_EXPIRED", "reason": "TTL ran out in the queue"}
    return (await session.execute(_TTL, values)).all()


async def move_unapproved(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Commands that nobody approved in time."""
    values = {"most": most, "now": now, "code": "NOT_APPROVED", "reason": "not approved in time"}
    return (await session.execute(_UNAPPROVED, values)).all()


async def archive(session: AsyncSession, *, before: datetime, most: int) -> int:
    """Finished commands leave the hot table; returns how many."""
    return int((await session.execute(_ARCHIVE, {"before": before, "most": most})).scalar_one())


async def delete_old(session: AsyncSession, *, now: datetime) -> None:
    """Keys after their windows, and counts that no limit reads any more."""
    for statement in _DELETE_OLD:
        await session.execute(statement, {"now": now})
