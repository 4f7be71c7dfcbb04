"""Reading commands: hot and finished ones as one list, the whole story of one, and why those in the queue wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Table, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.models import AuditEntry
from hashinsight.commands.models import APPROVALS, ATTEMPTS, BATCHES, COMMANDS, DONE, HISTORY
from hashinsight.commands.queries.fragments import commands_within
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, encode_cursor, page

_HIDDEN = ("sealed_params", "asks")
_SHOWN = tuple(column.name for column in COMMANDS.columns if column.name not in _HIDDEN)


@dataclass(frozen=True)
class CommandFilter:
    site_id: int | None = None
    zone_id: int | None = None
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
        found = [table.c[name] == getattr(self, name) for name in names if getattr(self, name) is not None]
        if self.state:
            found.append(table.c.state.in_(self.state) if len(self.state) > 1 else table.c.state == self.state[0])
        if self.since is not None:
            found.append(table.c.created_at >= self.since)
        if self.until is not None:
            found.append(table.c.created_at < self.until)
        return found


_TAKEN = text("""
select c.command_id from commands c
where c.command_id = any (cast(:ids as uuid[])) and c.is_control and exists (
    select from commands o where o.miner_no = c.miner_no and o.finished_at is null and o.is_control
        and o.command_id <> c.command_id and (o.state <> 'queued' or o.approval_state <> 'required'
            and (-o.urgency, o.created_at, o.command_id) < (-c.urgency, c.created_at, c.command_id))
)
""")
_SERVED = text("""
select site_id, zone_id from collectors
where site_id = any (cast(:sites as int[])) and status = 'active' and 'control' = any (permissions)
""")


async def list_commands(
    session: AsyncSession, scope: Scope, wanted: CommandFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first: a page of each table by its own index, and of both the newest.

    The hot table first: what is archived in between is seen twice, and shown once, instead of not at all.
    """
    seen: dict[UUID, dict[str, Any]] = {}
    more = False
    for table in (COMMANDS, DONE):
        key = [table.c.created_at, table.c.command_id]
        part = await page(session, _part(table, scope, wanted), key, limit=limit, cursor=cursor, descending=True)
        rows = [dict(zip(_SHOWN, row, strict=True)) for row in part.rows]
        seen |= {row["command_id"]: row for row in rows}
        more = more or part.next_cursor is not None
    found = sorted(seen.values(), key=_place, reverse=True)
    more = more or len(found) > limit
    shown = found[:limit]
    return Page(shown, encode_cursor(_place(shown[-1])) if more and shown else None)


def _place(row: dict[str, Any]) -> tuple[datetime, UUID]:
    return row["created_at"], row["command_id"]


async def list_of_batch(session: AsyncSession, batch_id: UUID) -> Sequence[Any]:
    """What a batch made, as its answer shows it."""
    parts = [
        select(t.c.command_id, t.c.miner_id, t.c.state, t.c.approval_state).where(t.c.batch_id == batch_id)
        for t in (COMMANDS, DONE)
    ]
    return (await session.execute(union_all(*parts).order_by("command_id"))).all()


async def get_command(session: AsyncSession, scope: Scope, command_id: UUID) -> dict[str, Any]:
    for table in (COMMANDS, DONE):
        query = select(*_columns(table)).where(commands_within(scope, table), table.c.command_id == command_id)
        found = (await session.execute(query)).one_or_none()
        if found is not None:
            return dict(found._mapping)  # noqa: SLF001 - SQLAlchemy's name for it
    raise NotFound("there is no such command")


async def list_attempts(session: AsyncSession, command_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, select(ATTEMPTS).where(ATTEMPTS.c.command_id == command_id).order_by(ATTEMPTS.c.n))


async def list_history(session: AsyncSession, command_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, select(HISTORY).where(HISTORY.c.command_id == command_id).order_by(HISTORY.c.n))


async def list_approvals(session: AsyncSession, command_id: UUID, batch_id: UUID) -> list[dict[str, Any]]:
    """Of the command itself, and of its batch as a whole."""
    meant = (APPROVALS.c.command_id == command_id) | APPROVALS.c.command_id.is_(None)
    query = select(APPROVALS).where(APPROVALS.c.batch_id == batch_id, meant).order_by(APPROVALS.c.at, APPROVALS.c.id)
    return await _rows(session, query)


async def list_audit(
    session: AsyncSession, tenant_id: UUID, command_id: UUID, *, limit: int = 500
) -> Sequence[AuditEntry]:
    query = (
        select(AuditEntry)
        .where(
            AuditEntry.tenant_id == tenant_id,
            AuditEntry.entity_type == "command",
            AuditEntry.entity_id == str(command_id),
        )
        .order_by(AuditEntry.at, AuditEntry.id)
        .limit(limit)
    )
    return (await session.execute(query)).scalars().all()


async def list_taken(session: AsyncSession, ids: Sequence[UUID]) -> set[UUID]:
    """Those whose machine another control command has, or will have before them."""
    return set((await session.execute(_TAKEN, {"ids": list(ids)})).scalars())


async def list_served(session: AsyncSession, sites: Sequence[int]) -> set[tuple[int, int | None]]:
    """Sites, and zones, with a collector that is heard and may control; no zone: the whole site."""
    rows = await session.execute(_SERVED, {"sites": list(sites)})
    return {(row.site_id, row.zone_id) for row in rows}


async def find_answered(session: AsyncSession, batch_id: UUID) -> Any | None:
    """What a request was answered, for whoever asks the same again: row-level security holds the rest."""
    query = select(BATCHES.c.refused, BATCHES.c.repeated, BATCHES.c.approval_reason).where(
        BATCHES.c.batch_id == batch_id
    )
    return (await session.execute(query)).one_or_none()


async def find_batch(session: AsyncSession, scope: Scope, batch_id: UUID) -> dict[str, Any] | None:
    """By the site: who holds only a zone or a group of it sees the commands, not the batch."""
    own = within(scope, Columns(BATCHES.c.tenant_id, site=BATCHES.c.site_id))
    found = await _rows(session, select(BATCHES).where(own, BATCHES.c.batch_id == batch_id))
    return found[0] if found else None


def _part(table: Table, scope: Scope, wanted: CommandFilter) -> Select[Any]:
    return select(*_columns(table)).where(commands_within(scope, table), *wanted.conditions(table))


def _columns(table: Table) -> list[Any]:
    return [table.c[name] for name in _SHOWN]


async def _rows(session: AsyncSession, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await session.execute(query)]  # noqa: SLF001 - SQLAlchemy's name for it
