"""Requesters: the person behind a request, and what they commanded without approval."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.commands.approval import RecentRequests
from hashinsight.commands.queries.fragments import pack_rows, unpack_rows

_PERSON = text("select person_of(:kind, :id)")
# until the end of the transaction: requests of one requester at one site are judged one after another
_LOCK_REQUESTER = text("select pg_advisory_xact_lock(cast(:site_id as int), hashtext('asked by ' || :requester))")
# the same as `find_requester` and `limit_key`, for the creator of a command
_LIMIT_KEY = f"""
            case
                when c.created_by_kind = '{ActorKind.API_KEY.value}' then coalesce(
                    '{ActorKind.USER.value}:' || person_of(c.created_by_kind, c.created_by), c.created_by_kind
                )
                when c.created_by_kind = '{ActorKind.SYSTEM.value}' then c.created_by_kind
                else concat_ws(':', c.created_by_kind, c.created_by)
            end"""
# Within the window, or still open: commands that wait for days for a collector are dispatched all at once when it comes
# back. Any open command of the requester for the machine counts, not only the newest.
_RECENT = text(f"""
select
    count(*) filter (where not is_given) as machines,
    coalesce(sum(power_w) filter (where not is_given), 0) as power_w,
    array_agg(miner_no) filter (where is_given) as nos,
    array_agg(power_w) filter (where is_given) as powers_w
from (
    select u.miner_no, u.power_w, u.miner_no = any (cast(:nos as int[])) as is_given
    from command_unapproved u
    where u.site_id = :site_id
        and u.requester = :requester
        and (u.at > :since or exists (
            select from commands c
            where c.miner_no = u.miner_no
                and c.finished_at is null
                and c.site_id = u.site_id
                and c.is_control
                and c.approval_state = 'none'
                and {_LIMIT_KEY} = u.requester
        ))
) u
""")  # noqa: S608 - words of our own tables
_INSERT_UNAPPROVED = text(f"""
insert into command_unapproved (tenant_id, site_id, requester, miner_no, command_id, at, power_w)
select :tenant_id, :site_id, :requester, given.miner_no, given.command_id, :now, given.power_w
from {unpack_rows("rows", miner_no="int", command_id="uuid", power_w="real")}
on conflict (site_id, requester, miner_no) do update
set command_id = excluded.command_id,
    at = excluded.at,
    power_w = greatest(excluded.power_w, case when command_unapproved.at > :since then command_unapproved.power_w end)
""")  # noqa: S608 - words of our own tables


async def find_requester(session: AsyncSession, actor: Actor) -> str:
    """The person behind a session or an API key; a rule, or a key without a person, is a requester of its own.

    The command line is one requester, whichever user of the host runs it: host accounts are easy to switch.
    """
    kind, name = actor.kind, None if actor.kind is ActorKind.SYSTEM else actor.id
    if kind is ActorKind.API_KEY:
        person = (await session.execute(_PERSON, {"kind": kind.value, "id": name})).scalar()
        kind, name = (kind, name) if person is None else (ActorKind.USER, person)
    return kind.value if name is None else f"{kind.value}:{name}"


def limit_key(requester: str) -> str:
    """Whose limits a request counts towards. Keys without a person share one: ten keys do not have ten limits."""
    return ActorKind.API_KEY.value if requester.startswith(f"{ActorKind.API_KEY.value}:") else requester


async def lock_requester(session: AsyncSession, site_id: int, requester: str) -> None:
    await session.execute(_LOCK_REQUESTER, {"site_id": site_id, "requester": requester})


async def get_recent_requests(
    session: AsyncSession, site_id: int, requester: str, miner_nos: Sequence[int], *, since: datetime
) -> tuple[RecentRequests, dict[int, float]]:
    """What the requester commanded there without approval: other machines than these, and the power of these then."""
    values = {"site_id": site_id, "requester": requester, "nos": list(miner_nos), "since": since}
    row = (await session.execute(_RECENT, values)).one()
    powers_w = dict(zip(row.nos or (), row.powers_w or (), strict=True))
    return RecentRequests(row.machines, float(row.power_w) / 1000), powers_w


async def insert_unapproved(
    session: AsyncSession,
    tenant_id: UUID,
    site_id: int,
    requester: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    since: datetime,
    now: datetime,
) -> None:
    """`rows`: miner_no, command_id and power_w."""
    values = {"tenant_id": tenant_id, "site_id": site_id, "requester": requester, "since": since, "now": now}
    await session.execute(_INSERT_UNAPPROVED, {**values, "rows": pack_rows(rows)})
