"""Batches: lists, progress of their commands, and the machines they left out."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.models import APPROVALS, BATCHES, COMMANDS, DONE
from hashinsight.commands.queries.fragments import commands_within
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.paging import Page, decode_cursor, encode_cursor, page

# columns with one entry per machine are not read for lists
_LONG = ("selection", "refused", "repeated")
_SHOWN = tuple(column for column in BATCHES.columns if column.name not in (*_LONG, "tenant_id"))
# Whether it still can be approved. `approval_state` is not enough: commands may expire or be canceled undecided.
_WAITS = exists(
    select(COMMANDS.c.command_id).where(
        COMMANDS.c.batch_id == BATCHES.c.batch_id, COMMANDS.c.state == "queued", COMMANDS.c.approval_state == "required"
    )
).label("waits")
# paged by index: the list never changes
_REFUSED = text("""
select e.n, e.refusal
from command_batches b
cross join lateral jsonb_array_elements(b.refused) with ordinality as e (refusal, n)
where b.batch_id = :batch_id and e.n > :after
order by e.n
limit :most
""")


@dataclass(frozen=True)
class BatchFilter:
    site_id: int | None = None
    command_type: str | None = None
    approval_state: str | None = None
    created_by: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    waiting: bool | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        equal = {name: value for name, value in vars(self).items() if name not in ("since", "until", "waiting")}
        conditions = [BATCHES.c[name] == value for name, value in equal.items() if value is not None]
        if self.since is not None:
            conditions.append(BATCHES.c.created_at >= self.since)
        if self.until is not None:
            conditions.append(BATCHES.c.created_at < self.until)
        if self.waiting is not None:
            conditions.append(_WAITS.element if self.waiting else not_(_WAITS.element))
        return conditions


async def find_tenant_of_batch(session: AsyncSession, batch_id: UUID) -> UUID | None:
    """For the command line, which sees all tenants."""
    return (await session.execute(select(BATCHES.c.tenant_id).where(BATCHES.c.batch_id == batch_id))).scalar()


def batches_within(scope: Scope) -> ColumnElement[bool]:
    """All batches of sites within the scope, and own ones. A zone's scope covers commands, not batches."""
    by_site = within(scope, Columns(BATCHES.c.tenant_id, site=BATCHES.c.site_id))
    actor = scope.actor
    own = and_(
        BATCHES.c.tenant_id == scope.tenant_id,
        BATCHES.c.created_by_kind == actor.kind.value,
        BATCHES.c.created_by == actor.id,
    )
    return or_(by_site, own)


async def list_batches(
    session: AsyncSession, scope: Scope, batch_filter: BatchFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first."""
    query = select(*_SHOWN, _WAITS).where(batches_within(scope), *batch_filter.conditions())
    key = [BATCHES.c.created_at, BATCHES.c.batch_id]
    batches = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
    names = [*(column.name for column in _SHOWN), _WAITS.name]
    return Page([dict(zip(names, row, strict=True)) for row in batches.rows], batches.next_cursor)


async def get_batch(session: AsyncSession, scope: Scope, batch_id: UUID) -> dict[str, Any]:
    query = select(*_SHOWN, _WAITS, BATCHES.c.selection).where(batches_within(scope), BATCHES.c.batch_id == batch_id)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise errors.batch_not_found()
    return dict(row)


async def check_visible(session: AsyncSession, scope: Scope, batch_id: UUID) -> None:
    """At least one of its commands is within the scope; the batch itself may be wider."""
    for table in (COMMANDS, DONE):
        query = select(table.c.command_id).where(commands_within(scope, table), table.c.batch_id == batch_id)
        if (await session.execute(query.limit(1))).first() is not None:
            return
    raise errors.batch_not_found()


async def count_commands(session: AsyncSession, scope: Scope, batch_id: UUID) -> tuple[dict[str, int], int]:
    """Commands of the batch within the scope, by state, and how many wait for approval.

    In one statement: a command that is archived between two would be counted twice.
    """
    parts = [
        select(table.c.state, table.c.approval_state, func.count())
        .where(commands_within(scope, table), table.c.batch_id == batch_id)
        .group_by(table.c.state, table.c.approval_state)
        for table in (COMMANDS, DONE)
    ]
    states: Counter[str] = Counter()
    waiting = 0
    for state, approval, n in (await session.execute(union_all(*parts))).all():
        states[state] += n
        waiting += n if (state, approval) == ("queued", "required") else 0
    return dict(states), waiting


async def list_decisions(session: AsyncSession, batch_id: UUID, *, most: int) -> list[dict[str, Any]]:
    query = select(APPROVALS).where(APPROVALS.c.batch_id == batch_id).order_by(APPROVALS.c.at, APPROVALS.c.id)
    return [dict(row) for row in (await session.execute(query.limit(most))).mappings()]


async def list_refused(session: AsyncSession, batch_id: UUID, *, limit: int, cursor: str | None = None) -> Page:
    """Machines that the batch left out, each with the reason. Check the scope of the batch first."""
    after = 0 if cursor is None else decode_cursor(cursor, [int])[0]
    values = {"batch_id": batch_id, "after": after, "most": limit + 1}
    rows = (await session.execute(_REFUSED, values)).all()
    has_more = len(rows) > limit
    return Page([row.refusal for row in rows[:limit]], encode_cursor([rows[limit - 1].n]) if has_more else None)
