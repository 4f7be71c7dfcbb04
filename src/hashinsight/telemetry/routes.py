"""Reading telemetry: live machines, their history, and totals, cells and trends of whole sites."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.scope import Scope
from hashinsight.inventory.parameters import Cursor, Limit, Now, ViewScope
from hashinsight.inventory.queries import miners, places
from hashinsight.kit.errors import ValidationFailed
from hashinsight.kit.paging import MAX_LIMIT
from hashinsight.kit.web.responses import Responses, encode, errors
from hashinsight.kit.web.state import get_database
from hashinsight.telemetry.layers import Resolution
from hashinsight.telemetry.parameters import (
    At,
    End,
    Format,
    Hours,
    MinerQuery,
    OnlineQuery,
    RequiredSite,
    RightNowQuery,
    SiteQuery,
    Start,
    ZoneQuery,
)
from hashinsight.telemetry.queries.history import count_machines_by_site
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.schemas.live import HistoryAnswer, LiveAnswer
from hashinsight.telemetry.schemas.overview import CellsAnswer, PastCellsAnswer, SitesAnswer, TrendAnswer
from hashinsight.telemetry.service import history, live, overview
from hashinsight.telemetry.service.history import HistoryFilter
from hashinsight.telemetry.service.live import LiveFilter
from hashinsight.wire.times import write_time

router = APIRouter(prefix="/api/v1/telemetry", tags=["telemetry"])


def _or_csv(example: str) -> Responses:
    return {200: {"content": {"text/csv": {"schema": {"type": "string"}, "example": example}}}} | errors(404)


_LIVE_CSV = _or_csv("site_id,miner_id,online,age_sec,hashrate_ths\r\n3,B2-R14-03,true,40.0,103.8\r\n")
_HISTORY_CSV = _or_csv("miner_id,ts,hashrate_ths,temp_c\r\nB2-R14-03,2026-03-01T11:55:00Z,103.8,62.5\r\n")


@router.get("/live", response_model=LiveAnswer, responses=_LIVE_CSV)
async def list_live_machines(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: SiteQuery = None,
    miner_id: MinerQuery = None,
    online: OnlineQuery = None,
    right_now: RightNowQuery = False,
    limit: Limit = MAX_LIMIT,
    cursor: Cursor = None,
    form: Format = "json",
) -> Response:
    """Machines in scope with their newest values: each with its unit, source and age.

    `state` depends on the age of the newest sample in collection intervals: up to 3 is fresh, up to 5 stale, more is
    offline (180 s and 300 s at an interval of 60 s).
    """
    live_filter = LiveFilter(site_id, miner_id, online, limit, cursor)
    database = get_database(request)
    newest: RightNow | None = request.app.state.right_now if right_now else None
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            await _check_filter(session, scope, live_filter)
            await _record_export(session, scope, {"what": "live", "site_id": site_id, "miner_id": miner_id}, now)
        every = LiveFilter(site_id, miner_id, online)
        return _csv_file(live.live_lines(database, scope, every, now=now, right_now=newest), "live.csv")
    async with database.reading(scope.context(read_only=True)) as session:
        page = await live.get_live_page(session, scope, live_filter, now=now, right_now=newest)
    return encode(LiveAnswer, page.answer(now=now, with_right_now=newest is not None))


@router.get("/history", response_model=HistoryAnswer, responses=_HISTORY_CSV)
async def get_history(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: RequiredSite,
    start: Start,
    end: End,
    miner_id: MinerQuery = None,
    resolution: Annotated[Resolution, Query(description="`raw` within 24 hours.")] = Resolution.FIVE_MINUTES,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Machines per page; a series is never cut.")] = 100,
    cursor: Cursor = None,
    form: Format = "json",
) -> Response:
    """One series per machine. Values of a bucket are means of its samples; a bucket without samples has no point.

    An answer has at most 50,000 points, a CSV file 5,000,000. A larger request is refused with `TOO_MANY_POINTS` and a
    coarser resolution to use.
    """
    history_filter = HistoryFilter(site_id, start, end, resolution, miner_id, limit, cursor)
    database = get_database(request)
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            site = await history.check_file(session, scope, history_filter, now=now)
            export = {"what": resolution.value, "site_id": site.id, "miner_id": miner_id}
            await _record_export(session, scope, export | {"start": write_time(start), "end": write_time(end)}, now)
        lines = history.history_lines(database, scope, site, history_filter)
        return _csv_file(lines, f"{site.code}-{resolution.value}.csv")
    async with database.reading(scope.context(read_only=True)) as session:
        body = await history.get_history(session, scope, history_filter, now=now)
    return Response(body, media_type="application/json")


@router.get("/sites", response_model=SitesAnswer, responses=errors(404))
async def list_site_totals(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: SiteQuery = None,
    zone: ZoneQuery = None,
    at: At = None,
) -> Response:
    """Totals of every site in scope; with `site_id` of one, or of a zone of it, now or at a time in the last 24 hours.

    - `expected_ths` is what machines should hash now: their rating, or what their model does in their mode (eco, perf).
      Machines that are curtailed, stopped or restarted by command or under maintenance, and machines without a known
      rating, count with what they deliver. `stopped_ths` is the hashrate missing because of such planned states, also
      while the 5-minute mean recovers afterwards.
    - `lost_ths` is what known machines are short of expected: those short by more than a tenth, or all together if that
      is more. `surplus_ths` of other machines does not offset it. Always
      `expected_ths` - `hashrate_ths` = `lost_ths` + `expected_unknown_ths` - `surplus_ths`.
    - `conditions` counts each machine once: its worst open problem, else `down` (no hashrate, no problem yet),
      `stopped` (on purpose), `unknown` or `fine`. It is null for a past time; `unknown` then counts machines without a
      sample.
    - `power_w` is of the newest samples of online machines; `efficiency_j_th` is power over hashrate of the same five
      minutes, without machines of unknown power.
    """
    if site_id is None and not (zone is None and at is None):
        raise ValidationFailed("zone and at require site_id")
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        if site_id is None:
            sites = (await places.list_sites(session, scope, limit=MAX_LIMIT)).rows
            part = None
        else:
            sites = [await places.get_site(session, scope, site_id)]
            code = None if zone is None else (await places.get_zone(session, scope, sites[0].id, zone)).code
            part = overview.SitePart(code, at)
    return encode(SitesAnswer, await overview.get_site_totals(database, scope, sites, part, now=now))


@router.get("/cells", response_model=CellsAnswer | PastCellsAnswer, responses=errors(404))
async def list_site_cells(
    *, request: Request, scope: ViewScope, now: Now, site_id: RequiredSite, at: At = None
) -> Response:
    """All machines of a site as columns, for the map. `named` holds each word once, and its position per machine.

    `hashrate_ths` is what a machine delivers: 0 once it is offline, null if unknown. Readings of a machine that is not
    online are null. With `at`, the columns hold the means of that 5-minute bucket. Cells add up to the totals of the
    site.
    """
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        site = await places.get_site(session, scope, site_id)
    if at is None:
        return encode(CellsAnswer, await overview.get_cells(database, scope, site, now=now))
    return encode(PastCellsAnswer, await overview.get_past_cells(database, scope, site, at, now=now))


@router.get("/trend", response_model=TrendAnswer, responses=errors(404))
async def list_trends(
    *, request: Request, scope: ViewScope, now: Now, site_id: SiteQuery = None, hours: Hours = 24
) -> Response:
    """Totals over the last hours, of one site or of each: in 5-minute buckets, or hourly for large sites."""
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        site = None if site_id is None else await places.get_site(session, scope, site_id)
        machines = await count_machines_by_site(session, scope, None if site is None else site.id)
    return encode(TrendAnswer, await overview.get_trend(database, scope, machines, hours, now=now))


async def _check_filter(session: AsyncSession, scope: Scope, live_filter: LiveFilter) -> None:
    """A site or machine outside the scope is refused before a file begins."""
    if live_filter.site is not None:
        await places.get_site(session, scope, live_filter.site)
    if live_filter.miner_id is not None:
        await miners.get_miner(session, scope, live_filter.miner_id, live_filter.site)


async def _record_export(session: AsyncSession, scope: Scope, export: dict[str, Any], now: Now) -> None:
    await record(
        session,
        scope.actor,
        Action.TELEMETRY_EXPORTED,
        "telemetry",
        export["site_id"],
        tenant_id=scope.tenant_id,
        after=export,
        now=now,
    )


def _csv_file(parts: AsyncIterator[str], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)
