"""Commands in the queue that are near their end, and more time for them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.queries.entries import INSERT_AUDIT_LOG
from hashinsight.commands.queries.fragments import TOLD, packed, rows_of, whence
from hashinsight.commands.states import READY
from hashinsight.kit.ids import new_id

# Not those whose end has passed, however long nobody swept: what is expired stays so.
_ENDING = text(f"""
select command_id, tenant_id, site_id, zone_id, command_type, miner_no,
    greatest(expires_at - ttl_sec * interval '1 second', next_attempt_at) as due_at
from commands
where {READY} and expires_at > :now and expires_at <= :before and command_type = any (cast(:types as text[]))
    and not emergency and cancel_requested_at is null and next_attempt_at <= :now and ttl_sec < :bound_sec
order by expires_at limit :most for update skip locked
""")  # noqa: S608 - words of our own tables
_POLLED = text("""
select o.site_id, o.zone_id, max(d.last_seen_at) as at
from collectors o join command_devices d on d.collector_id = o.id
where o.site_id = any (cast(:sites as int[])) and o.status = 'active' and 'control' = any (o.permissions)
    and d.last_seen_at > :since
group by o.site_id, o.zone_id
""")
# By its own length: a short TTL grows in small steps, and a long wait takes few; issued stays what it was. The first
# step is a move of the history and an entry of the record, later ones are not: a day of waiting would leave hundreds.
_EXTEND = text(f"""
with extended as (
    update commands c
    set ttl_sec = c.ttl_sec + step.sec, expires_at = c.expires_at + step.sec * interval '1 second',
        moves = c.moves + step.is_first::int, updated_at = :now
    from {rows_of("rows", command_id="uuid", reason="text", entry_id="uuid")}
    join commands o on o.command_id = given.command_id
    cross join lateral (
        select least(o.ttl_sec, :step_sec, :bound_sec - o.ttl_sec) as sec, not exists (
            select from command_history h where h.command_id = o.command_id and h.event = 'extended') as is_first
    ) step
    where c.command_id = given.command_id and c.state = 'queued'
    returning c.command_id, c.moves, c.tenant_id, c.site_id, step.is_first, given.reason, given.entry_id,
        jsonb_build_object('reason', given.reason, 'expired_at', o.expires_at, 'expires_at', c.expires_at) as details
), told as (
    {TOLD}
    select command_id, moves, tenant_id, site_id, :now, 'extended', 'queued', 'queued', :actor_kind, :actor_id,
        'more time: ' || reason, details, null
    from extended where is_first
)
{INSERT_AUDIT_LOG}
select entry_id, :now, tenant_id, :actor_kind, :actor_id, '{Action.COMMAND_EXTENDED.value}', 'command',
    command_id::text, '{{"state": "queued"}}'::jsonb, details || '{{"state": "queued"}}', 'more time: ' || reason,
    :request_id, :address
from extended where is_first
""")  # noqa: S608 - words of our own tables


async def lock_ending(
    session: AsyncSession, types: Sequence[str], *, before: datetime, bound_sec: int, most: int, now: datetime
) -> Sequence[Any]:
    """Those that could be handed out now and end before then. What somebody holds is being handed out."""
    values = {"types": list(types), "before": before, "bound_sec": bound_sec, "most": most, "now": now}
    return (await session.execute(_ENDING, values)).all()


async def list_polled(
    session: AsyncSession, sites: Sequence[int], *, since: datetime
) -> dict[tuple[int, int | None], datetime]:
    """When collectors that may control last asked for commands or acked some, by site and zone; no zone: all of it."""
    rows = await session.execute(_POLLED, {"sites": list(sites), "since": since})
    return {(row.site_id, row.zone_id): row.at for row in rows}


async def extend(
    session: AsyncSession, held: Mapping[UUID, str], *, step_sec: int, bound_sec: int, now: datetime
) -> None:
    """`held`: for what each of them waits."""
    rows = [{"command_id": one, "reason": reason, "entry_id": new_id()} for one, reason in held.items()]
    values = {"rows": packed(rows), "step_sec": step_sec, "bound_sec": bound_sec, "now": now, **whence(SYSTEM)}
    await session.execute(_EXTEND, values)
