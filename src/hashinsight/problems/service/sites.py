"""A site as a whole: its summary, the machines at risk, and the temperature limits of its machines."""

import asyncio
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from typing import Any

import polars as pl
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.inventory.service.settings import get_settings
from hashinsight.kit.db.database import Database
from hashinsight.problems.codes import CYCLE_SEC, Severity
from hashinsight.problems.config import Config, resolve_limits, site_config
from hashinsight.problems.live_frames import LIMITS_BY, limits_frame
from hashinsight.problems.machine_health import SiteTally, partial_tally
from hashinsight.problems.queries import counts, details, lists
from hashinsight.telemetry.queries import live_frame, sensors_frame

_OUTDATED_CYCLES = 3


async def get_summary(session: AsyncSession, scope: Scope, site: str | int) -> dict[str, Any]:
    """Problems as of now; machines and losses as of the last scan."""
    site_id = (await places.get_site(session, scope, site)).id
    await lists.use_custom_plans(session)
    by_severity, by_issue = Counter[str](), Counter[str]()
    for row in await counts.count_open(session, scope, site_id):
        by_severity[row.severity] += row.problems
        by_issue[row.issue_code] += row.problems
    scan = await details.find_last_scan(session, site_id)
    tally = await _tally(session, scope, site_id, scan)
    counted = tally.healthy + tally.with_problem + tally.stopped + tally.down
    return {
        "site_id": site_id,
        "total_miners": tally.machines,
        "healthy_miners": tally.healthy,
        "problem_miners": tally.with_problem,
        "stopped_miners": tally.stopped,
        "down_miners": tally.down,
        "unknown_miners": tally.machines - counted,
        "by_severity": {severity.name: by_severity[severity.name] for severity in Severity},
        "by_issue": dict(by_issue.most_common()),
        "incidents": await counts.list_incidents(session, scope, site_id),
        "loss": {"ths": tally.lost_ths, "thh": await counts.sum_hours_lost(session, scope, site_id)},
        "top_risks": await counts.list_risks(session, scope, site_id),
        "last_scan_ts": None if scan is None else scan.ran_at,
        "scan_outdated_after_sec": int(_OUTDATED_CYCLES * CYCLE_SEC),
    }


async def _tally(session: AsyncSession, scope: Scope, site_id: int, scan: Any) -> SiteTally:
    """As the scan counted the whole site; a part of it is counted here. Without a scan all are unknown."""
    if scan is not None and scope.holds_site(site_id):
        return SiteTally(scan.machines, scan.healthy, scan.with_problem, scan.stopped, scan.down, scan.lost_ths)
    if scan is not None:
        packed, miner_nos = await details.find_conditions(session, scope, site_id)
        if packed is not None:  # null until the first scan after an upgrade
            return partial_tally(packed, miner_nos)
    return SiteTally(await places.count_miners(session, scope, site_id))


async def list_risks(session: AsyncSession, scope: Scope, site: str | int, *, least: float) -> dict[str, Any]:
    """As columns: a map asks for thousands of machines, and only for this of each."""
    site_id = (await places.get_site(session, scope, site)).id
    await lists.use_custom_plans(session)
    judged = await counts.count_judged(session, scope, site_id)
    rows = await counts.list_at_risk(session, scope, site_id, least=least) if judged else []
    columns = {name: [getattr(row, name) for row in rows] for name in ("miner_no", "miner_id", "p_fail_24h")}
    return {"site_id": site_id, "judged": judged, "columns": columns}


async def list_temperature_limits(
    database: Database, scope: Scope, site: str | int, *, now: datetime
) -> dict[str, Any]:
    """As the cycle resolves them, so that a map colours by the same limits."""
    context = scope.context(read_only=True)
    async with database.reading(context) as session:
        place = await places.get_site(session, scope, site)
        settings = (await get_settings(session, scope.tenant_id)).settings
    live, sensors = await asyncio.gather(
        live_frame(database, scope, as_of=now, site_id=place.id, only=LIMITS_BY),
        sensors_frame(database, context, place.id),
    )
    config = site_config(settings, site_id=place.id, site_code=place.code, interval_sec=Config().interval_sec)
    return {"site_id": place.id, **await asyncio.to_thread(_resolved, live, sensors, config)}


def _resolved(live: pl.DataFrame, sensors: pl.DataFrame, config: Config) -> dict[str, Any]:
    """`limits` are the few distinct ones; `columns.limit` is the place of each machine's in it."""
    frame = limits_frame(live, sensors)
    resolved = resolve_limits(config, frame)
    distinct = list(dict.fromkeys(resolved.heat))
    place_of_kind = [distinct.index(heat) for heat in resolved.heat]
    return {
        "limits": [asdict(heat.main) | {"other": asdict(heat.other)} for heat in distinct],
        "columns": {
            "miner_no": frame.miner_no.tolist(),
            "limit": [place_of_kind[kind] for kind in resolved.kind.tolist()],
        },
    }
