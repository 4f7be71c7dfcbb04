"""Machines that are down by commands: what a site's cap counts, and how a lease stays below it.

With the cap, a lease counts the commands that take one more machine down, emergencies first: those go out in any case
and leave less room for the rest. A machine that is already down takes no room, so a lost lease is redelivered. A stop
counts all machines that are down, a restart only those in transition: a site with stopped machines can still be served.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.catalogue import RESTARTS, SETTINGS, TAKES_DOWN
from hashinsight.commands.limits import FRESH_SAMPLE
from hashinsight.commands.states import sql_list

LEASE_ORDER = "urgency desc, created_at, command_id"
# besides `online`, which stays true while the rollup that clears it does not run
_FRESH = f"interval '{FRESH_SAMPLE.total_seconds():.0f} seconds'"
_STARTED_BY_HAND = "interval '15 minutes'"  # after a stop: it does not take a machine that long to stop hashing
_RESTART_BEGUN = "interval '1 minute'"  # after the ack and the requested delay: by then a restart has begun
_SETTINGS_DOWN = "interval '5 minutes'"  # after the ack of settings; they stay in the hot table for longer


def down_now(sites: str) -> str:
    """SQL for `site_id, miner_no, is_settled`, a row per machine; settled: stopped on purpose, and the stop was acked.

    Down: expected to be down because of a command, a command that takes it down is dispatched, or settings restarted
    its mining program some minutes ago. Not down: hashing again since its restart or settings, or hashing long after
    a stop (somebody started it by hand). Open and closed intervals are read separately, each by its index; intervals
    that begin later by another process's clock count as well.
    """
    expected = f"""
            select site_id, miner_no, state, cause, from_at, until_at
            from expected_states
            where site_id = any ({sites})
                and state in ('stopped', 'curtailed', 'rebooting')
                and starts_with(cause, 'command ')"""  # noqa: S608 - words of our own tables
    return f"""
    select site_id, miner_no, bool_or(is_settled) as is_settled
    from (
        -- expected to be down because of a command
        select e.site_id, e.miner_no, e.until_at is null as is_settled
        from (
            {expected} and until_at > :now
            union all
            {expected} and until_at is null
        ) e
        join miners m on m.miner_no = e.miner_no and m.site_id = e.site_id and m.state = 'in_service'
        where not exists (
            select from telemetry_live l
            where l.miner_no = e.miner_no
                and l.hashrate_5min_ths > 0
                and l.online
                and l.ts > cast(:now as timestamptz) - {_FRESH}
                and case
                    when e.until_at is null then l.ts > e.from_at + {_STARTED_BY_HAND}
                    when e.state = 'rebooting' then l.ts > {_RESTART_BEGUN} + (
                        select
                            c.finished_at
                                + coalesce(cast(c.params ->> 'delay_seconds' as int), 0) * interval '1 second'
                        from all_commands c
                        where c.command_id = cast(substr(e.cause, 9) as uuid)
                    )
                end
        )
        union all
        -- a command that takes it down is dispatched
        select c.site_id, c.miner_no, false
        from commands c
        where c.lease_until is not null
            and c.site_id = any ({sites})
            and c.command_type in ({sql_list(TAKES_DOWN)})
        union all
        -- settings restarted its mining program
        select c.site_id, c.miner_no, false
        from commands c
        where c.state = 'succeeded'
            and c.site_id = any ({sites})
            and c.command_type in ({sql_list(SETTINGS)})
            and c.finished_at > cast(:now as timestamptz) - {_SETTINGS_DOWN}
            and not exists (
                select from telemetry_live l
                where l.miner_no = c.miner_no
                    and l.hashrate_5min_ths > 0
                    and l.online
                    and l.ts > c.finished_at + {_RESTART_BEGUN}
            )
    ) d
    group by site_id, miner_no
    """  # noqa: S608 - words of our own tables


CAPPED_ROOM = f"""
-- machines of the site that are down by commands
down as materialized (
    select miner_no, is_settled from ({down_now("array[cast(:site_id as int)]")}) d
),
counts as materialized (
    select count(*)::int as down, (count(*) filter (where not is_settled))::int as in_transition from down
),
-- how many commands of each type this poll may take; a type that takes machines down has two rows: commands that go out
-- in any case, and commands that need room below the cap
room as (
    select
        r.command_type,
        r.room as of_type,
        split.needs_room,
        counted.down,
        case
            when not coalesce(split.needs_room, false) then r.room
            when :fills then least(r.room, greatest(0, cast(:cap as int) - counted.down))
            else 0
        end as room
    from unnest(cast(:types as text[]), cast(:rooms as int[])) as r (command_type, room)
    cross join counts
    cross join lateral (
        select case when r.command_type in ({sql_list(RESTARTS)}) then counts.in_transition else counts.down end as down
    ) counted
    cross join lateral unnest(
        case
            when r.command_type in ({sql_list(TAKES_DOWN)}) then array[false, true]
            else array[cast(null as boolean)]
        end
    ) as split (needs_room)
)"""  # noqa: S608 - words of our own tables
_IS_DOWN = "c.miner_no in (select miner_no from down)"
CAPPED_COLUMNS = f""",
            c.emergency,
            c.command_type,
            room.of_type,
            room.down as down_before,
            room.needs_room is not null and not ({_IS_DOWN}) as takes_room"""
CAPPED_CONDITION = f"and (room.needs_room is null or room.needs_room <> (c.emergency or {_IS_DOWN}))"
CAPPED_CHOSEN = f"""
-- candidates by type, and those that take one more machine down, emergencies first
counted as (
    select
        *,
        row_number() over (partition by command_type order by {LEASE_ORDER}) as nth_of_type,
        case
            when takes_room then row_number() over (partition by takes_room order by emergency desc, {LEASE_ORDER})
        end as nth_down
    from candidates
),
-- below the rate and the cap, or an emergency
allowed as (
    select
        *,
        down_before + nth_down as down,
        coalesce(down_before + nth_down > :cap, false) as is_over
    from counted
    where nth_of_type <= of_type
        and (nth_down is null or emergency or down_before + nth_down <= :cap)
),
-- the most urgent ones, up to the poll's limit
chosen as (
    select *, row_number() over (order by {LEASE_ORDER}) as place from allowed order by {LEASE_ORDER} limit :most
)"""  # noqa: S608 - words of our own tables
OVER_CAP = """,
        over_cap = case
            when given.is_over then jsonb_build_object(
                'down', given.down, 'cap', cast(:cap as int), 'site_machines', cast(:site_machines as int)
            )
            else c.over_cap
        end"""
WENT_OVER = """,
        case when given.is_over then c.over_cap::text end as went_over"""

_DOWN = text(f"""
with down as materialized ({down_now("cast(:sites as int[])")})
select
    site_id,
    count(*)::int as machines,
    (count(*) filter (where not is_settled))::int as in_transition,
    array_agg(miner_no) filter (where miner_no = any (cast(:nos as int[]))) as nos
