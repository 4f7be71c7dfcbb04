"""How a site stands: its open problems counted, its machines as the last scan left them, and what is likeliest next."""

from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.problems.codes import Severity
from hashinsight.problems.models import EVENTS
from hashinsight.problems.queries.listing import Wanted
from hashinsight.problems.queries.scopes import problems_within

TOP_RISKS = 10
_MOST_INCIDENTS = 50
_E = EVENTS.c


def _open_at(scope: Scope, site_id: int) -> list[ColumnElement[bool]]:
    return [problems_within(scope), *Wanted(site_id=site_id).conditions()]


def counts_query(scope: Scope, site_id: int) -> Select[Any]:
    return (
        select(_E.severity, _E.issue_code, func.count().label("problems"))
        .where(*_open_at(scope, site_id))
        .group_by(_E.severity, _E.issue_code)
    )


def risks_query(scope: Scope, site_id: int) -> Any:
    """The likeliest to fail. Of each severity the first ones by the index, and of those the first."""
    columns = (_E.miner_id, _E.issue_code, _E.severity, _E.p_fail_24h, _E.start_ts)
    order = (_E.p_fail_24h.desc().nulls_last(), _E.seen.desc(), _E.last_seen_ts.desc(), _E.id)
    parts = [
        select(*columns)
        .where(*_open_at(scope, site_id), _E.severity == literal(one.name), _E.miner_no.is_not(None))
        .order_by(*order)
        .limit(TOP_RISKS)
        .subquery()
        for one in Severity
    ]
    either = union_all(*(select(part) for part in parts)).subquery()
    return (
        select(either)
        .order_by(
            either.c.p_fail_24h.desc().nulls_last(), either.c.severity, either.c.start_ts.desc(), either.c.miner_id
        )
        .limit(TOP_RISKS)
    )


def loss_query(scope: Scope, site_id: int) -> Select[Any]:
    return select(func.sum(_E.loss_thh)).where(*_open_at(scope, site_id), _E.loss_ths.is_not(None))


async def count_open(session: AsyncSession, scope: Scope, site_id: int) -> list[Any]:
    return list((await session.execute(counts_query(scope, site_id))).all())


async def sum_hours_lost(session: AsyncSession, scope: Scope, site_id: int) -> float | None:
    """TH·h that open problems have cost so far; null where none has a figure."""
    found: float | None = (await session.execute(loss_query(scope, site_id))).scalar_one()
    return found


async def list_risks(session: AsyncSession, scope: Scope, site_id: int) -> list[dict[str, Any]]:
    rows = await session.execute(risks_query(scope, site_id))
    return [dict(row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's name for it


async def list_incidents(session: AsyncSession, scope: Scope, site_id: int) -> list[dict[str, Any]]:
    """Common causes that open problems were laid to."""
    query = (
        select(_E.incident_id, func.count().label("problems"))
        .where(*_open_at(scope, site_id), _E.incident_id.is_not(None))
        .group_by(_E.incident_id)
        .order_by(func.count().desc(), _E.incident_id)
        .limit(_MOST_INCIDENTS)
    )
    return [dict(row._mapping) for row in await session.execute(query)]  # noqa: SLF001
