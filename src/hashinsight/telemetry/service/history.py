"""Reading what was: some machines over a time, bounded, as JSON or as a file that is streamed."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.queries.tables import Site
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.layers import (
    MOST_CSV_POINTS,
    MOST_POINTS,
    Resolution,
    check_points,
    check_span,
    expected_points,
)
from hashinsight.telemetry.queries import history
from hashinsight.telemetry.queries.history import Span

_PART_POINTS = 20_000
_MOST_AT_ONCE = 1000
VIEWS = {
    Resolution.RAW: "telemetry_raw_24h",
    Resolution.FIVE_MINUTES: "telemetry_history_5min",
    Resolution.HOURLY: "telemetry_hourly",
    Resolution.DAILY: "telemetry_daily",
}


@dataclass(frozen=True)
class HistoryFilter:
    site: str | int
    start: datetime
    end: datetime
    resolution: Resolution
    miner_id: str | None = None
    limit: int = 100
    cursor: str | None = None


async def read_history(session: AsyncSession, scope: Scope, wanted: HistoryFilter, *, now: datetime) -> bytes:
    """The series of a page of machines, as the JSON of the answer."""
    check_span(wanted.resolution, wanted.start, wanted.end, now=now)
    site = await places.get_site(session, scope, wanted.site)
    next_cursor: str | None = None
    if wanted.miner_id is not None:
        chosen = [await _get_machine(session, scope, wanted, site)]
    else:
        page = await history.list_machines(session, scope, site.id, limit=wanted.limit, cursor=wanted.cursor)
        chosen, next_cursor = [(row[0], row[1]) for row in page.rows], page.next_cursor
    points = expected_points(wanted.resolution, wanted.start, wanted.end, len(chosen))
    if wanted.resolution is not Resolution.RAW:  # how often a machine is sampled, only its samples tell
        check_points(wanted.resolution, points, len(chosen))
    span = Span(site.id, [miner_no for miner_no, _ in chosen], wanted.start, wanted.end)
    series = await history.list_series(session, wanted.resolution, span, most_points=MOST_POINTS)
    found = sum(count for count, _ in series.values())
    if found > MOST_POINTS:
        check_points(wanted.resolution, max(found, points), len(chosen))
    meta = {
        "source": VIEWS[wanted.resolution],
        "resolution": wanted.resolution.value,
        "site_id": site.id,
        "start": wanted.start,
        "end": wanted.end,
        "as_of": now,
        "points": found,
        "most_points": MOST_POINTS,
    }
    shown = [
        {"miner_id": miner_id, "data": msgspec.Raw(series[miner_no][1].encode())}
        for miner_no, miner_id in chosen
        if miner_no in series
    ]
    return msgspec.json.encode({"series": shown, "next_cursor": next_cursor, "_meta": meta})


async def begin_file(session: AsyncSession, scope: Scope, wanted: HistoryFilter, *, now: datetime) -> Site:
    """The site of a file that may be made: refused before its first byte, not in the middle."""
    check_span(wanted.resolution, wanted.start, wanted.end, now=now)
    site = await places.get_site(session, scope, wanted.site)
    if wanted.miner_id is None:
        machines = await history.count_machines(session, scope, site.id)
    else:
        await _get_machine(session, scope, wanted, site)
        machines = 1
    points = expected_points(wanted.resolution, wanted.start, wanted.end, machines)
    check_points(wanted.resolution, points, machines, most=MOST_CSV_POINTS)
    return site


async def history_lines(database: Database, scope: Scope, site: Site, wanted: HistoryFilter) -> AsyncIterator[str]:
    """Parts of the file. Each is read in a short session of its own: a slow reader holds no connection."""
    yield ",".join(("miner_id", *history.columns_of(wanted.resolution))) + "\r\n"
    a_machine = expected_points(wanted.resolution, wanted.start, wanted.end, 1)
    limit = min(max(_PART_POINTS // a_machine, 1), _MOST_AT_ONCE)
    cursor: str | None = None
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            if wanted.miner_id is not None:
                chosen = dict([await _get_machine(session, scope, wanted, site)])
            else:
                page = await history.list_machines(session, scope, site.id, limit=limit, cursor=cursor)
                chosen, cursor = dict(tuple(row) for row in page.rows), page.next_cursor
            span = Span(site.id, list(chosen), wanted.start, wanted.end)
            rows = await history.list_points(session, wanted.resolution, span)
        if rows:
            yield await asyncio.to_thread(_csv_lines, rows, chosen)
        if cursor is None:
            return


async def _get_machine(session: AsyncSession, scope: Scope, wanted: HistoryFilter, site: Site) -> tuple[int, str]:
    found = await miners.get_miner(session, scope, wanted.miner_id or "", site.id)
    return found.miner.miner_no, found.miner.miner_id


def _csv_lines(rows: Sequence[Any], names: dict[int, str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows((names[row[0]], row[1].isoformat(), *map(_cell, row[2:])) for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Texts of machines never begin like a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