from down
group by site_id
""")  # noqa: S608 - words of our own tables
# Machines that collectors registered within a day count at most as many as were there before: a stolen token could
# otherwise invent a fleet, and raise the cap. If all are new, all count.
_SITE_MACHINES = text("""
select site_id, case when settled = 0 then n else least(n, 2 * settled) end as n
from (
    select
        site_id,
        count(*)::int as n,
        (count(*) filter (
            where registered_by is null or created_at <= cast(:now as timestamptz) - interval '1 day'
        ))::int as settled
    from miners
    where site_id = any (cast(:sites as int[])) and state = 'in_service'
    group by site_id
) counted
""")


class SiteOutages(NamedTuple):
    """How many machines of a site are down by commands, and which of the given ones."""

    machines: int
    in_transition: int  # dispatched, or not back yet
    among: frozenset[int]

    def counted_for(self, command_type: str) -> int:
        """A restart takes minutes: it waits for others in transition, not for machines that are stopped for days."""
        return self.in_transition if command_type in RESTARTS else self.machines


NO_OUTAGES = SiteOutages(0, 0, frozenset())


async def list_outages(
    session: AsyncSession, sites: Sequence[int], miner_nos: Sequence[int], *, now: datetime
) -> dict[int, SiteOutages]:
    rows = await session.execute(_DOWN, {"sites": list(sites), "nos": list(miner_nos), "now": now})
    return {row.site_id: SiteOutages(row.machines, row.in_transition, frozenset(row.nos or ())) for row in rows}


async def count_machines(session: AsyncSession, sites: Sequence[int], *, now: datetime) -> dict[int, int]:
    """Machines in service of which the cap is a share, by site."""
    rows = await session.execute(_SITE_MACHINES, {"sites": list(sites), "now": now})
    return {row.site_id: row.n for row in rows}
