"""Sum up a site: how many machines are well, what is open, and what is likeliest to fail next."""

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
from hashinsight.problems.codes import Severity
from hashinsight.problems.config import Config, resolve_limits, site_config
from hashinsight.problems.live_frames import LIMITS_BY, limits_frame
from hashinsight.problems.machine_health import SiteTally, partial_tally
from hashinsight.problems.queries import counts, details, lists
from hashinsight.telemetry.queries import live_frame, sensors_frame


async def get_summary(session: AsyncSession, scope: Scope, site: str | int) -> dict[str, Any]:
    """Problems as they are now; machines and what is lost as of the last scan, of a part of a site as of the whole."""
    found = await places.get_site(session, scope, site)
    await lists.plan_by_values(session)
    counted = await counts.count_open(session, scope, found.id)
    scan = await details.find_last_scan(session, found.id)
    by_severity, by_issue = Counter[str](), Counter[str]()
    for row in counted:
        by_severity[row.severity] += row.problems
        by_issue[row.issue_code] += row.problems
    machines = await _machine_counts(session, scope, found.id, scan)
    lost = {"ths": machines.pop("lost_ths"), "thh": await counts.sum_hours_lost(session, scope, found.id)}
    return {
        "site_id": found.id,
        **machines,
        "by_severity": {one.name: by_severity[one.name] for one in Severity},
        "by_issue": dict(by_issue.most_common()),
        "incidents": await counts.list_incidents(session, scope, found.id),
        "loss": lost,
        "top_risks": await counts.list_risks(session, scope, found.id),
        "last_scan_ts": None if scan is None else scan.ran_at,
    }


async def _machine_counts(session: AsyncSession, scope: Scope, site_id: int, scan: Any) -> dict[str, Any]:
    """What nobody has looked at yet is unknown. A scan has counted its whole site; a part of one is counted here."""
    counted = None
    if scan is not None and scope.holds_site(site_id):
        counted = SiteTally(scan.machines, scan.healthy, scan.with_problem, scan.stopped, scan.down, scan.lost_ths)
    elif scan is not None:
        packed, miner_nos = await details.find_standing(session, scope, site_id)
        counted = None if packed is None else partial_tally(packed, miner_nos)
    if counted is None:  # also of a part until the first scan after an upgrade
        counted = SiteTally(await places.count_miners(session, scope, site_id))
    standing = (counted.healthy, counted.with_problem, counted.stopped, counted.down)
    return {
        "total_miners": counted.machines,
        "healthy_miners": counted.healthy,
        "problem_miners": counted.with_problem,
        "stopped_miners": counted.stopped,
        "down_miners": counted.down,
        "unknown_miners": counted.machines - sum(standing),
        "lost_ths": counted.lost_ths,
    }


async def list_risks(session: AsyncSession, scope: Scope, site: str | int, *, least: float) -> dict[str, Any]:
    """Those at risk in columns: a map asks for thousands of machines, and for nothing but this of each."""
    found = await places.get_site(session, scope, site)
    await lists.plan_by_values(session)
    judged = await counts.count_judged(session, scope, found.id)
    rows = await counts.list_at_risk(session, scope, found.id, least=least) if judged else []
    columns = {name: [getattr(row, name) for row in rows] for name in ("miner_no", "miner_id", "p_fail_24h")}
    return {"site_id": found.id, "judged": judged, "columns": columns}


async def list_temperature_limits(
    database: Database, scope: Scope, site: str | int, *, now: datetime
) -> dict[str, Any]:
    """`limits` are the few distinct ones, of both kinds of sensor; `columns.limit` says which each machine has."""
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
    frame = limits_frame(live, sensors)
    of_frame = resolve_limits(config, frame)
    distinct = list(dict.fromkeys(of_frame.heat))
    number_of_kind = [distinct.index(heat) for heat in of_frame.heat]
    return {
        "limits": [asdict(heat.main) | {"other": asdict(heat.other)} for heat in distinct],
        "columns": {
            "miner_no": frame.miner_no.tolist(),
            "limit": [number_of_kind[kind] for kind in of_frame.kind.tolist()],
        },
    }
