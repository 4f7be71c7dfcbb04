"""Reading telemetry: what is now, and what was."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.routes.asking import Cursor, Limit, Now, See
from hashinsight.kit.paging import MAX_LIMIT
from hashinsight.kit.web.session import get_database
from hashinsight.telemetry.live_state import OFFLINE_AFTER, STALE_AFTER
from hashinsight.telemetry.resolutions import Resolution
from hashinsight.telemetry.right_now import RightNow
from hashinsight.telemetry.schemas import (
    HISTORY_ANSWERS,
    LIVE_ANSWERS,
    End,
    Format,
    MinerQuery,
    OneSite,
    OnlineQuery,
    RightNowQuery,
    SiteQuery,
    Start,
)
from hashinsight.telemetry.service import history, reading
from hashinsight.telemetry.service.history import HistoryWanted
from hashinsight.telemetry.service.reading import LiveWanted

router = APIRouter(prefix="/api/v1/telemetry", tags=["telemetry"])

_JSON = "application/json"


@router.get("/live", response_class=Response, responses=LIVE_ANSWERS)
async def live(
    *,
    request: Request,
    scope: See,
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
    wanted = LiveWanted(site_id, miner_id, online, limit, cursor)
    database = get_database(request)
    newest: RightNow | None = request.app.state.right_now if right_now else None
    if form == "csv":
        async with database.transaction(scope.context()) as session:
            await _check_named(session, scope, wanted)
            said = {"what": "live", "site_id": site_id, "miner_id": miner_id}
            await _exported(session, scope, said, now)
        every = LiveWanted(site_id, miner_id, online)
        return _file(reading.live_lines(database, scope, every, now=now, right_now=newest), "live.csv")
    async with database.reading(scope.context(read_only=True)) as session:
        found = await reading.read_live(session, scope, wanted, now=now, right_now=newest)
    meta = {
        "source": found.source,
        "updated_at": found.updated_at(),
        "as_of": now,
        "right_now": "not_asked" if newest is None else "used" if found.source == "right_now" else "unavailable",
        "stale_after_sec": STALE_AFTER.total_seconds(),
        "offline_after_sec": OFFLINE_AFTER.total_seconds(),
    }
    shown = {"miners": found.miners(), "next_cursor": found.next_cursor, "_meta": meta}
    return Response(msgspec.json.encode(shown), media_type=_JSON)


@router.get("/history", response_class=Response, responses=HISTORY_ANSWERS)
async def read_history(
    *,
    request: Request,
    scope: See,
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
    wanted = HistoryWanted(site_id, start, end, resolution, miner_id, limit, cursor)
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


async def _check_named(session: AsyncSession, scope: Scope, wanted: LiveWanted) -> None:
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
