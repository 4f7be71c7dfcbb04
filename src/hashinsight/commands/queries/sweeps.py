"""What time does to commands: whole sets in a statement each; whatever somebody holds is left for the next time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.catalogue import SETTINGS
from hashinsight.commands.models import COLUMNS
from hashinsight.commands.queries.fragments import TOLD
from hashinsight.commands.states import Event, sql_begin_states, sql_list

# What was locked is written by its place, as a lease does it and for its reason.
_RAN_OUT = "c.lease_until <= :now"
# a device that a long lease was given to, and that has not been heard for three intervals, by any kind of call;
# uploads are noted with the collector and the device that it last called as: shards of one token share that note
_SILENT = """
    exists (
        select from collectors o
        left join command_devices d on d.collector_id = o.id and d.device = coalesce(c.lease_device, '')
        where o.id = c.lease_owner
            and greatest(d.last_seen_at, o.watched_from, c.dispatched_at,
                case when o.last_device_id is not distinct from c.lease_device then o.last_seen_at end, (
                select max(h.at) from collector_heartbeats h where h.collector_id = o.id
                    and h.device_id is not distinct from c.lease_device and h.at > :look_back
            )) < cast(:now as timestamptz)
                - :intervals * greatest(o.heartbeat_interval_sec, o.collection_interval_sec) * interval '1 second'
    )
"""


def lost(which: str) -> str:
    """Leased → queued under the same dispatch while TTL and retries last, else expired; canceled where asked for."""
    return f"""
    with lost as (
        select c.ctid as spot, c.state from commands c where c.lease_until is not null and {which}
        order by c.lease_until limit :most for update of c skip locked
    ), moved as (
        update commands c
        set state = case when c.cancel_requested_at is not null then 'canceled'
                when c.expires_at <= :now or c.attempt > c.max_retries then 'expired' else 'queued' end,
            error_code = case when c.cancel_requested_at is not null then 'CANCELED'
                when c.expires_at <= :now then 'COMMAND_EXPIRED' when c.attempt > c.max_retries then 'NO_ACK' end,
            finished_at = case when c.cancel_requested_at is not null or c.expires_at <= :now
                or c.attempt > c.max_retries then cast(:now as timestamptz) end,
            moves = c.moves + 1, lease_owner = null, lease_device = null, lease_until = null, next_attempt_at = :now,
            updated_at = :now
        from lost
        where c.ctid = lost.spot and c.state in ({sql_begin_states(Event.LEASE_LOST)})
        returning c.command_id, c.moves, c.tenant_id, c.site_id, c.batch_id, c.dispatch_id, c.miner_no, c.state,
            c.command_type, c.priority, c.attempt, c.error_code, lost.state as old_state
    ), tried as (
        update command_attempts a set result = 'lost' from moved where a.dispatch_id = moved.dispatch_id
    ), told as (
        {TOLD}
        select command_id, moves, tenant_id, site_id, :now,
            case state when 'queued' then 'lease_lost' else state end, old_state, state, 'system', null, :why,
            jsonb_build_object('dispatch_id', dispatch_id, 'attempt', attempt), null
        from moved
    )
    select command_id, tenant_id, dispatch_id, miner_no, command_type, priority, attempt, old_state, state, error_code
    from moved
    """  # noqa: S608 - words of our own tables


_LOST = text(lost(_RAN_OUT))
_GIVEN_BACK = text(lost(_SILENT))
_EXPIRE = """
with late as (
    select ctid as spot from commands where {which} order by {by} limit :most for update skip locked
), moved as (
    update commands c set state = 'expired', finished_at = :now, moves = c.moves + 1, updated_at = :now,
        error_code = :code, error_message = :why
    from late where c.ctid = late.spot and c.state = 'queued'
    returning c.command_id, c.moves, c.tenant_id, c.site_id, c.batch_id, c.state, c.error_code, 'queued' as old_state,
        c.dispatch_id, c.miner_no, c.command_type, c.priority, c.attempt
), told as (
    {told}
    select command_id, moves, tenant_id, site_id, :now, 'expired', 'queued', 'expired', 'system', null, :why, null, null
    from moved
)
select command_id, tenant_id, dispatch_id, miner_no, command_type, priority, attempt, old_state, state, error_code
from moved
"""
_TTL = text(
    _EXPIRE.format(
        which="state = 'queued' and approval_state <> 'required' and expires_at <= :now", by="expires_at", told=TOLD
    )
)
_UNAPPROVED = text(
    _EXPIRE.format(
        which="state = 'queued' and expires_at is null and approval_until <= :now", by="approval_until", told=TOLD
    )
)
_LISTED = ", ".join(COLUMNS)
# settings stay for longer: their machines count for the cap of the site
_ARCHIVE = text(f"""
with gone as (
    delete from commands where ctid = any (array(
        select ctid from commands where finished_at <= :before and (command_type not in ({sql_list(SETTINGS)})
            or finished_at <= cast(:before as timestamptz) - interval '5 minutes')
        order by finished_at limit :most
        for update skip locked
    ))
    returning {_LISTED}
), kept as (
    insert into commands_done ({_LISTED}) select {_LISTED} from gone
)
select count(*) from gone
""")  # noqa: S608 - words of our own tables
# an hour late: a request that had to wait still asks by the clock at which it began
_FORGET = (
    text("delete from command_dedupe where until_at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_keys where until_at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_unapproved where at <= cast(:now as timestamptz) - interval '8 days'"),  # the longest TTL
    text("delete from command_rates where at <= cast(:now as timestamptz) - interval '1 hour'"),
    text("delete from command_devices where last_seen_at <= cast(:now as timestamptz) - interval '30 days'"),
)


async def move_lost(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Leases that ran out."""
    values = {"most": most, "now": now, "why": "the lease ran out without an ack"}
    return (await session.execute(_LOST, values)).all()


async def move_given_back(
    session: AsyncSession, *, intervals: int, look_back: datetime, most: int, now: datetime
) -> Sequence[Any]:
    """Leases of devices that fell silent."""
    values = {"most": most, "now": now, "intervals": intervals, "look_back": look_back}
    return (await session.execute(_GIVEN_BACK, {**values, "why": "its device fell silent"})).all()


async def move_expired(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Queued past their TTL."""
    values = {"most": most, "now": now, "code": "COMMAND_EXPIRED", "why": "its TTL ran out in the queue"}
    return (await session.execute(_TTL, values)).all()


async def move_unapproved(session: AsyncSession, *, most: int, now: datetime) -> Sequence[Any]:
    """Waited for approval for too long."""
    values = {"most": most, "now": now, "code": "NOT_APPROVED", "why": "nobody approved it in time"}
    return (await session.execute(_UNAPPROVED, values)).all()


async def archive(session: AsyncSession, *, before: datetime, most: int) -> int:
    """Finished ones leave the hot table; says how many."""
    return int((await session.execute(_ARCHIVE, {"before": before, "most": most})).scalar_one())


async def forget(session: AsyncSession, *, now: datetime) -> None:
    """Keys past their windows, and counts that no limit looks at any more."""
    for statement in _FORGET:
        await session.execute(statement, {"now": now})
