"""Counts of problems: facets of a list, the summary of a site, and machines at risk."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    REAL,
    ColumnElement,
    Select,
    SQLColumnExpression,
    case,
    cast,
    func,
    literal,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.tables import Site, Zone
from hashinsight.problems.codes import Age, Severity
from hashinsight.problems.models import EVENTS
from hashinsight.problems.models.events import IS_SHOWN
from hashinsight.problems.queries.lists import ProblemFilter, problems_within

TOP_RISKS = 10
_MOST_INCIDENTS = 50
_E = EVENTS.c


def _open_at(scope: Scope, site_id: int) -> list[ColumnElement[bool]]:
    return [problems_within(scope), *ProblemFilter(site_id=site_id).conditions()]


def counts_query(scope: Scope, site_id: int) -> Select[Any]:
    return (
        select(_E.severity, _E.issue_code, func.count().label("problems"))
        .where(*_open_at(scope, site_id))
        .group_by(_E.severity, _E.issue_code)
    )


def risks_query(scope: Scope, site_id: int) -> Any:
    """The machines most likely to fail: the first ones of each severity by the index, merged."""
    columns = (_E.miner_id, _E.issue_code, _E.severity, _E.p_fail_24h, _E.start_ts)
    order = (_E.p_fail_24h.desc().nulls_last(), _E.seen.desc(), _E.last_seen_ts.desc(), _E.id)
    parts = [
        select(*columns)
        .where(*_open_at(scope, site_id), _E.severity == literal(severity.name), _E.miner_no.is_not(None))
        .order_by(*order)
        .limit(TOP_RISKS)
        .subquery()
        for severity in Severity
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
    """TH/s hours lost by open problems so far; null where none has a figure."""
    lost_thh: float | None = (await session.execute(loss_query(scope, site_id))).scalar_one()
    return lost_thh


async def list_risks(session: AsyncSession, scope: Scope, site_id: int) -> list[dict[str, Any]]:
    rows = await session.execute(risks_query(scope, site_id))
    return [dict(row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's name for it


async def list_incidents(session: AsyncSession, scope: Scope, site_id: int) -> list[dict[str, Any]]:
    """Incidents that explain open problems."""
    query = (
        select(_E.incident_id, func.count().label("problems"))
        .where(*_open_at(scope, site_id), _E.incident_id.is_not(None))
        .group_by(_E.incident_id)
        .order_by(func.count().desc(), _E.incident_id)
        .limit(_MOST_INCIDENTS)
    )
    return [dict(row._mapping) for row in await session.execute(query)]  # noqa: SLF001


# by facet: the field of the filter, and its value without a choice
FACETS: dict[str, tuple[str, Any]] = {
    "severity": ("severity", ()),
    "issue_code": ("issue_code", ()),
    "status": ("status", ()),
    "site": ("site", ()),
    "zone": ("zone", ()),
    "model": ("model", ()),
    "firmware": ("firmware", ()),
    "age": ("started", ()),
    "symptom": ("with_symptoms", True),
}


async def count_facets(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, *, now: datetime
) -> dict[str, list[tuple[Any, int]]]:
    """A facet's own filter is left out of its count, so that its other values stay visible."""
    chosen = [facet for facet, (field, nothing) in FACETS.items() if getattr(wanted, field) != nothing]
    counts = await _count(session, scope, wanted, [facet for facet in FACETS if facet not in chosen], now=now)
    for facet in chosen:
        field, nothing = FACETS[facet]
        counts |= await _count(session, scope, replace(wanted, **{field: nothing}), [facet], now=now)
    return counts


