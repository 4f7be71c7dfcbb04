"""Export problems as CSV: which ones is settled at the beginning, each part is read in a short session of its own."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.kit.db.database import Database
from hashinsight.problems.errors import too_many_rows
from hashinsight.problems.queries import listing
from hashinsight.problems.queries.listing import Wanted

MOST_ROWS = 200_000
_PART_ROWS = 2000
COLUMNS = (
    *("id", "site_id", "site", "site_name", "miner_id", "zone", "model", "firmware", "issue_code", "severity"),
    *("status", "start_ts", "opened_ts", "last_seen_ts", "resolved_ts", "recurrence_count", "flapping", "symptom"),
    *("p_fail_24h", "loss_ths", "loss_thh", "assigned_to", "acked_by", "acked_at", "resolved_by", "resolution_cause"),
    "resolution_action",
)


async def begin_export(
    session: AsyncSession, scope: Scope, wanted: Wanted, said: dict[str, Any], *, now: datetime
) -> list[UUID]:
    """The ids in the order of the list, and the record that somebody took them out."""
    await listing.plan_by_values(session)
    ids = await listing.list_ids(session, scope, wanted, limit=MOST_ROWS + 1)
    if len(ids) > MOST_ROWS:
        raise too_many_rows(await listing.count(session, scope, wanted), MOST_ROWS)
    after = {**said, "rows": len(ids)}
    action = Action.PROBLEMS_EXPORTED
    await record(session, scope.actor, action, "problem", tenant_id=scope.tenant_id, after=after, now=now)
    return ids


async def export_lines(database: Database, scope: Scope, ids: Sequence[UUID]) -> AsyncIterator[str]:
    yield ",".join(COLUMNS) + "\r\n"
    for start in range(0, len(ids), _PART_ROWS):
        async with database.reading(scope.context(read_only=True)) as session:
            rows = await listing.list_rows(session, scope, ids[start : start + _PART_ROWS])
            names = await places.find_names(session, scope, {row["site_id"] for row in rows})
        yield written([row | dict(zip(("site", "site_name"), names[row["site_id"]], strict=True)) for row in rows])


def written(rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Texts of people and machines never begin like a formula."""
    if isinstance(value, datetime):
        return value.isoformat()
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
