"""Commands as people read them: open and finished in one list, the story of one, and why queued ones wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Table, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.models import APPROVALS, ATTEMPTS, BATCHES, COMMANDS, DONE, HISTORY
from hashinsight.commands.queries.fragments import commands_within, zone_of
from hashinsight.identity.scope import Scope
from hashinsight.kit.paging import Page, encode_cursor, page

_HIDDEN = ("sealed_params", "asks")
_SHOWN = tuple(column.name for column in COMMANDS.columns if column.name not in _HIDDEN)


@dataclass(frozen=True)
class CommandFilter:
    site_id: int | None = None
    miner_no: int | None = None
    miner_id: str | None = None
    batch_id: UUID | None = None
    state: tuple[str, ...] = ()
    approval_state: str | None = None
    command_type: str | None = None
    priority: str | None = None
    rule_id: str | None = None
    problem_id: str | None = None
    created_by: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self, table: Table) -> list[ColumnElement[bool]]:
        names = [name for name in vars(self) if name not in ("state", "since", "until")]
        conditions = [table.c[name] == getattr(self, name) for name in names if getattr(self, name) is not None]
        if self.state:
            conditions.append(table.c.state.in_(self.state) if len(self.state) > 1 else table.c.state == self.state[0])
        if self.since is not None:
            conditions.append(table.c.created_at >= self.since)
        if self.until is not None:
            conditions.append(table.c.created_at < self.until)
        return conditions


_TAKEN = text("""
select c.command_id
from commands c
where c.command_id = any (cast(:ids as uuid[]))
    and c.is_control
    and exists (
        select from commands o
        where o.miner_no = c.miner_no
            and o.finished_at is null
            and o.is_control
            and o.command_id <> c.command_id
            and (o.state <> 'queued' or o.approval_state <> 'required'
                and (-o.urgency, o.created_at, o.command_id) < (-c.urgency, c.created_at, c.command_id))
    )
""")
_SERVED = text("""
select site_id, zone_id
from collectors
where site_id = any (cast(:sites as int[])) and status = 'active' and 'control' = any (permissions)
""")


async def list_commands(
    session: AsyncSession, scope: Scope, command_filter: CommandFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first: a page of each table by its own index, merged.

    The hot table first: a command that is archived in between is read twice and shown once, not missed.
    """
    commands: dict[UUID, dict[str, Any]] = {}
    has_more = False
    for table in (COMMANDS, DONE):
        query = select(*_columns(table)).where(commands_within(scope, table), *command_filter.conditions(table))
        key = [table.c.created_at, table.c.command_id]
        part = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
        rows = [dict(zip(_SHOWN, row, strict=True)) for row in part.rows]
        commands |= {row["command_id"]: row for row in rows}
        has_more = has_more or part.next_cursor is not None
    newest = sorted(commands.values(), key=_sort_key, reverse=True)
    has_more = has_more or len(newest) > limit
    shown = newest[:limit]
    return Page(shown, encode_cursor(_sort_key(shown[-1])) if has_more and shown else None)


def _sort_key(row: dict[str, Any]) -> tuple[datetime, UUID]:
    return row["created_at"], row["command_id"]


async def get_command(session: AsyncSession, scope: Scope, command_id: UUID) -> dict[str, Any]:
    for table in (COMMANDS, DONE):
        query = select(*_columns(table)).where(commands_within(scope, table), table.c.command_id == command_id)
        row = (await session.execute(query)).mappings().one_or_none()
        if row is not None:
            return dict(row)
    raise errors.command_not_found()


async def find_tenant_of_command(session: AsyncSession, command_id: UUID) -> UUID | None:
    """For the command line, which sees all tenants."""
    parts = [select(table.c.tenant_id).where(table.c.command_id == command_id) for table in (COMMANDS, DONE)]
    return (await session.execute(union_all(*parts))).scalar()


async def list_created(session: AsyncSession, batch_id: UUID) -> Sequence[Any]:
    """The commands of a batch, as the request's answer shows them."""
    parts = [
        select(t.c.command_id, t.c.miner_id, t.c.state, t.c.approval_state).where(t.c.batch_id == batch_id)
        for t in (COMMANDS, DONE)
    ]
    return (await session.execute(union_all(*parts).order_by("command_id"))).all()


async def find_request_result(session: AsyncSession, batch_id: UUID) -> Any | None:
    """What a request was answered, for its repetition; row-level security limits who sees it."""
    query = select(BATCHES.c.refused, BATCHES.c.repeated, BATCHES.c.approval_reason).where(
        BATCHES.c.batch_id == batch_id
    )
    return (await session.execute(query)).one_or_none()


async def list_attempts(session: AsyncSession, command_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, select(ATTEMPTS).where(ATTEMPTS.c.command_id == command_id).order_by(ATTEMPTS.c.n))


async def list_history(session: AsyncSession, command_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, select(HISTORY).where(HISTORY.c.command_id == command_id).order_by(HISTORY.c.n))


async def list_approvals(session: AsyncSession, command_id: UUID, batch_id: UUID) -> list[dict[str, Any]]:
    """Of the command itself, and of its whole batch."""
    concerns = (APPROVALS.c.command_id == command_id) | APPROVALS.c.command_id.is_(None)
    query = select(APPROVALS).where(APPROVALS.c.batch_id == batch_id, concerns)
    return await _rows(session, query.order_by(APPROVALS.c.at, APPROVALS.c.id))


async def list_taken(session: AsyncSession, ids: Sequence[UUID]) -> set[UUID]:
    """Commands whose machine another control command has, or gets first."""
    return set((await session.execute(_TAKEN, {"ids": list(ids)})).scalars())


async def list_served(session: AsyncSession, sites: Sequence[int]) -> set[tuple[int, int | None]]:
    """Sites and zones with an online collector that has control permission; zone None: the whole site."""
    rows = await session.execute(_SERVED, {"sites": list(sites)})
    return {(row.site_id, row.zone_id) for row in rows}


def _columns(table: Table) -> list[Any]:
    return [zone_of(table).label(name) if name == "zone_id" else table.c[name] for name in _SHOWN]


async def _rows(session: AsyncSession, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in (await session.execute(query)).mappings()]
