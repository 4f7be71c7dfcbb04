"""Problems of all sites, one problem, and the health of one machine."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from hashinsight.identity.access import CurrentCaller, ReadSession
from hashinsight.identity.permissions import Permission
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Cursor, Limit, Now, SitePath, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.responses import encode, encode_raw, errors
from hashinsight.kit.web.state import get_database
from hashinsight.problems.queries.history import MAX_HOURS
from hashinsight.problems.routes.params import FilterQuery, Format, MinerPath, MinerSite, PageNumber, PerPage
from hashinsight.problems.schemas.details import MachineHealth, MachinePeers, ProblemDetails, Timeline
from hashinsight.problems.schemas.problems import AssigneeList, ProblemCounts, ProblemList
from hashinsight.problems.schemas.sites import SiteRisks, SiteTemperatureLimits
from hashinsight.problems.service import actions, details, lists, sites

router = APIRouter()
_CSV = (
    "id,site_id,site,site_name,miner_id,zone,issue_code,severity,status\r\n"
    "01980f80-0000-7000-8000-0000000000e1,3,tx-1,Midland 1,B2-R14-03,B2,offline,P0,open\r\n"
)


@router.get(
    "/problems",
    response_model=ProblemList,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}, "example": _CSV}}}, **errors(404)},
)
async def list_problems(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    wanted: FilterQuery,
    site_id: SiteQuery = None,
    page: PageNumber = 1,
    per_page: PerPage = 50,
    form: Format = "json",
) -> Response:
    """The problems of all sites in the caller's scope, or of one. `format=csv` is a file, and is audited."""
    database = get_database(request)
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
            query = {name: value[:200] for name, value in request.query_params.items() if value and name != "format"}
            ids = await lists.start_export(session, scope, replace(wanted, site_id=site), query, now=now)
        headers = {"Content-Disposition": 'attachment; filename="problems.csv"'}
        lines = lists.export_lines(database, scope, ids)
        return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)
    async with database.reading(scope.context(read_only=True)) as session:
        site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
        listed = await lists.list_page(
            session, scope, replace(wanted, site_id=site), page=page, per_page=per_page, raw=True, now=now
        )
    return encode_raw(listed)


@router.get("/problems/counts", responses=errors(404))
async def count_problems(
    scope: ViewScope, session: ReadSession, now: Now, wanted: FilterQuery, site_id: SiteQuery = None
) -> ProblemCounts:
    """How many problems each filter value would leave, with the same filters as the list.

    A filter does not apply to its own facet, so that its other values stay visible. Without `status` resolved problems
    are not counted.
    """
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    counts = await lists.count_by_facet(session, scope, replace(wanted, site_id=site), now=now)
    return ProblemCounts.model_validate(counts)


@router.get("/sites/{site_id}/risks", response_model=SiteRisks, responses=errors(404))
async def get_site_risks(
    scope: ViewScope,
    session: ReadSession,
    site_id: SitePath,
    least: Annotated[float, Query(ge=0, le=1, description="Minimum probability of failure.")] = 0,
) -> Response:
    """The probability of each machine to fail within a day, highest first, where a model gives one.

    `judged` counts the machines that the model says anything about: 0 means that nothing is known.
    """
    return encode(SiteRisks, await sites.list_risks(session, scope, site_id, least=least))


@router.get("/sites/{site_id}/temperature-limits", response_model=SiteTemperatureLimits, responses=errors(404))
async def get_temperature_limits(request: Request, scope: ViewScope, now: Now, site_id: SitePath) -> Response:
    """The temperature limits of each machine of a site, at its chips and at its boards.

    `limits` has each distinct entry once: for the sensor that `temp_max` comes from, and in `other` for the other kind
    (`temp_other_c` of the cells). `columns.limit` is the place in it, by machine. A machine is judged by the sensor
    that is nearest to its own limit.
    """
    return encode(
        SiteTemperatureLimits, await sites.list_temperature_limits(get_database(request), scope, site_id, now=now)
    )


@router.get("/problems/assignees", responses=errors(404))
async def list_assignees(
    caller: CurrentCaller,
    session: ReadSession,
    site_id: Annotated[SiteRef, Query(description="The site's integer id or its code.")],
) -> AssigneeList:
    """The users to whom problems of a site can be assigned. Needs the permission to assign."""
    site = await places.get_site(session, caller.scope_for(Permission.ACKNOWLEDGE), site_id)
    return AssigneeList.model_validate({"assignees": await actions.list_assignees(session, caller, site.id)})


@router.get("/problems/{problem_id}", response_model=ProblemDetails, responses=errors(404))
async def get_problem(
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    problem_id: UUID,
    history_hours: Annotated[
        int, Query(ge=0, le=MAX_HOURS, description="Every cycle up to 48 hours, beyond that one point per hour.")
    ] = 24,
) -> Response:
    """One problem with its evidence, rule, machine, baseline, history, timeline and predecessors.

    `similar` is how the same issue was resolved on machines of the model. Hashrate ratios of evidence, peers, baseline
    and history are shares of the machine's `reference_ths`; `expected_ths` is what it should hash now, in its mode. All
    are the figures of `/api/v1/telemetry/live`.
    """
    answer = await details.get_details(session, scope, problem_id, history_hours=history_hours, now=now)
    return encode(ProblemDetails, answer)


@router.get("/problems/{problem_id}/timeline", response_model=Timeline, responses=errors(404))
async def get_problem_timeline(
    scope: ViewScope, session: ReadSession, problem_id: UUID, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """What happened to a problem, newest first."""
    entries = await details.list_timeline(session, scope, problem_id, limit=limit, cursor=cursor)
    return encode(Timeline, {"timeline": list(entries.rows), "next_cursor": entries.next_cursor})


@router.get("/miners/{miner_id}/health", response_model=MachineHealth, responses=errors(404, 409))
async def get_miner_health(
    scope: ViewScope, session: ReadSession, now: Now, miner_id: MinerPath, site_id: MinerSite = None
) -> Response:
    """The health of one machine.

    `health_state` is its worst open problem (P0 … P3), else `down` (no hashrate, nothing planned), `stopped` (by
    command, curtailed or under maintenance), `unknown` or `ok`. It is the `condition` of the live answer, which spells
    `ok` as `fine`. A problem resolved by a user is gone here at once, from live and counts with the next scan.
    """
    return encode(MachineHealth, await details.get_health(session, scope, miner_id, site_id, now=now))


@router.get("/miners/{miner_id}/peers", response_model=MachinePeers, responses=errors(404, 409))
async def get_miner_peers(
    request: Request, scope: ViewScope, now: Now, miner_id: MinerPath, site_id: MinerSite = None
) -> Response:
    """One machine among its peers: those of its site, model, firmware and mode, or of a coarser group.

    As of the newest scan. A metric is null where there are fewer than 30 healthy peers or no value; `peers` is null
    where the scan did not see the machine, and where `expected_state` is set: machines stopped by command, curtailed
    or under maintenance are not compared.
    """
    cache = request.app.state.peers
    answer = await details.get_peers(get_database(request), cache, scope, miner_id, site_id, now=now)
    return encode(MachinePeers, answer)
