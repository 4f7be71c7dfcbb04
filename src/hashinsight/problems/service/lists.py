"""Lists of problems: a page with its total, the problems of one machine, facet counts, and the CSV export."""

import csv
import io
import math
from collections.abc import AsyncIterator, Sequence
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
from hashinsight.problems.codes import SHOWN_STATUSES, Age
from hashinsight.problems.errors import too_many_rows
from hashinsight.problems.queries import counts, lists
from hashinsight.problems.queries.lists import DOCUMENTS, ProblemFilter
from hashinsight.problems.queries.suppressions import SuppressedMiners, list_suppressed
from hashinsight.wire.times import write_time

MAX_MINER_PROBLEMS = 500
MAX_FACET_VALUES = 100
MAX_EXPORT_ROWS = 200_000
_ROWS_AT_ONCE = 2000
EXPORT_COLUMNS = (
    *("id", "site_id", "site", "site_name", "miner_id", "zone", "model", "firmware", "issue_code", "severity"),
    *("status", "start_ts", "opened_ts", "last_seen_ts", "resolved_ts", "recurrence_count", "flapping", "symptom"),
    *("p_fail_24h", "loss_ths", "loss_thh", "assigned_to", "acked_by", "acked_at", "resolved_by", "resolution_cause"),
    "resolution_action",
)


async def list_page(
    session: AsyncSession,
    scope: Scope,
    wanted: ProblemFilter,
    *,
    page: int,
    per_page: int,
    raw: bool = False,
    now: datetime,
) -> dict[str, Any]:
    """`raw`: documents stay JSON text, for `encode_raw`."""
    await lists.use_custom_plans(session)
    ids = await lists.list_ids(session, scope, wanted, limit=per_page, offset=(page - 1) * per_page)
    # a page that is not full is the last one, and gives the total
    is_last = 0 < len(ids) < per_page or (page == 1 and not ids)
    total = (page - 1) * per_page + len(ids) if is_last else await lists.count_problems(session, scope, wanted)
    return {
        "problems": await list_by_ids(session, scope, ids, raw=raw, now=now),
        "pagination": {"page": page, "per_page": per_page, "total": total, "pages": math.ceil(total / per_page)},
    }


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
    """At most 500, by severity and causes first; `total` counts all."""
    miner = (await miners.get_miner(session, scope, miner_id, site)).miner
    statuses = tuple(dict.fromkeys((*(status or SHOWN_STATUSES), *(("resolved",) if include_resolved else ()))))
    wanted = ProblemFilter(miner_no=miner.miner_no, status=statuses)
    ids = await lists.list_ids(session, scope, wanted, limit=MAX_MINER_PROBLEMS)
    total = len(ids) if len(ids) < MAX_MINER_PROBLEMS else await lists.count_problems(session, scope, wanted)
    return {"miner_id": miner.miner_id, "problems": await list_by_ids(session, scope, ids, now=now), "total": total}


async def list_by_ids(
    session: AsyncSession, scope: Scope, ids: Sequence[UUID], *, raw: bool = False, now: datetime
) -> list[dict[str, Any]]:
    return await with_suppressions(session, await lists.list_rows(session, scope, ids), raw=raw, now=now)


async def with_suppressions(
    session: AsyncSession, rows: list[dict[str, Any]], *, raw: bool = False, now: datetime
) -> list[dict[str, Any]]:
    """Rows as answers show them: documents decoded or raw, and whether the machine is suppressed at this moment."""
    read = msgspec.Raw if raw else msgspec.json.decode
    machines = sorted({row["miner_no"] for row in rows if row["miner_no"] is not None})
    sites = sorted({row["site_id"] for row in rows})
    suppressed = _ends(await list_suppressed(session, sites, machines, as_of=now)) if machines else {}
    for row in rows:
        for name in DOCUMENTS:
            row[name] = None if row[name] is None else read(row[name])
        row["suppressed"] = row["miner_no"] in suppressed
        if row["suppressed"]:
            row["suppress_until"], row["maintenance_flag"] = suppressed[row["miner_no"]]
    return rows


def _ends(suppressed: SuppressedMiners) -> dict[int, tuple[datetime | None, bool]]:
    """By machine the end of its suppression, None without one, and whether it is maintenance."""
    ends = [None if np.isinf(until) else datetime.fromtimestamp(until, UTC) for until in suppressed.until.tolist()]
    pairs = zip(ends, suppressed.maintenance.tolist(), strict=True)
    return dict(zip(suppressed.miner_no.tolist(), pairs, strict=True))


async def count_by_facet(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, *, now: datetime
) -> dict[str, Any]:
    """Of each facet the 100 values with the most problems; the total is that of the list itself."""
    await lists.use_custom_plans(session)
    counted = await counts.count_facets(session, scope, wanted, now=now)
    total = await lists.count_problems(session, scope, wanted)
    symptoms = dict(counted.pop("symptom")).get(True, 0)
    facets = {facet: _facet_values(facet, values) for facet, values in counted.items()}
    names = await counts.list_site_names(session, [row["value"] for row in facets["site"]])
    facets["site"] = [{**row, "name": names[row["value"]]} for row in facets["site"]]
    return {"total": total, "symptoms": symptoms, "facets": facets}


def _facet_values(facet: str, values: list[tuple[Any, int]]) -> list[dict[str, Any]]:
    """Ages and severities in their order, everything else by count."""
    if facet == "age":
        order = [age.value for age in Age]
        values = sorted(values, key=lambda pair: order.index(pair[0]))
    else:
        values = sorted(values, key=(lambda pair: pair) if facet == "severity" else lambda pair: (-pair[1], pair[0]))
    return [{"value": value, "problems": problems} for value, problems in values[:MAX_FACET_VALUES]]


async def start_export(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, query: dict[str, Any], *, now: datetime
) -> list[UUID]:
    """The ids in the order of the list; records in the audit log who exported what."""
    await lists.use_custom_plans(session)
    ids = await lists.list_ids(session, scope, wanted, limit=MAX_EXPORT_ROWS + 1)
    if len(ids) > MAX_EXPORT_ROWS:
        raise too_many_rows(await lists.count_problems(session, scope, wanted), MAX_EXPORT_ROWS)
    after = {**query, "rows": len(ids)}
    action = Action.PROBLEMS_EXPORTED
    await record(session, scope.actor, action, "problem", tenant_id=scope.tenant_id, after=after, now=now)
    return ids


async def export_lines(database: Database, scope: Scope, ids: Sequence[UUID]) -> AsyncIterator[str]:
    """CSV. Each part is read in a short session of its own: a slow reader holds no connection."""
    yield ",".join(EXPORT_COLUMNS) + "\r\n"
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        async with database.reading(scope.context(read_only=True)) as session:
            rows = await lists.list_rows(session, scope, ids[start : start + _ROWS_AT_ONCE])
            names = await places.list_site_names(session, scope, {row["site_id"] for row in rows})
        for row in rows:
            row["site"], row["site_name"] = names[row["site_id"]]
        yield csv_lines(rows)


def csv_lines(rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([_cell(row[name]) for name in EXPORT_COLUMNS] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A text that starts like a formula is quoted: spreadsheets would run it."""
    if isinstance(value, datetime):
        return write_time(value)
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
