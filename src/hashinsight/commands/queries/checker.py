"""Reads a run for the history checker: whole stories of some machines, in one statement and so at one instant."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.checker import Approval, Attempt, Command, Lease, Move

_ALIVE = """
    tenant_id = :tenant_id
        and created_at < coalesce(cast(:until as timestamptz), 'infinity')
        and coalesce(finished_at, 'infinity') >= coalesce(cast(:since as timestamptz), '-infinity')
"""


def _columns(kind: type) -> str:
    return ", ".join(kind.__struct_fields__)  # type: ignore[attr-defined] # msgspec's


def _lines(kind: str, rows: str) -> str:
    return f"select '{kind}' as kind, row_to_json(r)::text as line from ({rows}) r"  # noqa: S608 - the same


def _stories() -> str:
    """From both tables: a command that is in both must show."""
    of_mine = "where command_id in (select command_id from mine)"
    entries = """
        select entity_id as command_id, action, at, actor_kind, actor_id, before, after
        from audit_log
        where tenant_id = :tenant_id
            and entity_type = 'command'
            and entity_id in (select command_id::text from mine)
    """
    chosen = f"{_ALIVE} and miner_no = any (cast(:nos as int[]))"
    parts = [
        _lines("Command", f"select {_columns(Command)} from mine"),  # noqa: S608 - words of our own tables
        _lines("Move", f"select {_columns(Move)} from command_history {of_mine}"),  # noqa: S608 - the same
        _lines("Attempt", f"select {_columns(Attempt)} from command_attempts {of_mine}"),  # noqa: S608 - the same
        _lines(
            "Approval",
            f"select {_columns(Approval)} from approvals where batch_id in (select batch_id from mine)",  # noqa: S608 - the same
        ),
        _lines("Entry", entries),
    ]
    return f"""
    with mine as materialized (
        select *, true as hot, person_of(created_by_kind, created_by) as person from commands where {chosen}
        union all
        select *, false as hot, person_of(created_by_kind, created_by) as person from commands_done where {chosen}
    )
    {" union all ".join(parts)}
    """  # noqa: S608 - words of our own tables


_STORIES = text(_stories())
_MACHINES = text(f"select distinct miner_no from all_commands where {_ALIVE} order by miner_no")  # noqa: S608 - the same
_LEASES = text(f"""
with mine as (
    select command_id, site_id, command_type
    from all_commands
    where {_ALIVE} and command_type = any (cast(:types as text[]))
)
select row_to_json(r)::text as line
from (
    select {_columns(Lease)}
    from mine
    join (select command_id, at from command_history where event = 'leased') h using (command_id)
) r
""")  # noqa: S608 - words of our own tables
# Each lease, and the move that released the machine. From an hour before the range, and all stops and starts ever: a
# machine that was stopped last year takes no room.
_OUTAGES = text("""
with mine as (
    select command_id, site_id, miner_no, command_type, emergency
    from all_commands
    where tenant_id = :tenant_id
        and created_at < coalesce(cast(:until as timestamptz), 'infinity')
        and command_type = any (cast(:types as text[]))
        and (command_type in ('disable_hashing', 'enable_hashing')
            or coalesce(finished_at, 'infinity')
                >= coalesce(cast(:since as timestamptz), '-infinity') - interval '1 hour')
)
select row_to_json(r)::text as line
from (
    select
        mine.*,
        l.at,
        l.recorded_at,
        cast(l.details ->> 'lease_until' as timestamptz) as lease_until,
        e.event as released_by,
        e.at as released_at,
        e.recorded_at as release_recorded_at,
        e.details ->> 'error_code' as error_code
    from mine
    join command_history l on l.command_id = mine.command_id and l.event = 'leased'
    left join lateral (
        select *
        from command_history h
        where h.command_id = l.command_id and h.n > l.n and h.new_state not in ('dispatched', 'running')
        order by h.n
        limit 1
    ) e on true
) r
""")
# in any state: a machine that is out of service now may have counted then
_SITE_MACHINES = text("select site_id, count(*)::int as n from miners where tenant_id = :tenant_id group by site_id")
# created by the audit log, and in no table
_LOST = text("""
select e.entity_id, e.at
from audit_log e
where e.tenant_id = :tenant_id
    and e.action = 'command_created'
    and e.at >= coalesce(cast(:since as timestamptz), '-infinity')
    and e.at < coalesce(cast(:until as timestamptz), 'infinity')
    and not exists (select from all_commands c where c.command_id = cast(e.entity_id as uuid))
order by e.at
limit :most
""")
_SETTINGS_CHANGES = text("""
select at, before, after
from audit_log
where tenant_id = :tenant_id and action = 'settings_changed'
order by at, id
""")


async def list_machines(session: AsyncSession, span: Mapping[str, Any]) -> list[int]:
    """Machines with a command that was alive in the range."""
    return list((await session.execute(_MACHINES, dict(span))).scalars())


async def list_story_rows(session: AsyncSession, span: Mapping[str, Any], miner_nos: Sequence[int]) -> Sequence[Any]:
    """Every row about these machines: its kind, and itself as JSON."""
    return (await session.execute(_STORIES, {**span, "nos": list(miner_nos)})).all()


async def list_leases(session: AsyncSession, span: Mapping[str, Any], types: Sequence[str]) -> list[str]:
    return list((await session.execute(_LEASES, {**span, "types": list(types)})).scalars())


async def list_outages(session: AsyncSession, span: Mapping[str, Any], types: Sequence[str]) -> list[str]:
    return list((await session.execute(_OUTAGES, {**span, "types": list(types)})).scalars())


async def count_machines(session: AsyncSession, tenant_id: UUID) -> dict[int, int]:
    return {row.site_id: row.n for row in await session.execute(_SITE_MACHINES, {"tenant_id": tenant_id})}


async def list_lost(session: AsyncSession, span: Mapping[str, Any], *, most: int) -> list[tuple[str, datetime]]:
    return [(row.entity_id, row.at) for row in await session.execute(_LOST, {**span, "most": most})]


async def list_settings_changes(session: AsyncSession, tenant_id: UUID) -> Sequence[Any]:
    """Oldest first: the changed sections, before and after."""
    return (await session.execute(_SETTINGS_CHANGES, {"tenant_id": tenant_id})).all()
