"""History of machines: limited series as JSON, or a CSV file that is streamed."""

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
from hashinsight.wire.times import write_time

_POINTS_PER_PART = 20_000
_MAX_MACHINES = 1000
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


async def get_history(session: AsyncSession, scope: Scope, history_filter: HistoryFilter, *, now: datetime) -> bytes:
    """`schemas.live.HistoryAnswer` of a page of machines, as JSON: the database writes the points."""
    check_span(history_filter.resolution, history_filter.start, history_filter.end, now=now)
    site = await places.get_site(session, scope, history_filter.site)
    next_cursor: str | None = None
    if history_filter.miner_id is not None:
        chosen = [await _get_machine(session, scope, history_filter, site)]
    else:
        page = await history.list_machines(
            session, scope, site.id, limit=history_filter.limit, cursor=history_filter.cursor
        )
        chosen, next_cursor = [(row[0], row[1]) for row in page.rows], page.next_cursor
    points = expected_points(history_filter.resolution, history_filter.start, history_filter.end, len(chosen))
    if history_filter.resolution is not Resolution.RAW:  # raw points depend on how often a machine was sampled
        check_points(history_filter.resolution, points, len(chosen))
    span = Span(site.id, [miner_no for miner_no, _ in chosen], history_filter.start, history_filter.end)
    series = await history.list_series(session, history_filter.resolution, span, most_points=MOST_POINTS)
    points_read = sum(count for count, _ in series.values())
    if points_read > MOST_POINTS:
        check_points(history_filter.resolution, max(points_read, points), len(chosen))
    meta = {
        "source": VIEWS[history_filter.resolution],
        "resolution": history_filter.resolution.value,
        "site_id": site.id,
        "start": history_filter.start,
        "end": history_filter.end,
        "as_of": now,
        "points": points_read,
        "most_points": MOST_POINTS,
    }
    entries = [
        {"miner_id": miner_id, "data": msgspec.Raw(series[miner_no][1].encode())}
        for miner_no, miner_id in chosen
        if miner_no in series
    ]
    return msgspec.json.encode({"series": entries, "next_cursor": next_cursor, "_meta": meta})


async def check_file(session: AsyncSession, scope: Scope, history_filter: HistoryFilter, *, now: datetime) -> Site:
    """Raises if the file would be too large or is out of scope, before its first byte; returns the site."""
    check_span(history_filter.resolution, history_filter.start, history_filter.end, now=now)
    site = await places.get_site(session, scope, history_filter.site)
    if history_filter.miner_id is None:
        machines = await history.count_machines(session, scope, site.id)
    else:
        await _get_machine(session, scope, history_filter, site)
        machines = 1
    points = expected_points(history_filter.resolution, history_filter.start, history_filter.end, machines)
    check_points(history_filter.resolution, points, machines, most=MOST_CSV_POINTS)
    return site


async def history_lines(
    database: Database, scope: Scope, site: Site, history_filter: HistoryFilter
) -> AsyncIterator[str]:
    """The file in parts, each read in a short session: a slow reader holds no connection."""
    yield ",".join(("miner_id", *history.columns_of(history_filter.resolution))) + "\r\n"
    points_per_machine = expected_points(history_filter.resolution, history_filter.start, history_filter.end, 1)
    limit = min(max(_POINTS_PER_PART // points_per_machine, 1), _MAX_MACHINES)
    cursor: str | None = None
    while True:
        async with database.reading(scope.context(read_only=True)) as session:
            if history_filter.miner_id is not None:
                chosen = dict([await _get_machine(session, scope, history_filter, site)])
            else:
                page = await history.list_machines(session, scope, site.id, limit=limit, cursor=cursor)
                chosen, cursor = dict(tuple(row) for row in page.rows), page.next_cursor
            span = Span(site.id, list(chosen), history_filter.start, history_filter.end)
            rows = await history.list_points(session, history_filter.resolution, span)
        if rows:
            yield await asyncio.to_thread(_csv_lines, rows, chosen)
        if cursor is None:
            return


async def _get_machine(
    session: AsyncSession, scope: Scope, history_filter: HistoryFilter, site: Site
) -> tuple[int, str]:
    row = await miners.get_miner(session, scope, history_filter.miner_id or "", site.id)
    return row.miner.miner_no, row.miner.miner_id


def _csv_lines(rows: Sequence[Any], names: dict[int, str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows((names[row[0]], write_time(row[1]), *map(_cell, row[2:])) for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Texts of machines must not start like a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
