"""Which machines of a site are likely to fail, by a model: each with its worst chance, read off the index alone."""

from typing import Any

from sqlalchemy import REAL, Select, cast, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.problems.models import EVENTS
from hashinsight.problems.queries.listing import Wanted
from hashinsight.problems.queries.scopes import problems_within

_E = EVENTS.c


def judged_query(scope: Scope, site_id: int) -> Select[Any]:
    """Machines of whose open problems a model says something."""
    worst = func.max(_E.p_fail_24h).label("p_fail_24h")
    said = (_E.p_fail_24h.is_not(None), _E.miner_no.is_not(None))
    found = select(_E.miner_no, _E.miner_id, worst).where(
        problems_within(scope), *Wanted(site_id=site_id).conditions(), *said
    )
    return found.group_by(_E.miner_no, _E.miner_id)


async def count_judged(session: AsyncSession, scope: Scope, site_id: int) -> int:
    query = select(func.count()).select_from(judged_query(scope, site_id).subquery())
    return int((await session.execute(query)).scalar_one())


async def list_at_risk(session: AsyncSession, scope: Scope, site_id: int, *, least: float) -> list[Any]:
    judged = judged_query(scope, site_id).subquery()
    # as it is stored: 0.7 in four bytes is less than 0.7 in eight
    query = (
        select(judged)
        .where(judged.c.p_fail_24h >= cast(least, REAL))
        .order_by(judged.c.p_fail_24h.desc(), judged.c.miner_no)
    )
    return list((await session.execute(query)).all())
