"""What collectors have to do, and what became of what they were handed: for the summary of collectors."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.states import FINAL

_DAY = timedelta(hours=24)
# leased to it, or ready for whichever collector of its place polls first
_PENDING = text("""
select k.id, count(*) as pending
from collectors k
join commands c on c.site_id = k.site_id and c.finished_at is null and c.approval_state <> 'required'
where k.id = any (cast(:ids as uuid[])) and case
    when c.lease_owner is not null then c.lease_owner = k.id
    else k.zone_id is null or exists (select from miners m where m.miner_no = c.miner_no and m.zone_id = k.zone_id) end
group by k.id
""")
# by the newest attempt of each command of the day
_DAY_BY_STATE = text("""
select a.collector_id, c.state, count(*) as commands
from all_commands c
join command_attempts a on a.dispatch_id = c.dispatch_id
where c.created_at > :since and c.site_id in (select site_id from collectors where id = any (cast(:ids as uuid[])))
    and a.collector_id = any (cast(:ids as uuid[]))
group by a.collector_id, c.state
""")


async def count_by_collector(
    session: AsyncSession, collector_ids: Sequence[UUID], *, now: datetime
) -> dict[UUID, dict[str, Any]]:
    """`pending_commands`, and `commands_24h`: created within the day and handed to it, in all and by how they ended."""
    values = {"ids": list(collector_ids), "since": now - _DAY}
    pending = {row.id: row.pending for row in await session.execute(_PENDING, values)}
    by_state: dict[UUID, dict[str, int]] = {}
    for row in await session.execute(_DAY_BY_STATE, values):
        by_state.setdefault(row.collector_id, {})[row.state] = row.commands
    return {
        one: {"pending_commands": pending.get(one, 0), "commands_24h": _day(by_state.get(one, {}))}
        for one in collector_ids
    }


def _day(counts: dict[str, int]) -> dict[str, int]:
    ended = {state.value: counts.get(state.value, 0) for state in FINAL}
    return {"dispatched": sum(counts.values()), **ended}
