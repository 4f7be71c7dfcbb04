"""Commands in the queue that are near their end, and more time for them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.states import READY

_ENDING = text(f"""
select command_id, tenant_id, site_id, zone_id, command_type, miner_no from commands
where {READY} and expires_at <= :before and command_type = any (cast(:types as text[])) and not emergency
    and cancel_requested_at is null and next_attempt_at <= :now and ttl_sec < :bound_sec
order by expires_at limit :most for update skip locked
""")  # noqa: S608 - words of our own tables
# by its own length: a short TTL grows in small steps, and a long wait takes few; issued stays what it was
_EXTEND = text("""
update commands c set ttl_sec = c.ttl_sec + step.sec, expires_at = c.expires_at + step.sec * interval '1 second',
    updated_at = :now
from unnest(cast(:ids as uuid[])) as given (id) join commands o on o.command_id = given.id
    cross join lateral (select least(o.ttl_sec, :step_sec, :bound_sec - o.ttl_sec) as sec) step
where c.command_id = given.id and c.state = 'queued'
""")


async def lock_ending(
    session: AsyncSession, types: Sequence[str], *, before: datetime, bound_sec: int, most: int, now: datetime
) -> Sequence[Any]:
    """Those that could be handed out now and end before then. What somebody holds is being handed out."""
    values = {"types": list(types), "before": before, "bound_sec": bound_sec, "most": most, "now": now}
    return (await session.execute(_ENDING, values)).all()


async def extend(session: AsyncSession, ids: Sequence[UUID], *, step_sec: int, bound_sec: int, now: datetime) -> None:
    await session.execute(_EXTEND, {"ids": list(ids), "step_sec": step_sec, "bound_sec": bound_sec, "now": now})
