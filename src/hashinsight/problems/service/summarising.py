"""Sum up a site: how many machines are well, what is open, and what is likeliest to fail next."""

from collections import Counter
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.problems.codes import Severity
from hashinsight.problems.queries import listing, risks, showing, summary
from hashinsight.problems.stands import Stands, stands_of_part


async def summarise(session: AsyncSession, scope: Scope, site: str | int) -> dict[str, Any]:
    """Problems as they are now; machines and what is lost as of the last scan, of a part of a site as of the whole."""
    found = await places.get_site(session, scope, site)
    await listing.plan_by_values(session)
    counted = await summary.count_open(session, scope, found.id)
    scan = await showing.find_last_scan(session, found.id)
    by_severity, by_issue = Counter[str](), Counter[str]()
    for row in counted:
        by_severity[row.severity] += row.problems
        by_issue[row.issue_code] += row.problems
    machines = await _machines(session, scope, found.id, scan)
    lost = {"ths": machines.pop("lost_ths"), "thh": await summary.sum_hours_lost(session, scope, found.id)}
    return {
        "site_id": found.id,
        **machines,
        "by_severity": {one.name: by_severity[one.name] for one in Severity},
        "by_issue": dict(by_issue.most_common()),
        "incidents": await summary.list_incidents(session, scope, found.id),
        "loss": lost,
        "top_risks": await summary.list_risks(session, scope, found.id),
        "last_scan_ts": None if scan is None else scan.ran_at,
    }


async def _machines(session: AsyncSession, scope: Scope, site_id: int, scan: Any) -> dict[str, Any]:
    """What nobody has looked at yet is unknown. A scan has counted its whole site; a part of one is counted here."""
    counted = None
    if scan is not None and scope.holds_site(site_id):
        counted = Stands(scan.machines, scan.healthy, scan.with_problem, scan.stopped, scan.down, scan.lost_ths)
    elif scan is not None:
        packed, miner_nos = await showing.find_standing(session, scope, site_id)
        counted = None if packed is None else stands_of_part(packed, miner_nos)
    if counted is None:  # also of a part until the first scan after an upgrade
        counted = Stands(await places.count_miners(session, scope, site_id))
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


async def tell_risks(session: AsyncSession, scope: Scope, site: str | int, *, least: float) -> dict[str, Any]:
    """Those at risk in columns: a map asks for thousands of machines, and for nothing but this of each."""
    found = await places.get_site(session, scope, site)
    await listing.plan_by_values(session)
    judged = await risks.count_judged(session, scope, found.id)
    rows = await risks.list_at_risk(session, scope, found.id, least=least) if judged else []
    columns = {name: [getattr(row, name) for row in rows] for name in ("miner_no", "miner_id", "p_fail_24h")}
    return {"site_id": found.id, "judged": judged, "columns": columns}
