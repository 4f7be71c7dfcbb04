"""List problems: a page with its total, the problems of one machine, each as an answer shows it."""

import csv
import io
import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import Age
from hashinsight.problems.errors import too_many_rows
from hashinsight.problems.queries import counts, lists
from hashinsight.problems.queries.lists import DOCUMENTS, SHOWN_STATUSES, ProblemFilter
from hashinsight.problems.queries.suppressions import SuppressedMiners, list_suppressed

MAX_MINER_PROBLEMS = 500


@dataclass(frozen=True)
class ProblemPage:
    problems: list[dict[str, Any]]
    page: int
    per_page: int
    total: int

    def shown(self) -> dict[str, Any]:
        pages = math.ceil(self.total / self.per_page)
        pagination = {"page": self.page, "per_page": self.per_page, "total": self.total, "pages": pages}
        return {"problems": self.problems, "pagination": pagination}


async def list_page(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, *, page: int, per_page: int, now: datetime
) -> ProblemPage:
    await lists.plan_by_values(session)
    ids = await lists.list_ids(session, scope, wanted, limit=per_page, offset=(page - 1) * per_page)
    # the last page tells the total by itself
    is_last = 0 < len(ids) < per_page or (page == 1 and not ids)
    total = (page - 1) * per_page + len(ids) if is_last else await lists.count_problems(session, scope, wanted)
    return ProblemPage(await list_by_ids(session, scope, ids, now=now), page, per_page, total)


async def list_miner_problems(
    session: AsyncSession,
    scope: Scope,
    miner_id: str,
    site: str | int | None,
    *,
    status: Sequence[str],
    include_resolved: bool,
    now: datetime,
) -> dict[str, Any]:
    """500 at most, by severity and the cause first; `total` counts all."""
    found = (await miners.get_miner(session, scope, miner_id, site)).miner
    chosen = tuple(dict.fromkeys((*(status or SHOWN_STATUSES), *(("resolved",) if include_resolved else ()))))
    wanted = ProblemFilter(miner_no=found.miner_no, status=chosen)
    ids = await lists.list_ids(session, scope, wanted, limit=MAX_MINER_PROBLEMS)
    total = len(ids) if len(ids) < MAX_MINER_PROBLEMS else await lists.count_problems(session, scope, wanted)
    return {"miner_id": found.miner_id, "problems": await list_by_ids(session, scope, ids, now=now), "total": total}


async def list_by_ids(
    session: AsyncSession, scope: Scope, ids: Sequence[UUID], *, now: datetime
) -> list[dict[str, Any]]:
    return await shown(session, await lists.list_rows(session, scope, ids), now=now)


async def shown(session: AsyncSession, rows: list[dict[str, Any]], *, now: datetime) -> list[dict[str, Any]]:
    """Documents as they are stored, and whether anything suppresses the machine at this moment."""
    machines = sorted({row["miner_no"] for row in rows if row["miner_no"] is not None})
    sites = sorted({row["site_id"] for row in rows})
    quiet = _by_machine(await list_suppressed(session, sites, machines, as_of=now)) if machines else {}
    return [_shown(row, quiet.get(row["miner_no"])) for row in rows]


def _shown(row: dict[str, Any], quiet: tuple[datetime | None, bool] | None) -> dict[str, Any]:
    documents = {name: None if row[name] is None else msgspec.Raw(row[name].encode()) for name in DOCUMENTS}
    until, maintenance = (row["suppress_until"], row["maintenance_flag"]) if quiet is None else quiet
    return {
        **row,
        **documents,
        "suppressed": quiet is not None,
        "suppress_until": until,
        "maintenance_flag": maintenance,
    }


def _by_machine(found: SuppressedMiners) -> dict[int, tuple[datetime | None, bool]]:
    """An end that nobody has said is None."""
    ends = [None if np.isinf(one) else datetime.fromtimestamp(one, UTC) for one in found.until.tolist()]
    return dict(zip(found.miner_no.tolist(), zip(ends, found.maintenance.tolist(), strict=True), strict=True))


MAX_FACET_VALUES = 100
_IN_ORDER = {"age": [one.value for one in Age]}
_BY_NAME = {"severity"}


async def count_by_facet(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, *, now: datetime
) -> dict[str, Any]:
    """Of each facet the 100 values with the most problems; the total is that of the list itself."""
    await lists.plan_by_values(session)
    counted = await counts.count_facets(session, scope, wanted, now=now)
    total = await lists.count_problems(session, scope, wanted)
    symptoms = dict(counted.pop("symptom")).get(True, 0)
    facets = {facet: _facet_values(facet, values) for facet, values in counted.items()}
    names = await counts.list_site_names(session, [one["value"] for one in facets["site"]])
    facets["site"] = [{**one, "name": names[one["value"]]} for one in facets["site"]]
    return {"total": total, "symptoms": symptoms, "facets": facets}


def _facet_values(facet: str, values: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    order = _IN_ORDER.get(facet)
    if order is not None:
        values = sorted(values, key=lambda one: order.index(one[0]))
    elif facet in _BY_NAME:
        values = sorted(values)
    else:
        values = sorted(values, key=lambda one: (-one[1], one[0]))
    return [{"value": value, "problems": problems} for value, problems in values[:MAX_FACET_VALUES]]


MAX_EXPORT_ROWS = 200_000
_PART_ROWS = 2000
EXPORT_COLUMNS = (
    *("id", "site_id", "site", "site_name", "miner_id", "zone", "model", "firmware", "issue_code", "severity"),
    *("status", "start_ts", "opened_ts", "last_seen_ts", "resolved_ts", "recurrence_count", "flapping", "symptom"),
    *("p_fail_24h", "loss_ths", "loss_thh", "assigned_to", "acked_by", "acked_at", "resolved_by", "resolution_cause"),
    "resolution_action",
)


async def start_export(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, said: dict[str, Any], *, now: datetime
) -> list[UUID]:
    """The ids in the order of the list, and the record that somebody took them out."""
    await lists.plan_by_values(session)
    ids = await lists.list_ids(session, scope, wanted, limit=MAX_EXPORT_ROWS + 1)
    if len(ids) > MAX_EXPORT_ROWS:
        raise too_many_rows(await lists.count_problems(session, scope, wanted), MAX_EXPORT_ROWS)
    after = {**said, "rows": len(ids)}
    action = Action.PROBLEMS_EXPORTED
    await record(session, scope.actor, action, "problem", tenant_id=scope.tenant_id, after=after, now=now)
    return ids


async def export_lines(database: Database, scope: Scope, ids: Sequence[UUID]) -> AsyncIterator[str]:
    yield ",".join(EXPORT_COLUMNS) + "\r\n"
    for start in range(0, len(ids), _PART_ROWS):
        async with database.reading(scope.context(read_only=True)) as session:
            rows = await lists.list_rows(session, scope, ids[start : start + _PART_ROWS])
            names = await places.list_site_names(session, scope, {row["site_id"] for row in rows})
        yield written([row | dict(zip(("site", "site_name"), names[row["site_id"]], strict=True)) for row in rows])


def written(rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([_cell(row[name]) for name in EXPORT_COLUMNS] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Texts of people and machines never begin like a formula."""
    if isinstance(value, datetime):
        return value.isoformat()
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
