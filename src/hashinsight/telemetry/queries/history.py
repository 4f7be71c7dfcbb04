"""History: raw samples and rollups of machines over a time, as JSON written by the database; totals of sites."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl
from psycopg import sql
from sqlalchemy import ColumnElement, Double, Row, Select, Table, TextClause, cast, func, literal_column, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.inventory.queries.tables import Miner
from hashinsight.kit.db.database import Database
from hashinsight.kit.paging import Page, page
from hashinsight.telemetry import losses
from hashinsight.telemetry.layers import Resolution
from hashinsight.telemetry.models import DAYS, FIVE_MINUTES, HOURS, RAW


def mean_sql(name: str) -> str:
    return f"({name}_sum / nullif({name}_n, 0))"


# Power and hashrate of samples that have both, as `power_5min_w` and `powered_5min_ths` of the live layer. Rows from
# before these were stored give the means of all samples. Online machines never draw 0 W: 0 means no sample has both.
POWERED_W = "(nullif(coalesce(powered_w_sum, power_sum), 0) / nullif(power_n, 0))"
POWERED_THS = f"coalesce(powered_ths_sum / nullif(power_n, 0), {mean_sql('hashrate')})"


@dataclass(frozen=True)
class Span:
    """Machines and a time range. The machines were selected within a scope."""

    site_id: int
    miner_nos: Sequence[int]
    start: datetime
    end: datetime

    def values(self) -> dict[str, Any]:
        return {"site_id": self.site_id, "miner_nos": list(self.miner_nos), "start": self.start, "end": self.end}


async def list_machines(
    session: AsyncSession, scope: Scope, site_id: int, *, limit: int, cursor: str | None = None
) -> Page:
    """The machines of a site, also retired ones: they have a history too."""
    query = select(Miner.miner_no, Miner.miner_id).where(miners_within(scope), Miner.site_id == site_id)
    return await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)


async def count_machines(session: AsyncSession, scope: Scope, site_id: int) -> int:
    query = select(func.count()).where(miners_within(scope), Miner.site_id == site_id)
    return (await session.execute(query)).scalar_one()


async def list_series(
    session: AsyncSession, resolution: Resolution, span: Span, *, most_points: int
) -> dict[int, tuple[int, str]]:
    """Per machine: the number of points, and all of them as one JSON text. Reads one point more than `most_points`."""
    rows = await session.execute(series_query(resolution), span.values() | {"most": most_points + 1})
    return {row.miner_no: (row.points, row.data) for row in rows}


async def list_points(session: AsyncSession, resolution: Resolution, span: Span) -> Sequence[Row[Any]]:
    """The points as plain rows, machine by machine."""
    rows: Sequence[Row[Any]] = (await session.execute(points_query(resolution), span.values())).all()
    return rows


def _grown(before: str, after: str) -> str:
    """A smaller value means a restart, and counts from zero; the growth of the first is unknown."""
    return f"(case when {before} is null then null when {after} >= {before} then {after} - {before} else {after} end)"


def _rate(accepted: str, rejected: str) -> str:
    """Unknown without counters, 0 without shares."""
    return f"coalesce({rejected}::float8 / nullif({accepted} + {rejected}, 0), 0 * ({accepted} + {rejected}))::real"


def _mean_real(name: str) -> str:
    return f"{mean_sql(name)}::real"


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
    "hashrate_ths": _mean_real("hashrate"),
    "hashrate_min_ths": "hashrate_min",
    "hashrate_max_ths": "hashrate_max",
    "temp_c": _mean_real("temp"),
    "temp_max_c": "temp_max",
    "power_w": _mean_real("power"),
    "fan_rpm": _mean_real("fan"),
    "efficiency_j_th": f"{losses.efficiency_sql(POWERED_W, POWERED_THS, mean_sql('hashrate'))}::real",
    "accepted_shares": "accepted_delta",
    "rejected_shares": "rejected_delta",
    "reject_rate": _rate("accepted_delta", "rejected_delta"),
    "hardware_errors": "hw_errors_delta",
    "online_ratio": "(online_samples::float8 / samples)::real",
    "samples": "samples",
}
_DAY = {
    # of the known readings: hours without any count like the others, since an offline machine may still draw power
    "total_power_kwh": f"{_mean_real('power')} * 24 / 1000",
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
    values = ",\n            ".join(f"{value} as {name}" for name, value in columns.items())
    window = f"window w as (partition by miner_no order by {time})" if resolution is Resolution.RAW else ""
    return f"""
        select
            miner_no,
            {time} as ts,
            {values}
        from {table}
        where miner_no = any(:miner_nos)
            and site_id = :site_id
            and {time} >= :start
            and {time} < :end
        {window}
        order by miner_no, {time}
    """  # noqa: S608 - our own names


def points_query(resolution: Resolution) -> TextClause:
    return text(_points(resolution))


def series_query(resolution: Resolution) -> TextClause:
    """Times are written with `Z`, as everywhere in the API."""
    names = columns_of(resolution)[1:]
    pairs = ",\n                ".join(f"'{name}', {name}" for name in names)
    return text(f"""
        select
            miner_no,
            count(*) as points,
            json_agg(
                json_build_object(
                'ts', replace((ts at time zone 'UTC')::text, ' ', 'T') || 'Z',
                {pairs}
                )
                order by ts
            )::text as data
        from ({_points(resolution)} limit :most) point
        group by miner_no
    """)  # noqa: S608 - our own names


_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]


async def bucket_frame(database: Database, scope: Scope, site_id: int, bucket: datetime) -> pl.DataFrame:
    """Every machine of a site in one 5-minute bucket; machines without a sample are missing."""
    of = FIVE_MINUTES.c
    query = (
        select(
            of.miner_no,
            literal_column(mean_sql("hashrate")).label("hashrate_ths"),
            of.temp_max.label("temp_max_c"),
            literal_column(mean_sql("power")).label("power_w"),
            literal_column(POWERED_W).label("powered_w"),
            literal_column(POWERED_THS).label("powered_ths"),
            (cast(of.online_samples, Double) / of.samples).label("online_ratio"),
        )
        .join(Miner, Miner.miner_no == of.miner_no)
        .where(miners_within(scope), of.site_id == site_id, of.bucket_ts == bucket)
    )
    return await _read_frame(database, scope, query)


async def trend_frame(
    database: Database, scope: Scope, start: datetime, end: datetime, *, fine: bool, sites: Sequence[int]
) -> pl.DataFrame:
    """Totals of the machines in scope by site and bucket, from the mean of each machine."""
    table = FIVE_MINUTES if fine else HOURS
    at = table.c.bucket_ts if fine else table.c.hour_ts
    query = (
        select(
            table.c.site_id,
            at.label("ts"),
            func.sum(table.c.hashrate_sum / func.nullif(table.c.hashrate_n, 0)).label("hashrate_ths"),
            func.sum(table.c.power_sum / func.nullif(table.c.power_n, 0)).label("power_w"),
            func.max(table.c.temp_max).label("temp_max_c"),
            func.sum(cast(table.c.online_samples, Double) / table.c.samples).label("online"),
        )
        .where(at >= start, at < end, table.c.site_id.in_(sites), *_inside(table, scope))
        .group_by(table.c.site_id, at)
        .order_by(at)
    )
    return await _read_frame(database, scope, query)


async def count_machines_by_site(session: AsyncSession, scope: Scope, site_id: int | None) -> dict[int, int]:
    query = select(Miner.site_id, func.count()).where(miners_within(scope)).group_by(Miner.site_id)
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    return {row[0]: row[1] for row in (await session.execute(query)).all()}


def _inside(table: Table, scope: Scope) -> list[ColumnElement[bool]]:
    """Rows of a whole tenant have its id; a narrower scope needs the machine."""
    if scope.is_whole:
        return [table.c.tenant_id == scope.tenant_id]
    return [table.c.miner_no.in_(select(Miner.miner_no).where(miners_within(scope)))]


async def _read_frame(database: Database, scope: Scope, query: Select[tuple[object, ...]]) -> pl.DataFrame:
    statement = str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True}))
    return await database.frame(scope.context(read_only=True), sql.SQL(statement))
