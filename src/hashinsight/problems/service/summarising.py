"""Sum up a site: how many machines are well, what is open, and what is likeliest to fail next."""

from collections import Counter
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import places
from hashinsight.problems.codes import Severity
from hashinsight.problems.queries import listing, risks, showing, summary


async def summarise(session: AsyncSession, scope: Scope, site: str | int) -> dict[str, Any]:
    """Problems as they are now; machines as the last scan left them, which says of all whether they are well."""
    found = await places.get_site(session, scope, site)
    await listing.plan_by_values(session)
    counted = await summary.count_open(session, scope, found.id)
    scan = await showing.find_last_scan(session, found.id)
    by_severity, by_issue = Counter[str](), Counter[str]()
    for row in counted:
        by_severity[row.severity] += row.problems
        by_issue[row.issue_code] += row.problems
    return {
        "site_id": found.id,
        **await _machines(session, scope, found.id, scan),
        "by_severity": {one.name: by_severity[one.name] for one in Severity},
        "by_issue": dict(by_issue.most_common()),
        "incidents": await summary.list_incidents(session, scope, found.id),
        "loss": await summary.sum_loss(session, scope, found.id),
        "top_risks": await summary.list_risks(session, scope, found.id),
        "last_scan_ts": None if scan is None else scan.ran_at,
    }


async def _machines(session: AsyncSession, scope: Scope, site_id: int, scan: Any) -> dict[str, int]:
    """What nobody has looked at yet is unknown. A scan has counted its whole site; a part of one is counted here."""
    if scan is None:
        total = await places.count_miners(session, scope, site_id)
        healthy = with_problem = 0
    elif scope.holds_site(site_id):
        total, healthy, with_problem = scan.machines, scan.healthy, scan.with_problem
    else:
        total, healthy, with_problem = await summary.count_machines(session, scope, site_id)
    return {
        "total_miners": total,
        "healthy_miners": healthy,
        "problem_miners": with_problem,
        "unknown_miners": total - healthy - with_problem,
    }


async def tell_risks(session: AsyncSession, scope: Scope, site: str | int, *, least: float) -> dict[str, Any]:
    """Those at risk in columns: a map asks for thousands of machines, and for nothing but this of each."""
    found = await places.get_site(session, scope, site)
    await listing.plan_by_values(session)
    judged = await risks.count_judged(session, scope, found.id)
    rows = await risks.list_at_risk(session, scope, found.id, least=least) if judged else []
    columns = {name: [getattr(row, name) for row in rows] for name in ("miner_no", "miner_id", "p_fail_24h")}
    return {"site_id": found.id, "judged": judged, "columns": columns}
