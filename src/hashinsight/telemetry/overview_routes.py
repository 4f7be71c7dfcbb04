"""Whole fleets as pictures need them: sites with their sums, a site's machines as columns, and the day behind them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from hashinsight.inventory.queries import places
from hashinsight.inventory.routes.asking import Now, See
from hashinsight.kit.errors import ValidationFailed
from hashinsight.kit.paging import MAX_LIMIT
from hashinsight.kit.web.examples import answers
from hashinsight.kit.web.session import get_database
from hashinsight.telemetry.queries.overview import count_by_site
from hashinsight.telemetry.schemas import Instant, OneSite, SiteQuery
from hashinsight.telemetry.service import overview

router = APIRouter(prefix="/api/v1/telemetry", tags=["telemetry"])

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
_JSON = "application/json"


_At = Annotated[Instant | None, Query(description="A moment of the last 24 hours, in its bucket of 5 minutes.")]
_FLEET = {"efficiency_j_th": 30.8, "efficiency_left_out": 2}
_META = {"as_of": _NOW, "bucket": None, "zone": None, "source": "live"}


@router.get("/sites", response_class=Response, responses=answers({"sites": [_SITE], "fleet": _FLEET, "_meta": _META}))
async def read_sites(
    *,
    request: Request,
    scope: See,
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
            part = overview.Part(code, at)
    return Response(await overview.tell_sites(database, scope, sites, part, now=now), media_type=_JSON)


@router.get("/cells", response_class=Response, responses=answers(_CELLS))
async def read_cells(
    *,
    request: Request,
    scope: See,
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
    return Response(await overview.tell_cells(database, scope, site, at, now=now), media_type=_JSON)


@router.get("/trend", response_class=Response, responses=answers(_TREND))
async def read_trend(
    *,
    request: Request,
    scope: See,
    now: Now,
    site_id: SiteQuery = None,
    hours: Annotated[int, Query(ge=1, le=24)] = 24,
) -> Response:
    """The sums of one site, or of each, over the last hours: in buckets of five minutes, or of hours for large ones."""
    database = get_database(request)
    async with database.reading(scope.context(read_only=True)) as session:
        site = None if site_id is None else await places.get_site(session, scope, site_id)
        machines = await count_by_site(session, scope, None if site is None else site.id)
    body = await overview.tell_trend(database, scope, machines, hours, now=now)
    return Response(body, media_type=_JSON)
