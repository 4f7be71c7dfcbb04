"""List problems: a page with its total, the problems of one machine, each as an answer shows it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.problems.queries import listing
from hashinsight.problems.queries.listing import DOCUMENTS, SHOWN, Wanted
from hashinsight.problems.queries.suppressions import Suppressed, find_suppressed

MOST_OF_A_MACHINE = 500


@dataclass(frozen=True)
class Paged:
    problems: list[dict[str, Any]]
    page: int
    per_page: int
    total: int

    def shown(self) -> dict[str, Any]:
        pages = math.ceil(self.total / self.per_page)
        pagination = {"page": self.page, "per_page": self.per_page, "total": self.total, "pages": pages}
        return {"problems": self.problems, "pagination": pagination}


async def list_page(
    session: AsyncSession, scope: Scope, wanted: Wanted, *, page: int, per_page: int, now: datetime
) -> Paged:
    await listing.plan_by_values(session)
    ids = await listing.list_ids(session, scope, wanted, limit=per_page, offset=(page - 1) * per_page)
    # the last page tells the total by itself
    is_last = 0 < len(ids) < per_page or (page == 1 and not ids)
    total = (page - 1) * per_page + len(ids) if is_last else await listing.count(session, scope, wanted)
    return Paged(await show(session, scope, ids, now=now), page, per_page, total)


async def list_of_miner(
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
    chosen = tuple(dict.fromkeys((*(status or SHOWN), *(("resolved",) if include_resolved else ()))))
    wanted = Wanted(miner_no=found.miner_no, status=chosen)
    ids = await listing.list_ids(session, scope, wanted, limit=MOST_OF_A_MACHINE)
    total = len(ids) if len(ids) < MOST_OF_A_MACHINE else await listing.count(session, scope, wanted)
    return {"miner_id": found.miner_id, "problems": await show(session, scope, ids, now=now), "total": total}


async def show(session: AsyncSession, scope: Scope, ids: Sequence[UUID], *, now: datetime) -> list[dict[str, Any]]:
    return await shown(session, await listing.list_rows(session, scope, ids), now=now)


async def shown(session: AsyncSession, rows: list[dict[str, Any]], *, now: datetime) -> list[dict[str, Any]]:
    """Documents as they are stored, and whether anything suppresses the machine at this moment."""
    machines = sorted({row["miner_no"] for row in rows if row["miner_no"] is not None})
    sites = sorted({row["site_id"] for row in rows})
    quiet = _by_machine(await find_suppressed(session, sites, machines, as_of=now)) if machines else {}
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


def _by_machine(found: Suppressed) -> dict[int, tuple[datetime | None, bool]]:
    """An end that nobody has said is None."""
    ends = [None if np.isinf(one) else datetime.fromtimestamp(one, UTC) for one in found.until.tolist()]
    return dict(zip(found.miner_no.tolist(), zip(ends, found.maintenance.tolist(), strict=True), strict=True))
