"""Machines that are down by commands: what a site's cap counts."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.catalogue import RESTARTS, SETTINGS, TAKES_DOWN
from hashinsight.commands.states import sql_list

_BACK_AFTER = "interval '1 minute'"  # behind an ack and the delay that was asked for: by then a restart has begun
_HASHING_WITHIN = "interval '5 minutes'"  # behind the ack of settings; they stay in the hot table for longer


def down_now(sites: str) -> str:
    """`site_id, miner_no, is_settled` of each, once; settled: stopped on purpose, and its stop was acked.

    By what a command made it expected to be, while a command that takes it down is handed out, and some minutes behind
    settings that restarted its mining program. Not one that is seen hashing since its restart or its settings, nor
    one that was stopped and is seen hashing long after: somebody started it by hand. By two ways into the index: an end
    that lies ahead, and none. What began later by the clock of another process counts as well.
    """
    expected = f"""
        select site_id, miner_no, state, cause, from_at, until_at from expected_states
        where site_id = any ({sites}) and state in ('stopped', 'curtailed', 'rebooting')
            and starts_with(cause, 'command ')"""  # noqa: S608 - words of our own tables
    return f"""
    select site_id, miner_no, bool_or(is_settled) as is_settled from (
    select e.site_id, e.miner_no, e.until_at is null as is_settled from (
        {expected} and until_at > :now
        union all
        {expected} and until_at is null
    ) e join miners m on m.miner_no = e.miner_no and m.site_id = e.site_id and m.state = 'in_service'
    where not exists (
        select from telemetry_live l where l.miner_no = e.miner_no and l.hashrate_5min_ths > 0 and l.online
            and l.ts > cast(:now as timestamptz) - interval '15 minutes' and case
                when e.until_at is null then l.ts > e.from_at + interval '15 minutes'
                when e.state = 'rebooting' then l.ts > {_BACK_AFTER} + (
                    select c.finished_at + coalesce(cast(c.params ->> 'delay_seconds' as int), 0) * interval '1 second'
                    from all_commands c where c.command_id = cast(substr(e.cause, 9) as uuid)) end)
    union all
    select c.site_id, c.miner_no, false from commands c
    where c.lease_until is not null and c.site_id = any ({sites}) and c.command_type in ({sql_list(TAKES_DOWN)})
    union all
    select c.site_id, c.miner_no, false from commands c
    where c.state = 'succeeded' and c.site_id = any ({sites}) and c.command_type in ({sql_list(SETTINGS)})
        and c.finished_at > cast(:now as timestamptz) - {_HASHING_WITHIN} and not exists (
            select from telemetry_live l where l.miner_no = c.miner_no and l.hashrate_5min_ths > 0 and l.online
                and l.ts > c.finished_at + {_BACK_AFTER})
    ) d group by site_id, miner_no
    """  # noqa: S608 - words of our own tables


_DOWN = text(f"""
with down as materialized ({down_now("cast(:sites as int[])")})
select site_id, count(*)::int as n, (count(*) filter (where not is_settled))::int as moving,
    array_agg(miner_no) filter (where miner_no = any (cast(:nos as int[]))) as nos
from down group by site_id
""")  # noqa: S608 - words of our own tables
# Machines that collectors registered within a day at most double what was there: a stolen token could else invent a
# fleet, and the cap with it. Where all are new, they are the site.
_MACHINES = text("""
select site_id, case when settled = 0 then n else least(n, 2 * settled) end as n from (
    select
        site_id,
        count(*)::int as n,
        (count(*) filter (
            where registered_by is null or created_at <= cast(:now as timestamptz) - interval '1 day'))::int as settled
    from miners where site_id = any (cast(:sites as int[])) and state = 'in_service'
    group by site_id
) counted
""")


class SiteOutages(NamedTuple):
    """Of a site: how many machines are down by commands, and which of those that were asked about."""

    machines: int
    in_transition: int  # of them: those that a command was handed out for, or that are not back
    among: frozenset[int]

    def counted_for(self, command_type: str) -> int:
        """A restart is over in minutes: it waits for others in transition, not for those that stand for days."""
        return self.in_transition if command_type in RESTARTS else self.machines


NO_OUTAGES = SiteOutages(0, 0, frozenset())


async def list_down(
    session: AsyncSession, sites: Sequence[int], miner_nos: Sequence[int], *, now: datetime
) -> dict[int, SiteOutages]:
    rows = await session.execute(_DOWN, {"sites": list(sites), "nos": list(miner_nos), "now": now})
    return {row.site_id: SiteOutages(row.n, row.moving, frozenset(row.nos or ())) for row in rows}


async def count_machines(session: AsyncSession, sites: Sequence[int], *, now: datetime) -> dict[int, int]:
    """Machines in service that the cap is a share of, by site."""
    rows = await session.execute(_MACHINES, {"sites": list(sites), "now": now})
    return {row.site_id: row.n for row in rows}
