"""Reading telemetry: what is now, and what was."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
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
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.state import get_database
from hashinsight.telemetry.layers import Resolution
from hashinsight.telemetry.queries.history import count_machines_by_site
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.schemas import (
    HISTORY_ANSWERS,
    LIVE_ANSWERS,
    End,
    Format,
    Instant,
    MinerQuery,
    OneSite,
    OnlineQuery,
    RightNowQuery,
    SiteQuery,
    Start,
)
from hashinsight.telemetry.service import history, overview
from hashinsight.telemetry.service import live as live_service
from hashinsight.telemetry.service.history import HistoryFilter
from hashinsight.telemetry.service.live import LiveFilter

router = APIRouter(prefix="/api/v1/telemetry", tags=["telemetry"])

_JSON = "application/json"


@router.get("/live", response_class=Response, responses=LIVE_ANSWERS)
async def live(
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
    """The machines in scope as they are: each value with its unit, its source and how old it is.

    `state` is fresh, stale (older than 180 s), offline (older than 300 s, or the sample says so) or unknown (never
    seen, or its collector is silent). What is not known is null, never 0.

    `rated_ths` is the nameplate, the same in any mode. `reference_ths` is what problems and baselines are shares of:
    your figure, else the one that the machine reports, else the catalogue's, else inferred. `expected_ths` is what
    the machine should hash now: its reference, or what its kind does in its mode (eco, perf).
    """
    wanted = LiveFilter(site_id, miner_id, online, limit, cursor)
    database = get_database(request)
    newest: RightNow | None = request.app.state.right_now if right_now else None
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            await _check_named(session, scope, wanted)
            said = {"what": "live", "site_id": site_id, "miner_id": miner_id}
            await _exported(session, scope, said, now)
        every = LiveFilter(site_id, miner_id, online)
        return _file(live_service.live_lines(database, scope, every, now=now, right_now=newest), "live.csv")
    async with database.reading(scope.context(read_only=True)) as session:
        found = await live_service.get_live_page(session, scope, wanted, now=now, right_now=newest)
    meta = {
        "source": found.source,
        "updated_at": found.updated_at(),
        "as_of": now,
        "right_now": "not_asked" if newest is None else "used" if found.source == "right_now" else "unavailable",
        "stale_after_sec": found.freshness.stale_sec,
        "offline_after_sec": found.freshness.offline_sec,
    }
    shown = {"miners": found.miners(), "next_cursor": found.next_cursor, "_meta": meta}
    return Response(msgspec.json.encode(shown), media_type=_JSON)


@router.get("/history", response_class=Response, responses=HISTORY_ANSWERS)
async def read_history(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: OneSite,
    start: Start,
    end: End,
    miner_id: MinerQuery = None,
    resolution: Annotated[Resolution, Query(description="`raw` within 24 hours.")] = Resolution.FIVE_MINUTES,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Machines at a time; a series is never cut.")] = 100,
    cursor: Cursor = None,
    form: Format = "json",
) -> Response:
    """A series a machine. Values of a bucket are means of what was measured; without a sample there is no point.

    An answer holds at most 50,000 points and a CSV file 5,000,000; asking for more is refused, with a way out.
    """
    wanted = HistoryFilter(site_id, start, end, resolution, miner_id, limit, cursor)
    database = get_database(request)
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            site = await history.begin_file(session, scope, wanted, now=now)
            said = {"what": resolution.value, "site_id": site.id, "miner_id": miner_id}
            await _exported(session, scope, said | {"start": start.isoformat(), "end": end.isoformat()}, now)
        return _file(history.history_lines(database, scope, site, wanted), f"{site.code}-{resolution.value}.csv")
    async with database.reading(scope.context(read_only=True)) as session:
        body = await history.read_history(session, scope, wanted, now=now)
    return Response(body, media_type=_JSON)


async def _check_named(session: AsyncSession, scope: Scope, wanted: LiveFilter) -> None:
    """What lies outside the scope is told before a file begins."""
    if wanted.site is not None:
        await places.get_site(session, scope, wanted.site)
    if wanted.miner_id is not None:
        await miners.get_miner(session, scope, wanted.miner_id, wanted.site)


async def _exported(session: AsyncSession, scope: Scope, said: dict[str, Any], now: Now) -> None:
    await record(
        session,
        scope.actor,
        Action.TELEMETRY_EXPORTED,
        "telemetry",
        said["site_id"],
        tenant_id=scope.tenant_id,
        after=said,
        now=now,
    )


def _file(parts: AsyncIterator[str], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=headers)


overview_router = APIRouter(prefix="/api/v1/telemetry", tags=["telemetry"])

_NOW, _THEN = "2026-03-01T12:00:00Z", "2026-03-01T11:55:00Z"
_SITE: dict[str, Any] = {
    "site_id": 3,
    "code": "tx-midland-1",
    "name": "Midland 1",
    "timezone": "America/Chicago",
    "machines": 1000,
    "online": 978,
    "unknown": 4,
    "hashrate_ths": 96100.0,
    "expected_ths": 102960.0,
    "expected_unknown_ths": 416.0,
    "stopped_ths": 1040.0,
    "lost_ths": 6444.0,
    "lost_with_problem_ths": 6236.0,
    "surplus_ths": 0.0,
    "power_w": 3200000.0,
    "power_unknown": 2,
    "efficiency_j_th": 30.8,
    "efficiency_left_out": 2,
    "conditions": {"P0": 1, "P1": 8, "P2": 22, "P3": 9, "down": 2, "stopped": 10, "unknown": 4, "fine": 944},
    "hottest_c": 84.5,
    "newest_at": "2026-03-01T11:59:40Z",
    "updated_at": "2026-03-01T11:59:58Z",
    "zones": 4,
}
_WORDS = {"words": ["B2"], "index": [0]}
_CELLS: dict[str, Any] = {
    "machines": 1,
    "columns": {
        "miner_no": [10231],
        "miner_id": ["B2-R14-03"],
        "position": ["03"],
        "online": [True],
        "boards_healthy": [3],
        "boards_total": [3],
        "hashrate_ths": [103.8],
        "expected_ths": [104.0],
        "temp_max_c": [71.5],
        "temp_other_c": [62.0],
        "power_w": [3050.0],
        "efficiency_j_th": [29.4],
        "age_sec": [40.0],
        "online_ratio": [1.0],
        "stopped": [10231],
    },
    "named": dict.fromkeys(
        (
            *("zone", "rack", "model", "firmware", "data_state", "data_reason", "overall_health"),
            *("condition", "inferred_mode", "expected_state"),
        ),
        _WORDS,
    ),
    "_meta": {"as_of": _NOW, "bucket": _THEN, "source": "live", "site_id": 3},
}
_TREND: dict[str, Any] = {
    "series": [
        {
            "site_id": 3,
            "resolution": "5min",
            "ts": [_THEN],
            "hashrate_ths": [96100.0],
            "power_w": [3200000.0],
            "temp_max_c": [84.5],
            "online": [978.0],
        }
    ],
    "_meta": {"as_of": _NOW, "start": "2026-02-28T12:00:00Z", "end": _NOW},
}


_At = Annotated[Instant | None, Query(description="A moment of the last 24 hours, in its bucket of 5 minutes.")]
_FLEET = {"efficiency_j_th": 30.8, "efficiency_left_out": 2}
_META = {"as_of": _NOW, "bucket": None, "zone": None, "source": "live"}


@overview_router.get(
    "/sites", response_class=Response, responses=answers({"sites": [_SITE], "fleet": _FLEET, "_meta": _META})
)
async def read_sites(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: SiteQuery = None,
    zone: Annotated[str | None, Query(max_length=100, description="The code of a zone of the site.")] = None,
    at: _At = None,
) -> Response:
    """Every site in scope with its sums; with `site_id` one, or a zone of it, now or at a moment of its last day.

    - `expected_ths` is what machines should hash now: what they are rated for, or what their kind does in their mode
      (eco, perf). Of machines that are curtailed, stopped or restarted by command or under maintenance (also by a
      suppression with `maintenance`), and of those that nobody knows a rating of, it counts only what they deliver.
      `stopped_ths` is what is missing of such machines on purpose, also while the mean of five minutes fills up again
      after it has ended.
      `expected_unknown_ths` is its part of machines whose hashrate nobody knows now: neither delivered nor lost.
    - `lost_ths` is what machines lack that are known: each that lacks more than a tenth, whatever others have too
      much, or all of them together if that is more. `surplus_ths` is what other machines deliver above expected:
      it does not offset a loss, so a site can deliver more than expected and still lose hashrate. Always
      `expected_ths` - `hashrate_ths` = `lost_ths` + `expected_unknown_ths` - `surplus_ths`.
      `lost_with_problem_ths` is the part of it that machines with an open problem lack; null for a moment of the past.
    - `conditions` counts each machine once: its worst open problem, else `down` (no hashrate, no problem yet),
      `stopped` (on purpose: all of it, or more than a tenth), `unknown` or `fine`. It is null for a moment of the past,
      of which `unknown` counts the machines without a sample.
    - `power_w` is of the newest samples of machines online; `efficiency_j_th` is watts over TH/s of the same five
      minutes, without the `efficiency_left_out` machines whose power is not known.
    - A figure that no machine tells is null, not 0: all but `expected_ths` of a site whose machines were never seen.
    """
    if site_id is None and not (zone is None and at is None):
        raise ValidationFailed("a zone and a moment are those of one site: say site_id")
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        if site_id is None:
            sites = (await places.list_sites(session, scope, limit=MAX_LIMIT)).rows
            part = None
        else:
            sites = [await places.get_site(session, scope, site_id)]
            code = None if zone is None else (await places.get_zone(session, scope, sites[0].id, zone)).code
            part = overview.SitePart(code, at)
    return Response(await overview.get_site_totals(database, scope, sites, part, now=now), media_type=_JSON)


@overview_router.get("/cells", response_class=Response, responses=answers(_CELLS))
async def read_cells(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: OneSite,
    at: _At = None,
) -> Response:
    """All machines of a site as columns, for a map: `named` holds each word once and its number for each machine.

    Without `at` it is the live state; `temp_other_c` is the hottest of the kind of sensor that `temp_max_c` is not of:
    a board beside a hotter chip, or a chip beside a hotter board. `condition` is what `/sites` counts by. With `at`,
    `columns` holds `miner_no`, means and `online_ratio` of that bucket; a machine that sent nothing then is not in it.
    `stopped` lists the machines that stand still on purpose. `hashrate_ths` is what a machine delivers: 0 once it is
    offline, null where that is not known. Readings of a machine that is not online are null. Cells add up to the site:
    `hashrate_ths`, `power_w`, and `expected_ths` with the hashrate of machines without a rating.
    """
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        site = await places.get_site(session, scope, site_id)
    return Response(await overview.get_site_cells(database, scope, site, at, now=now), media_type=_JSON)


@overview_router.get("/trend", response_class=Response, responses=answers(_TREND))
async def read_trend(
    *,
    request: Request,
    scope: ViewScope,
    now: Now,
    site_id: SiteQuery = None,
    hours: Annotated[int, Query(ge=1, le=24)] = 24,
) -> Response:
    """The sums of one site, or of each, over the last hours: in buckets of five minutes, or of hours for large ones."""
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        site = None if site_id is None else await places.get_site(session, scope, site_id)
        machines = await count_machines_by_site(session, scope, None if site is None else site.id)
    body = await overview.get_trend(database, scope, machines, hours, now=now)
    return Response(body, media_type=_JSON)
