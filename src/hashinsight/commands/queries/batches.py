"""Batches: what was asked for as one, how far its commands are, and whom it left out."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.models import APPROVALS, BATCHES, COMMANDS, DONE
from hashinsight.commands.queries.fragments import commands_within
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, decode_cursor, encode_cursor, page

# those with one entry a machine are read where one batch is shown, and never for a list
_LONG = ("selection", "refused", "repeated")
_SHOWN = tuple(column for column in BATCHES.columns if column.name not in (*_LONG, "tenant_id"))
# Whether somebody can still decide about it. `approval_state` tells what was decided, and of a batch whose commands
# expired or were canceled before anybody did, that is nothing.
_WAITS = exists(
    select(COMMANDS.c.command_id).where(
        COMMANDS.c.batch_id == BATCHES.c.batch_id, COMMANDS.c.state == "queued", COMMANDS.c.approval_state == "required"
    )
).label("waits")
# by their place: the list was written once and never changes
_REFUSED = text("""
select e.place, e.said from command_batches b
cross join lateral jsonb_array_elements(b.refused) with ordinality as e (said, place)
where b.batch_id = :batch_id and e.place > :after order by e.place limit :most
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
        found = [BATCHES.c[name] == value for name, value in equal.items() if value is not None]
        if self.since is not None:
            found.append(BATCHES.c.created_at >= self.since)
        if self.until is not None:
            found.append(BATCHES.c.created_at < self.until)
        if self.waiting is not None:
            found.append(_WAITS.element if self.waiting else not_(_WAITS.element))
        return found


def batches_within(scope: Scope) -> ColumnElement[bool]:
    """Who holds the site sees its batches, and everybody their own. A zone's holder sees commands, not batches."""
    by_site = within(scope, Columns(BATCHES.c.tenant_id, site=BATCHES.c.site_id))
    actor = scope.actor
    own = and_(
        BATCHES.c.tenant_id == scope.tenant_id,
        BATCHES.c.created_by_kind == actor.kind.value,
        BATCHES.c.created_by == actor.id,
    )
    return or_(by_site, own)


async def list_batches(
    session: AsyncSession, scope: Scope, wanted: BatchFilter, *, limit: int, cursor: str | None = None
) -> Page:
    """Newest first."""
    query = select(*_SHOWN, _WAITS).where(batches_within(scope), *wanted.conditions())
    key = [BATCHES.c.created_at, BATCHES.c.batch_id]
    found = await page(session, query, key, limit=limit, cursor=cursor, descending=True)
    names = [*(column.name for column in _SHOWN), _WAITS.name]
    return Page([dict(zip(names, row, strict=True)) for row in found.rows], found.next_cursor)


async def get_batch(session: AsyncSession, scope: Scope, batch_id: UUID) -> dict[str, Any]:
    query = select(*_SHOWN, _WAITS, BATCHES.c.selection).where(batches_within(scope), BATCHES.c.batch_id == batch_id)
    found = (await session.execute(query)).one_or_none()
    if found is None:
        raise NotFound("there is no such batch")
    return dict(found._mapping)  # noqa: SLF001 - SQLAlchemy's name for it


async def check_visible(session: AsyncSession, scope: Scope, batch_id: UUID) -> None:
    """That at least one of its commands is seen: the batch itself may be too wide for whoever decides about a part."""
    for table in (COMMANDS, DONE):
        query = select(table.c.command_id).where(commands_within(scope, table), table.c.batch_id == batch_id)
        if (await session.execute(query.limit(1))).first() is not None:
            return
    raise NotFound("there is no such batch")


async def count_commands(session: AsyncSession, scope: Scope, batch_id: UUID) -> tuple[dict[str, int], int]:
    """Of what this scope sees of it: commands by state, and how many wait for approval.

    In one statement: what is archived between two of them would be counted twice.
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
    rows = await session.execute(query.limit(most))
    return [dict(row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's name for it


async def list_refused(session: AsyncSession, batch_id: UUID, *, limit: int, cursor: str | None = None) -> Page:
    """Whom the batch left out, each with a reason. Ask for the batch within a scope first."""
    after = 0 if cursor is None else decode_cursor(cursor, [int])[0]
    values = {"batch_id": batch_id, "after": after, "most": limit + 1}
    rows = (await session.execute(_REFUSED, values)).all()
    more = len(rows) > limit
    return Page([row.said for row in rows[:limit]], encode_cursor([rows[limit - 1].place]) if more else None)
