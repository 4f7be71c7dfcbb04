"""Problems of all sites, one problem, the health of one machine."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from hashinsight.identity.access import ReadSession
from hashinsight.inventory.filters import SiteRef
from hashinsight.inventory.parameters import Cursor, Limit, Now, SitePath, SiteQuery, ViewScope
from hashinsight.inventory.queries import places
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database
from hashinsight.problems.queries.history import MOST_HOURS
from hashinsight.problems.routes import examples, story_examples
from hashinsight.problems.routes.params import Caller, Format, MinerPath, Narrowed, PageNo, PerPage, WhichSite, told
from hashinsight.problems.service import actions, details, lists, sites
from hashinsight.problems.service.sites import list_temperature_limits

router = APIRouter()


@router.get("/problems", response_class=Response, responses=examples.LIST_ANSWERS)
async def list_problems(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    wanted: Narrowed,
    site_id: SiteQuery = None,
    page: PageNo = 1,
    per_page: PerPage = 50,
    form: Format = "json",
) -> Response:
    """The problems of all sites in one's scope, or of one; as a file with `format=csv`, which is recorded."""
    database = get_database(request)
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
            wanted = replace(wanted, site_id=site)
            ids = await lists.start_export(session, scope, wanted, _said(request), now=now)
        return _file(lists.export_lines(database, scope, ids))
    async with database.reading(scope.context(read_only=True)) as session:
        site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
        wanted = replace(wanted, site_id=site)
        found = await lists.list_page(session, scope, wanted, page=page, per_page=per_page, now=now)
    return told(found.shown())


@router.get("/problems/counts", response_class=Response, responses=answers(examples.COUNTS))
async def count_problems(
    scope: ViewScope, session: ReadSession, now: Now, wanted: Narrowed, site_id: SiteQuery = None
) -> Response:
    """What a list of problems could be narrowed to, and how many of each there are, by the same filters.

    A filter is left out of its own facet's count, so that the other values stay in sight. `symptoms` is how many are
    explained by an open incident. Without `status` nothing that is over is counted.
    """
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    return told(await lists.count_by_facet(session, scope, replace(wanted, site_id=site), now=now))


@router.get("/sites/{site_id}/risks", response_class=Response, responses=answers(examples.RISKS))
async def read_risks(
    scope: ViewScope,
    session: ReadSession,
    site_id: SitePath,
    least: Annotated[float, Query(ge=0, le=1, description="Leave out machines that are less likely to fail.")] = 0,
) -> Response:
    """The chance of each machine to fail within a day, likeliest first, where a model says one.

    `judged` is of how many machines it says anything: 0 means that nothing is known, not that nothing is at risk.
    """
    return told(await sites.list_risks(session, scope, site_id, least=least))


@router.get(
    "/sites/{site_id}/temperature-limits", response_class=Response, responses=answers(examples.TEMPERATURE_LIMITS)
)
async def read_temperature_limits(request: Request, scope: ViewScope, now: Now, site_id: SitePath) -> Response:
    """The temperature limits that each machine of a site is judged by, at its chips and at its boards.

    `limits` has each distinct entry once: of the sensor that `temp_max` comes from, and in `other` of the other kind
    (`temp_other_c` of the cells). `columns.limit` is the place in it, by machine. A machine is as hot as the sensor
    that is nearest to its own limit. The sources are `machine`, `catalogue`, `settings` or `assumed`.
    """
    return told(await list_temperature_limits(get_database(request), scope, site_id, now=now))


@router.get("/problems/assignees", response_class=Response, responses=answers(examples.ASSIGNEES))
async def list_assignees(
    asker: Caller, session: ReadSession, site_id: Annotated[SiteRef, Query(description="The site's id or its code.")]
) -> Response:
    """Whom the problems of a site can be assigned to. For those who may assign."""
    scope = asker.acting()
    site = await places.get_site(session, scope, site_id)
    return told({"assignees": await actions.list_assignees(session, asker, site.id)})


@router.get("/problems/{problem_id}", response_class=Response, responses=answers(story_examples.STORY))
async def read_problem(
    scope: ViewScope,
    session: ReadSession,
    now: Now,
    problem_id: UUID,
    history_hours: Annotated[
        int, Query(ge=0, le=MOST_HOURS, description="Every cycle up to 48 hours, beyond that a point an hour.")
    ] = 24,
) -> Response:
    """One problem, and what a person needs to judge it.

    Its row with evidence and peers; its rule; its machine with the baseline and the features before; its timeline
    (the newest 200 entries), what it was before, and how the same problem ended on machines of its model.

    Hashrate ratios of evidence, peers, baseline and history are shares of the machine's `reference_ths`;
    `expected_ths` is what it should hash now, in its mode. All are the figures of `/api/v1/telemetry/live`.
    """
    return told(await details.get_details(session, scope, problem_id, history_hours=history_hours, now=now))


@router.get("/problems/{problem_id}/timeline", response_class=Response, responses=answers(story_examples.TIMELINE))
async def read_timeline(
    scope: ViewScope, session: ReadSession, problem_id: UUID, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """What happened to a problem, newest first."""
    found = await details.list_timeline(session, scope, problem_id, limit=limit, cursor=cursor)
    return told({"timeline": found.rows, "next_cursor": found.next_cursor})


@router.get("/miners/{miner_id}/health", response_class=Response, responses=answers(story_examples.HEALTH))
async def read_health(
    scope: ViewScope, session: ReadSession, now: Now, miner_id: MinerPath, site_id: WhichSite = None
) -> Response:
    """How one machine is.

    `health_state` is its worst open problem (P0 … P3), else `down` (no hashrate, nothing planned), `stopped` (by
    command, curtailed or under maintenance), `unknown` or `ok`. It is the `condition` of the live answer, which spells
    `ok` as `fine`. A problem that a person resolves is gone here at once, from live and counts with the next scan.
    """
    return told(await details.get_health(session, scope, miner_id, site_id, now=now))


@router.get("/miners/{miner_id}/peers", response_class=Response, responses=answers(story_examples.PEERS))
async def read_peers(
    request: Request, scope: ViewScope, now: Now, miner_id: MinerPath, site_id: WhichSite = None
) -> Response:
    """Where one machine stands among its peers: those of its site, model, firmware and mode, or a coarser group.

    As of the newest scan. A metric is null where there are fewer than 30 healthy peers or no value; `peers` is null
    where the scan did not see the machine, and where `expected_state` is set: machines stopped by command, curtailed
    or under maintenance are not compared.
    """
    cache = request.app.state.peers
    found = await details.get_peers(get_database(request), cache, scope, miner_id, site_id, now=now)
    return told(found)


def _said(request: Request) -> dict[str, str]:
    """For the record: what the file was narrowed to."""
    return {name: value[:200] for name, value in request.query_params.items() if value and name != "format"}


def _file(parts: AsyncIterator[str]) -> StreamingResponse:
    headers = {"Content-Disposition": 'attachment; filename="problems.csv"'}
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)
