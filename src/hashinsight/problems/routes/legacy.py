"""Routes that also answer under `/hosting/api`, for older integrations: problems of a site or machine, suppress."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Response

from hashinsight.identity.access import CurrentCaller, ReadSession, Session
from hashinsight.inventory.parameters import Now, SitePath, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.parameters import body
from hashinsight.kit.web.responses import encode, encode_raw, errors
from hashinsight.problems.routes.params import (
    FilterQuery,
    MinerPath,
    MinerSite,
    PageNumber,
    PerPage,
    TextList,
    parse_statuses,
)
from hashinsight.problems.schemas.problems import MinerProblems, ProblemList
from hashinsight.problems.schemas.requests import Lift, Suppress
from hashinsight.problems.schemas.sites import SiteSummary
from hashinsight.problems.schemas.suppressions import MinerSuppressed, MinerUnsuppressed
from hashinsight.problems.service import lists, sites, suppressions

router = APIRouter()


@router.get("/sites/{site_id}/health_summary", responses=errors(404))
async def get_site_summary(scope: ViewScope, session: ReadSession, site_id: SitePath) -> SiteSummary:
    """The summary of a site. Problems are counted as of now; machines and `loss.ths` as of `last_scan_ts`.

    Each machine counts once: healthy, with a problem, stopped on purpose, down (no hashrate, no problem yet) or
    unknown. `loss.ths` is the `lost_ths` of `/api/v1/telemetry/sites` at the time of the scan; machines stopped on
    purpose are not lost. Only the caller's part of the site is counted.
    """
    return SiteSummary.model_validate(await sites.get_summary(session, scope, site_id))


@router.get("/sites/{site_id}/problems", response_model=ProblemList, responses=errors(404))
async def list_site_problems(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    site_id: SitePath,
    wanted: FilterQuery,
    page: PageNumber = 1,
    per_page: PerPage = 50,
) -> Response:
    """The problems of a site by severity, risk and when they were last seen; `sort` offers other orders."""
    site = await places.get_site(session, scope, site_id)
    wanted = replace(wanted, site_id=site.id)
    listed = await lists.list_page(session, scope, wanted, page=page, per_page=per_page, raw=True, now=now)
    return encode_raw(listed)


@router.get("/miners/{miner_id}/problems", response_model=MinerProblems, responses=errors(404, 409))
async def list_miner_problems(
    *,
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    miner_id: MinerPath,
    site_id: MinerSite = None,
    status: TextList = None,
    include_resolved: Annotated[bool, Query(description="Also resolved ones.")] = False,
) -> Response:
    """The problems of one machine: open, ack and in_progress, or those of the given statuses."""
    answer = await lists.list_miner_problems(
        session, scope, miner_id, site_id, status=parse_statuses(status), include_resolved=include_resolved, now=now
    )
    return encode(MinerProblems, answer)


@router.post("/miners/{miner_id}/suppress", responses=errors(404, 409))
async def suppress_miner(
    *,
    caller: CurrentCaller,
    session: Session,
    now: Now,
    miner_id: MinerPath,
    given: Annotated[Suppress, body(Suppress)],
    site_id: MinerSite = None,
) -> MinerSuppressed:
    """Open no new problems on a machine until a time, or until it is lifted. Open problems stay as they are.

    Replaces an earlier suppression of the machine itself.
    """
    (row,) = await suppressions.suppress_miner(session, caller, miner_id, site_id, given.to_request(), now=now)
    until = "until lifted" if row["until_at"] is None else f"until {row['until_at']:%Y-%m-%d %H:%M:%S}Z"
    return MinerSuppressed(
        success=True,
        miner_id=row["miner_id"],
        message=f"suppressed {until}",
        until=row["until_at"],
        maintenance=row["maintenance"],
        reason=row["reason"],
    )


@router.post("/miners/{miner_id}/unsuppress", responses=errors(404, 409))
async def unsuppress_miner(
    *,
    caller: CurrentCaller,
    session: Session,
    now: Now,
    miner_id: MinerPath,
    given: Annotated[Lift | None, body(Lift)] = None,
    site_id: MinerSite = None,
) -> MinerUnsuppressed:
    """Lift the suppression of the machine itself. Those of its zone, groups or site stay, and are named.

    A `reason` is stored in the audit log and in the timelines of the machine's open problems.
    """
    reason = None if given is None else given.reason
    lifted, others = await suppressions.unsuppress_miner(session, caller, miner_id, site_id, reason=reason, now=now)
    message = "suppression lifted" if lifted else "the machine itself is not suppressed"
    still_by = sorted({row["kind"] for row in others})
    if still_by:
        message += f"; still suppressed by its {', '.join(still_by)}"
    return MinerUnsuppressed(success=True, miner_id=miner_id, message=message, lifted=lifted, still_by=still_by)
