"""Facets of a list: how many problems each value has, counted in one pass for all facets that nothing is chosen in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, SQLColumnExpression, case, func, select, tuple_, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Site, Zone
from hashinsight.problems.ages import Age
from hashinsight.problems.models import EVENTS
from hashinsight.problems.queries.listing import Wanted
from hashinsight.problems.queries.scopes import problems_within

_E = EVENTS.c
# by facet: what is chosen in it, and that field with nothing chosen
FACETS: dict[str, tuple[str, Any]] = {
    "severity": ("severity", ()),
    "issue_code": ("issue_code", ()),
    "status": ("status", ()),
    "site": ("site", ()),
    "zone": ("zone", ()),
    "model": ("model", ()),
    "firmware": ("firmware", ()),
    "age": ("began", ()),
    "symptom": ("with_symptoms", True),
}


async def count_facets(
    session: AsyncSession, scope: Scope, wanted: Wanted, *, now: datetime
) -> dict[str, list[tuple[Any, int]]]:
    """A facet's own choice does not hide its other values: it is left out of its own count."""
    chosen = [facet for facet, (field, nothing) in FACETS.items() if getattr(wanted, field) != nothing]
    found = await _count(session, scope, wanted, [facet for facet in FACETS if facet not in chosen], now=now)
    for facet in chosen:
        field, nothing = FACETS[facet]
        found |= await _count(session, scope, replace(wanted, **{field: nothing}), [facet], now=now)
    return found


def facets_query(scope: Scope, wanted: Wanted, facets: Sequence[str], *, now: datetime) -> Select[Any]:
    columns = _columns(now)
    parts: list[Any] = [
        select(*(columns[facet].label(facet) for facet in facets))
        .select_from(EVENTS)
        .join(Site, Site.id == _E.site_id)
        .outerjoin(Zone, Zone.id == _E.zone_id)
        .where(problems_within(scope), *part.conditions())
        for part in wanted.apart()
    ]
    rows = union_all(*parts).subquery()
    sets = [tuple_(rows.c[facet]) for facet in facets]
    # of the bits of grouping() the one of the set's own column is 0
    which = func.grouping(*(rows.c[facet] for facet in facets)).label("which")
    return select(which, *(rows.c[facet] for facet in facets), func.count()).group_by(func.grouping_sets(*sets))


async def _count(
    session: AsyncSession, scope: Scope, wanted: Wanted, facets: Sequence[str], *, now: datetime
) -> dict[str, list[tuple[Any, int]]]:
    found: dict[str, list[tuple[Any, int]]] = {facet: [] for facet in facets}
    if not facets:
        return found
    whole = 2 ** len(facets) - 1
    place = {whole - 2 ** (len(facets) - 1 - no): no for no in range(len(facets))}
    for row in await session.execute(facets_query(scope, wanted, facets, now=now)):
        no = place[row.which]
        if (value := row[no + 1]) is not None:
            found[facets[no]].append((value, row[-1]))
    return found


def _columns(now: datetime) -> dict[str, SQLColumnExpression[Any]]:
    ages = [(_E.start_ts > after, age.value) for age in Age if (after := age.span(now)[0]) is not None]
    plain = {name: _E[name] for name in ("severity", "issue_code", "status", "model", "firmware", "symptom")}
    return {**plain, "site": Site.code, "zone": Zone.code, "age": case(*ages, else_=Age.OLDER.value)}


async def list_site_names(session: AsyncSession, codes: Sequence[str]) -> dict[str, str]:
    """Of sites that were counted, which is to say seen."""
    rows = await session.execute(select(Site.code, Site.name).where(Site.code.in_(codes)))
    return {row.code: row.name for row in rows}
