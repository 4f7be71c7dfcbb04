"""The five that older integrations know by paths of their own: a site's summary and problems, a machine's, suppress."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.parameters import Now, SitePath, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.examples import answers
from hashinsight.problems.routes import examples
from hashinsight.problems.routes.params import (
    Caller,
    MinerPath,
    Narrowed,
    PageNo,
    PerPage,
    WhichSite,
    Words,
    statuses,
    told,
)
from hashinsight.problems.schemas import Lift, Suppress, body
from hashinsight.problems.service import lists, sites, suppressions

router = APIRouter()


@router.get("/sites/{site_id}/health_summary", response_class=Response, responses=answers(examples.SUMMARY))
async def read_summary(scope: ViewScope, session: ReadSession, site_id: SitePath) -> Response:
    """How a site stands. Problems are counted as they are now; machines and `loss.ths` are as of `last_scan_ts`.

    Each machine counts once: healthy, with a problem, stopped on purpose, down (no hashrate, no problem yet) or
    unknown. `loss.ths` is what `/api/v1/telemetry/sites` told as `lost_ths` at the moment of the scan, which follows
    what happens between two scans; what was stopped on purpose is not lost. `loss.thh` is null until open problems
    have figures. What lies outside one's scope is not counted; whoever sees a part of a site is told of the same scan.
    """
    return told(await sites.get_summary(session, scope, site_id))


@router.get("/sites/{site_id}/problems", response_class=Response, responses=answers(examples.PAGE))
async def list_site_problems(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SitePath,
    wanted: Narrowed,
    page: PageNo = 1,
    per_page: PerPage = 50,
) -> Response:
    """The problems of a site by severity, risk and when they were last seen; `sort` offers other orders."""
    site = await places.get_site(session, scope, site_id)
    found = await lists.list_page(
        session, scope, replace(wanted, site_id=site.id), page=page, per_page=per_page, now=now
    )
    return told(found.shown())


@router.get("/miners/{miner_id}/problems", response_class=Response, responses=answers(examples.OF_MINER))
async def list_miner_problems(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    miner_id: MinerPath,
    site_id: WhichSite = None,
    status: Words = None,
    include_resolved: Annotated[bool, Query(description="Also those that are over.")] = False,
) -> Response:
    """The problems of one machine: open, ack and in_progress, or those of the statuses that are asked for."""
    chosen = statuses(status)
    return told(
        await lists.list_miner_problems(
            session, scope, miner_id, site_id, status=chosen, include_resolved=include_resolved, now=now
        )
    )


@router.post("/miners/{miner_id}/suppress", responses=answers(examples.SUPPRESSED))
async def suppress_miner(
    *,
    asker: Caller,
    session: Session,
    now: Now,
    miner_id: MinerPath,
    wish: Annotated[Suppress, body(Suppress)],
    site_id: WhichSite = None,
) -> dict[str, Any]:
    """Open nothing new on a machine until a time, or until it is unsuppressed. What is open stays as it is.

    What was said of the machine before is replaced.
    """
    (made,) = await suppressions.suppress_miner(session, asker, miner_id, site_id, wish.wish(), now=now)
    until = "until it is lifted" if made["until_at"] is None else f"until {made['until_at']:%Y-%m-%d %H:%M:%S}Z"
    return {
        "success": True,
        "miner_id": made["miner_id"],
        "message": f"suppressed {until}",
        "until": made["until_at"],
        "maintenance": made["maintenance"],
        "reason": made["reason"],
    }


@router.post("/miners/{miner_id}/unsuppress", responses=answers(examples.UNSUPPRESSED))
async def unsuppress_miner(
    *,
    asker: Caller,
    session: Session,
    now: Now,
    miner_id: MinerPath,
    wish: Annotated[Lift | None, body(Lift)] = None,
    site_id: WhichSite = None,
) -> dict[str, Any]:
    """Lift the suppression of the machine itself. Those of its zone, groups or site stay, and are named.

    A `reason` is kept in the audit and in the timelines of the machine's open problems.
    """
    reason = None if wish is None else wish.reason
    lifted, left = await suppressions.unsuppress_miner(session, asker, miner_id, site_id, reason=reason, now=now)
    message = "not suppressed any more" if lifted else "it was not suppressed by itself"
    still_by = sorted({one["kind"] for one in left})
    if still_by:
        message += "; still suppressed by its " + ", ".join(still_by)
    return {"success": True, "miner_id": miner_id, "message": message, "lifted": lifted, "still_by": still_by}