def facets_query(scope: Scope, wanted: ProblemFilter, facets: Sequence[str], *, now: datetime) -> Select[Any]:
    columns = _columns(now)
    parts: list[Any] = [
        select(*(columns[facet].label(facet) for facet in facets))
        .select_from(EVENTS)
        .join(Site, Site.id == _E.site_id)
        .outerjoin(Zone, Zone.id == _E.zone_id)
        .where(problems_within(scope), *part.conditions())
        for part in wanted.by_index()
    ]
    rows = union_all(*parts).subquery()
    sets = [tuple_(rows.c[facet]) for facet in facets]
    # of the bits of grouping() the one of the set's own column is 0
    which = func.grouping(*(rows.c[facet] for facet in facets)).label("which")
    return select(which, *(rows.c[facet] for facet in facets), func.count()).group_by(func.grouping_sets(*sets))


async def _count(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, facets: Sequence[str], *, now: datetime
) -> dict[str, list[tuple[Any, int]]]:
    counts: dict[str, list[tuple[Any, int]]] = {facet: [] for facet in facets}
    if not facets:
        return counts
    whole = 2 ** len(facets) - 1
    place = {whole - 2 ** (len(facets) - 1 - no): no for no in range(len(facets))}
    for row in await session.execute(facets_query(scope, wanted, facets, now=now)):
        no = place[row.which]
        if (value := row[no + 1]) is not None:
            counts[facets[no]].append((value, row[-1]))
    return counts


def _columns(now: datetime) -> dict[str, SQLColumnExpression[Any]]:
    ages = [(_E.start_ts > after, age.value) for age in Age if (after := age.span(now)[0]) is not None]
    plain = {name: _E[name] for name in ("severity", "issue_code", "status", "model", "firmware", "symptom")}
    return {**plain, "site": Site.code, "zone": Zone.code, "age": case(*ages, else_=Age.OLDER.value)}


async def list_site_names(session: AsyncSession, codes: Sequence[str]) -> dict[str, str]:
    """Of sites that were counted, and so are visible."""
    rows = await session.execute(select(Site.code, Site.name).where(Site.code.in_(codes)))
    return {row.code: row.name for row in rows}


def judged_query(scope: Scope, site_id: int) -> Select[Any]:
    """Machines with an open problem that has a probability of failure."""
    worst = func.max(_E.p_fail_24h).label("p_fail_24h")
    is_judged = (_E.p_fail_24h.is_not(None), _E.miner_no.is_not(None))
    judged = select(_E.miner_no, _E.miner_id, worst).where(
        problems_within(scope), *ProblemFilter(site_id=site_id).conditions(), *is_judged
    )
    return judged.group_by(_E.miner_no, _E.miner_id)


async def count_judged(session: AsyncSession, scope: Scope, site_id: int) -> int:
    query = select(func.count()).select_from(judged_query(scope, site_id).subquery())
    return int((await session.execute(query)).scalar_one())


async def list_at_risk(session: AsyncSession, scope: Scope, site_id: int, *, least: float) -> list[Any]:
    judged = judged_query(scope, site_id).subquery()
    # compared as stored: 0.7 in four bytes is less than 0.7 in eight
    query = (
        select(judged)
        .where(judged.c.p_fail_24h >= cast(least, REAL))
        .order_by(judged.c.p_fail_24h.desc(), judged.c.miner_no)
    )
    return list((await session.execute(query)).all())


async def count_open_by_site(session: AsyncSession) -> dict[tuple[int, str], int]:
    """By site and severity, for the installation's metrics."""
    counted = select(_E.site_id, _E.severity, func.count()).where(text(IS_SHOWN)).group_by(_E.site_id, _E.severity)
    return {(site_id, severity): count for site_id, severity, count in await session.execute(counted)}


_LAST_SCANS = text("""
    select s.id, r.ran_at
    from sites s
    cross join lateral (
        select ran_at
        from problem_runs
        where site_id = s.id
        order by period desc
        limit 1
    ) r
""")


async def list_last_scans(session: AsyncSession) -> dict[int, datetime]:
    """When each site was last scanned."""
    return {row.id: row.ran_at for row in await session.execute(_LAST_SCANS)}
