"""Timelines: of one problem, and what is new in a scope. Ids of entries are in order of time."""

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.scopes import visible_sites
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.paging import Page, page
from hashinsight.problems.models import EVENTS, TIMELINE
from hashinsight.problems.queries.lists import problems_within

_T, _E = TIMELINE.c, EVENTS.c


async def list_sites(session: AsyncSession, scope: Scope) -> list[int]:
    return list((await session.execute(select(Site.id).where(visible_sites(scope)).order_by(Site.id))).scalars())


async def find_newest(session: AsyncSession, site_ids: list[int]) -> UUID | None:
    """Of all entries of these sites, visible or not: where a stream starts."""
    newest = (
        select(_T.id).where(_T.site_id == Site.id).order_by(_T.id.desc()).limit(1).correlate(Site).scalar_subquery()
    )
    ids = (await session.execute(select(newest).select_from(Site).where(Site.id.in_(site_ids)))).scalars()
    return max((entry_id for entry_id in ids if entry_id is not None), default=None)


async def find_newest_seen(session: AsyncSession, scope: Scope, site_ids: list[int], after: UUID) -> UUID | None:
    query = (
        select(_T.id)
        .join(EVENTS, _E.id == _T.problem_id)
        .where(problems_within(scope), _T.site_id.in_(site_ids), _T.id > after)
        .order_by(_T.id.desc())
        .limit(1)
    )
    return (await session.execute(query)).scalar()


async def list_since(
    session: AsyncSession, scope: Scope, site_ids: list[int], after: UUID, *, limit: int
) -> list[dict[str, Any]]:
    """One more than `limit` where there are more."""
    query = (
        select(_T.id, _T.site_id, _T.problem_id, _T.at, _T.kind, _T.actor_kind)
        .add_columns(_E.miner_id, _E.issue_code, _E.severity, _E.status)
        .join(EVENTS, _E.id == _T.problem_id)
        .where(problems_within(scope), _T.site_id.in_(site_ids), _T.id > after)
        .order_by(_T.id)
        .limit(limit + 1)
    )
    return [dict(row._mapping) for row in await session.execute(query)]  # noqa: SLF001 - SQLAlchemy's name for it


async def list_timeline(session: AsyncSession, problem_id: UUID, *, limit: int, cursor: str | None = None) -> Page:
    """Of a problem within the caller's scope, newest first."""
    names = ("id", "at", "kind", "actor_kind", "actor_id", "message", "details")
    query = select(*(_T[name] for name in names)).where(_T.problem_id == problem_id)
    rows = await page(session, query, [_T.at, _T.id], limit=limit, cursor=cursor, descending=True)
    return Page([dict(zip(names, row, strict=True)) for row in rows.rows], rows.next_cursor)
