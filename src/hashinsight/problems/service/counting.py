"""Count a list by its facets, so that people see what there is before they narrow it."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.problems.ages import Age
from hashinsight.problems.queries import counting, listing
from hashinsight.problems.queries.listing import Wanted

MOST_VALUES = 100
_IN_ORDER = {"age": [one.value for one in Age]}
_BY_NAME = {"severity"}


async def count_by_facet(session: AsyncSession, scope: Scope, wanted: Wanted, *, now: datetime) -> dict[str, Any]:
    """Of each facet the 100 values with the most problems; the total is that of the list itself."""
    await listing.plan_by_values(session)
    counted = await counting.count_facets(session, scope, wanted, now=now)
    total = await listing.count(session, scope, wanted)
    symptoms = dict(counted.pop("symptom")).get(True, 0)
    facets = {facet: _shown(facet, values) for facet, values in counted.items()}
    names = await counting.list_site_names(session, [one["value"] for one in facets["site"]])
    facets["site"] = [{**one, "name": names[one["value"]]} for one in facets["site"]]
    return {"total": total, "symptoms": symptoms, "facets": facets}


def _shown(facet: str, values: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    order = _IN_ORDER.get(facet)
    if order is not None:
        values = sorted(values, key=lambda one: order.index(one[0]))
    elif facet in _BY_NAME:
        values = sorted(values)
    else:
        values = sorted(values, key=lambda one: (-one[1], one[0]))
    return [{"value": value, "problems": problems} for value, problems in values[:MOST_VALUES]]
