"""Commands by collector, for the summary of collectors: pending ones, and those of the last day."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.states import FINAL

_DAY = timedelta(hours=24)
# leased to it, or ready for any collector of its site or zone
_PENDING = text("""
select k.id, count(*) as pending
from collectors k
join commands c on c.site_id = k.site_id and c.finished_at is null and c.approval_state <> 'required'
where k.id = any (cast(:ids as uuid[])) and case
    when c.lease_owner is not null then c.lease_owner = k.id
    else k.zone_id is null or exists (select from miners m where m.miner_no = c.miner_no and m.zone_id = k.zone_id) end
group by k.id
""")
_DAY_BY_STATE = text("""
-- attempts of the day's commands; an ack has the duration, or one ack has the start and another the finish
with attempts as (
    select
        a.collector_id,
        c.state,
        a.dispatch_id = c.dispatch_id as is_newest,
        case when a.result in ('succeeded', 'failed', 'rejected') then
            coalesce(a.execution_time_ms / 1000.0, extract(epoch from a.finished_at - a.started_at)) end as took_sec
    from all_commands c
    join command_attempts a on a.command_id = c.command_id
    where c.created_at > :since and c.site_id in (select site_id from collectors where id = any (cast(:ids as uuid[])))
        and a.collector_id = any (cast(:ids as uuid[]))
)
-- a command counts by its newest attempt
select
    collector_id,
    state,
    count(*) filter (where is_newest) as commands,
    count(*) filter (where took_sec >= 0) as timed,
    coalesce(sum(took_sec) filter (where took_sec >= 0), 0)::float8 as timed_sec
from attempts
group by collector_id, state
""")


async def count_by_collector(
    session: AsyncSession, collector_ids: Sequence[UUID], *, now: datetime
) -> dict[UUID, dict[str, Any]]:
    """`pending_commands`, and `commands_24h`: created within the day and dispatched to it, in total and by final state.

    `mean_execution_sec` is over their finished attempts with a known duration; null without any.
    """
    values = {"ids": list(collector_ids), "since": now - _DAY}
    pending = {row.id: row.pending for row in await session.execute(_PENDING, values)}
    days: dict[UUID, list[Row[Any]]] = {}
    for row in await session.execute(_DAY_BY_STATE, values):
        days.setdefault(row.collector_id, []).append(row)
    return {
        collector_id: {
            "pending_commands": pending.get(collector_id, 0),
            "commands_24h": _day(days.get(collector_id, [])),
        }
        for collector_id in collector_ids
    }


def _day(rows: Sequence[Row[Any]]) -> dict[str, float | None]:
    counts = {row.state: row.commands for row in rows}
    ended = {state.value: counts.get(state.value, 0) for state in FINAL}
    timed = sum(row.timed for row in rows)
    mean_sec = round(sum(row.timed_sec for row in rows) / timed, 3) if timed else None
    return {"dispatched": sum(counts.values()), **ended, "mean_execution_sec": mean_sec}


_OPEN_BY_SITE = text("""
    select site_id, state, count(*)
    from commands
    where finished_at is null
    group by site_id, state
""")


async def count_open_by_site(session: AsyncSession) -> dict[tuple[int, str], int]:
    """By site and state, for the installation's metrics."""
    return {(site_id, state): count for site_id, state, count in await session.execute(_OPEN_BY_SITE)}
