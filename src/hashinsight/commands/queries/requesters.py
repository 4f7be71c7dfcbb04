"""Who stands behind a request, and what they commanded without approval."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.commands.approval import RecentRequests
from hashinsight.commands.queries.fragments import packed, rows_of

_PERSON = text("select person_of(:kind, :id)")
# until the end of the transaction: requests of one requester at one site are summed one after the other
_TAKE_TURN = text("select pg_advisory_xact_lock(cast(:site_id as int), hashtext('asked by ' || :requester))")
# whose limits a command counts for, as `find_requester` and `summed_as` say of whoever asks
_SUMMED_AS = f"""case when c.created_by_kind = '{ActorKind.API_KEY.value}'
            then coalesce('{ActorKind.USER.value}:' || person_of(c.created_by_kind, c.created_by), c.created_by_kind)
            when c.created_by_kind = '{ActorKind.SYSTEM.value}' then c.created_by_kind
            else concat_ws(':', c.created_by_kind, c.created_by) end"""
# Within the window, or still open: what waits for days for a collector goes out all at once when it comes. Any command
# of the requester for the machine, not only the newest: who asks twice and cancels one of them still has the other.
_BEFORE = text(f"""
select count(*) filter (where not named) as machines,
    coalesce(sum(power_w) filter (where not named), 0) as power_w,
    array_agg(miner_no) filter (where named) as nos,
    array_agg(power_w) filter (where named) as powers_w
from (
    select u.miner_no, u.power_w, u.miner_no = any (cast(:nos as int[])) as named from command_unapproved u
    where u.site_id = :site_id and u.requester = :requester and (u.at > :since or exists (
        select from commands c where c.miner_no = u.miner_no and c.finished_at is null and c.site_id = u.site_id
            and c.is_control and c.approval_state = 'none' and {_SUMMED_AS} = u.requester))
) u
""")  # noqa: S608 - words of our own tables
_NOTE = text(f"""
insert into command_unapproved (tenant_id, site_id, requester, miner_no, command_id, at, power_w)
select :tenant_id, :site_id, :requester, given.miner_no, given.command_id, :now, given.power_w
from {rows_of("rows", miner_no="int", command_id="uuid", power_w="real")}
on conflict (site_id, requester, miner_no) do update
set command_id = excluded.command_id, at = excluded.at,
    power_w = greatest(excluded.power_w, case when command_unapproved.at > :since then command_unapproved.power_w end)
""")  # noqa: S608 - words of our own tables


async def find_requester(session: AsyncSession, actor: Actor) -> str:
    """The person behind a session or a key; a rule and a key that nobody stands behind as themselves.

    The command line is one requester, whichever user of the host types: whoever has one account there has others.
    """
    kind, named = actor.kind, None if actor.kind is ActorKind.SYSTEM else actor.id
    if kind is ActorKind.API_KEY:
        person = (await session.execute(_PERSON, {"kind": kind.value, "id": named})).scalar()
        kind, named = (kind, named) if person is None else (ActorKind.USER, person)
    return kind.value if named is None else f"{kind.value}:{named}"


def summed_as(requester: str) -> str:
    """Whose limits a request counts for. Keys of nobody share one: else ten of them would have ten times as much."""
    return ActorKind.API_KEY.value if requester.startswith(f"{ActorKind.API_KEY.value}:") else requester


async def take_turn(session: AsyncSession, site_id: int, requester: str) -> None:
    await session.execute(_TAKE_TURN, {"site_id": site_id, "requester": requester})


async def sum_unapproved(
    session: AsyncSession, site_id: int, requester: str, miner_nos: Sequence[int], *, since: datetime
) -> tuple[RecentRequests, dict[int, float]]:
    """What this requester commanded there without approval: other machines than these, and what these drew then."""
    values = {"site_id": site_id, "requester": requester, "nos": list(miner_nos), "since": since}
    row = (await session.execute(_BEFORE, values)).one()
    return RecentRequests(row.machines, float(row.power_w) / 1000), dict(
        zip(row.nos or (), row.powers_w or (), strict=True)
    )


async def note_unapproved(
    session: AsyncSession,
    tenant_id: UUID,
    site_id: int,
    requester: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    since: datetime,
    now: datetime,
) -> None:
    """`rows`: miner_no, command_id and power_w of each."""
    values = {"tenant_id": tenant_id, "site_id": site_id, "requester": requester, "since": since, "now": now}
    await session.execute(_NOTE, {**values, "rows": packed(rows)})
