"""What has happened since: the timelines of a scope's problems, in order of their ids, which are in order of time."""

from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.scopes import visible_sites
from hashinsight.inventory.queries.tables import Site
from hashinsight.problems.models import EVENTS, TIMELINE
from hashinsight.problems.queries.lists import problems_within

_T, _E = TIMELINE.c, EVENTS.c


async def list_sites(session: AsyncSession, scope: Scope) -> list[int]:
    return list((await session.execute(select(Site.id).where(visible_sites(scope)).order_by(Site.id))).scalars())


async def find_newest(session: AsyncSession, site_ids: list[int]) -> UUID | None:
    """Of all that happened at these sites, seen or not: where to begin, and nothing to be told."""
    newest = (
        select(_T.id).where(_T.site_id == Site.id).order_by(_T.id.desc()).limit(1).correlate(Site).scalar_subquery()
    )
    found = (await session.execute(select(newest).select_from(Site).where(Site.id.in_(site_ids)))).scalars()
    return max((one for one in found if one is not None), default=None)


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
    """One more than asked for tells that there are more than that."""
    query = (
        select(_T.id, _T.site_id, _T.problem_id, _T.at, _T.kind, _T.actor_kind)
        .add_columns(_E.miner_id, _E.issue_code, _E.severity, _E.status)
        .join(EVENTS, _E.id == _T.problem_id)
        .where(problems_within(scope), _T.site_id.in_(site_ids), _T.id > after)
        .order_by(_T.id)
        .limit(limit + 1)
    )
    return [dict(row._mapping) for row in await session.execute(query)]  # noqa: SLF001 - SQLAlchemy's name for it
