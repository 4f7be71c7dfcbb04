"""More time for queued commands that are about to expire."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.commands.queries.fragments import audit_values, insert_audit, insert_history, pack_rows, unpack_rows
from hashinsight.commands.states import READY
from hashinsight.kit.ids import new_id

# Not expired ones, however long no sweep ran: expired is final.
_ABOUT_TO_EXPIRE = text(f"""
select
    command_id,
    tenant_id,
    site_id,
    (select m.zone_id from miners m where m.miner_no = commands.miner_no) as zone_id,
    command_type,
    miner_no,
    greatest(expires_at - ttl_sec * interval '1 second', next_attempt_at) as due_at
from commands
where {READY}
    and expires_at > :now
    and expires_at <= :before
    and command_type = any (cast(:types as text[]))
    and not emergency
    and cancel_requested_at is null
    and next_attempt_at <= :now
    and ttl_sec < :bound_sec
order by expires_at
limit :most
for update skip locked
""")  # noqa: S608 - words of our own tables
_LAST_POLLS = text("""
select o.site_id, o.zone_id, max(d.last_seen_at) as at
from collectors o
join command_devices d on d.collector_id = o.id
where o.site_id = any (cast(:sites as int[]))
    and o.status = 'active'
    and 'control' = any (o.permissions)
    and d.last_seen_at > :since
group by o.site_id, o.zone_id
""")
_HISTORY = insert_history(
    "extended where is_first",
    event="'extended'",
    old_state="'queued'",
    new_state="'queued'",
    message="message",
    details="details",
)
_AUDIT = insert_audit(
    "extended where is_first",
    Action.COMMAND_EXTENDED,
    before="""'{"state": "queued"}'::jsonb""",
    after="""details || '{"state": "queued"}'""",
    reason="message",
)
# A step is as long as the TTL: a short one grows in small steps, and a long wait needs few. Only the first step gets a
# row of history and an audit entry: a day of waiting would leave hundreds.
_EXTEND = text(f"""
with
extended as (
    update commands c
    set ttl_sec = c.ttl_sec + step.sec,
        expires_at = c.expires_at + step.sec * interval '1 second',
        moves = c.moves + step.is_first::int,
        updated_at = :now
    from {unpack_rows("rows", command_id="uuid", reason="text", entry_id="uuid")}
    join commands o on o.command_id = given.command_id
    cross join lateral (
        select
            least(o.ttl_sec, :step_sec, :bound_sec - o.ttl_sec) as sec,
            not exists (
                select from command_history h where h.command_id = o.command_id and h.event = 'extended'
            ) as is_first
    ) step
    where c.command_id = given.command_id and c.state = 'queued'
    returning
        c.command_id,
        c.moves,
        c.tenant_id,
        c.site_id,
        step.is_first,
        'more time: ' || given.reason as message,
        given.entry_id,
        jsonb_build_object(
            'reason', given.reason, 'expired_at', o.expires_at, 'expires_at', c.expires_at
        ) as details
),
history as ({_HISTORY})
{_AUDIT}
""")  # noqa: S608 - words of our own tables


async def lock_expiring(
    session: AsyncSession, types: Sequence[str], *, before: datetime, bound_sec: int, most: int, now: datetime
) -> Sequence[Any]:
    """Commands that could be dispatched now and expire before then. Locked rows are being dispatched."""
    values = {"types": list(types), "before": before, "bound_sec": bound_sec, "most": most, "now": now}
    return (await session.execute(_ABOUT_TO_EXPIRE, values)).all()


async def list_last_polls(
    session: AsyncSession, sites: Sequence[int], *, since: datetime
) -> dict[tuple[int, int | None], datetime]:
    """The last poll or ack of collectors with control permission, by site and zone; zone None: the whole site."""
    rows = await session.execute(_LAST_POLLS, {"sites": list(sites), "since": since})
    return {(row.site_id, row.zone_id): row.at for row in rows}


async def update_ttls(
    session: AsyncSession, reasons: Mapping[UUID, str], *, step_sec: int, bound_sec: int, now: datetime
) -> None:
    """`reasons`: what each command waits for."""
    rows = [{"command_id": key, "reason": reason, "entry_id": new_id()} for key, reason in reasons.items()]
    values = {"rows": pack_rows(rows), "step_sec": step_sec, "bound_sec": bound_sec, "now": now, **audit_values(SYSTEM)}
    await session.execute(_EXTEND, values)
