"""What was: raw samples and the rolled-up layers of some machines over a time. The database itself writes the JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, TextClause, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Miner
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.kit.paging import Page, page
from hashinsight.telemetry import losses
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, HOURS, RAW
from hashinsight.telemetry.queries.means import POWERED_THS, POWERED_W, mean
from hashinsight.telemetry.resolutions import Resolution


@dataclass(frozen=True)
class Span:
    """Of which machines, and from when to when. The machines were found within a scope."""

    site_id: int
    miner_nos: Sequence[int]
    start: datetime
    end: datetime

    def values(self) -> dict[str, Any]:
        return {"site_id": self.site_id, "miner_nos": list(self.miner_nos), "start": self.start, "end": self.end}


async def list_machines(
    session: AsyncSession, scope: Scope, site_id: int, *, limit: int, cursor: str | None = None
) -> Page:
    """The machines of a site: retired ones have a history, too."""
    query = select(Miner.miner_no, Miner.miner_id).where(miners_within(scope), Miner.site_id == site_id)
    return await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)


async def count_machines(session: AsyncSession, scope: Scope, site_id: int) -> int:
    query = select(func.count()).where(miners_within(scope), Miner.site_id == site_id)
    return (await session.execute(query)).scalar_one()


async def list_series(
    session: AsyncSession, resolution: Resolution, span: Span, *, most_points: int
) -> dict[int, tuple[int, str]]:
    """By machine: how many points, and all of them as one JSON text. One point more than `most_points` tells."""
    rows = await session.execute(series_query(resolution), span.values() | {"most": most_points + 1})
    return {row.miner_no: (row.points, row.data) for row in rows}


async def list_points(session: AsyncSession, resolution: Resolution, span: Span) -> Sequence[Row[Any]]:
    """The same as plain rows, machine by machine."""
    found: Any = (await session.execute(points_query(resolution), span.values())).all()
    rows: Sequence[Row[Any]] = found
    return rows


def _grown(before: str, after: str) -> str:
    """A smaller value is a restart, and counts from zero; nobody knows what the first one grew by."""
    return f"(case when {before} is null then null when {after} >= {before} then {after} - {before} else {after} end)"


def _rate(accepted: str, rejected: str) -> str:
    """Unknown without counters, 0 when there were no shares."""
    return f"coalesce({rejected}::float8 / nullif({accepted} + {rejected}, 0), 0 * ({accepted} + {rejected}))::real"


def _mean(name: str) -> str:
    return f"{mean(name)}::real"


_SINCE = {name: _grown(f"lag({name}) over w", name) for name in ("accepted", "rejected")}
_SAMPLE = {
    "status": "case status when 0 then 'offline' when 2 then 'error' else 'online' end",
    "hashrate_ths": "hashrate_ths",
    "temp_c": "temp_c",
    "temp_max_c": "temp_max_c",
    "power_w": "power_w",
    "fan_rpm": "fan_rpm",
    "frequency_mhz": "frequency_mhz",
    "reject_rate": f"coalesce(reject_rate, {_rate(_SINCE['accepted'], _SINCE['rejected'])})",
    "accepted_shares": "accepted",
    "rejected_shares": "rejected",
    "hardware_errors": "hw_errors",
    "boards_healthy": "boards_healthy",
    "uptime_seconds": "uptime_sec",
    "error_message": "error_message",
}
_BUCKET = {
    "hashrate_ths": _mean("hashrate"),
    "hashrate_min_ths": "hashrate_min",
    "hashrate_max_ths": "hashrate_max",
    "temp_c": _mean("temp"),
    "temp_max_c": "temp_max",
    "power_w": _mean("power"),
    "fan_rpm": _mean("fan"),
    "efficiency_j_th": f"{losses.efficiency_sql(POWERED_W, POWERED_THS, mean('hashrate'))}::real",
    "accepted_shares": "accepted_delta",
    "rejected_shares": "rejected_delta",
    "reject_rate": _rate("accepted_delta", "rejected_delta"),
    "hardware_errors": "hw_errors_delta",
    "online_ratio": "(online_samples::float8 / samples)::real",
    "samples": "samples",
}
_DAY = {
    "total_power_kwh": f"{_mean('power')} * 24 / 1000",
    "uptime_hours": "(online_samples * 24.0 / samples)::real",
}
_SOURCES: dict[Resolution, tuple[str, str, dict[str, str]]] = {
    Resolution.RAW: (RAW.name, "ts", _SAMPLE),
    Resolution.FIVE_MINUTES: (FIVE_MINUTES.name, "bucket_ts", _BUCKET),
    Resolution.HOURLY: (HOURS.name, "hour_ts", _BUCKET),
    Resolution.DAILY: (DAYS.name, "day", _BUCKET | _DAY),
}


def columns_of(resolution: Resolution) -> tuple[str, ...]:
    return ("ts", *_SOURCES[resolution][2])


def _points(resolution: Resolution) -> str:
    table, time, columns = _SOURCES[resolution]
    shown = ", ".join(f"{value} as {name}" for name, value in columns.items())
    window = f" window w as (partition by miner_no order by {time})" if resolution is Resolution.RAW else ""
    return (
        f"select miner_no, {time} as ts, {shown} from {table} where miner_no = any(:miner_nos)"  # noqa: S608 - our own names
        f" and site_id = :site_id and {time} >= :start and {time} < :end{window} order by miner_no, {time}"
    )


def points_query(resolution: Resolution) -> TextClause:
    return text(_points(resolution))


def series_query(resolution: Resolution) -> TextClause:
    named = ", ".join(f"'{name}', {name}" for name in columns_of(resolution))
    return text(
        f"select miner_no, count(*) as points, json_agg(json_build_object({named}) order by ts)::text as data"  # noqa: S608 - our own names
        f" from ({_points(resolution)} limit :most) point group by miner_no"
    )
