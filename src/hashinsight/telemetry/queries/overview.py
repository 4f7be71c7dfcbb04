"""Whole sites at a moment or over a day, as columns: one row a machine of one bucket, one row a bucket of a site."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl
from psycopg import sql
from sqlalchemy import ColumnElement, Double, Select, Table, cast, func, literal_column, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Miner
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.kit.db.database import Database
from hashinsight.telemetry.models import FIVE_MINUTES, HOURS
from hashinsight.telemetry.queries.means import POWERED_THS, POWERED_W, mean

_PLAIN = postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]


async def bucket_frame(database: Database, scope: Scope, site_id: int, bucket: datetime) -> pl.DataFrame:
    """What every machine of a site did in one bucket of five minutes; those without a sample are not there."""
    of = FIVE_MINUTES.c
    query = (
        select(
            of.miner_no,
            literal_column(mean("hashrate")).label("hashrate_ths"),
            of.temp_max.label("temp_max_c"),
            literal_column(mean("power")).label("power_w"),
            literal_column(POWERED_W).label("powered_w"),
            literal_column(POWERED_THS).label("powered_ths"),
            (cast(of.online_samples, Double) / of.samples).label("online_ratio"),
        )
        .join(Miner, Miner.miner_no == of.miner_no)
        .where(miners_within(scope), of.site_id == site_id, of.bucket_ts == bucket)
    )
    return await _read(database, scope, query)


async def trend_frame(
    database: Database, scope: Scope, start: datetime, end: datetime, *, fine: bool, sites: Sequence[int]
) -> pl.DataFrame:
    """Sums of the machines in scope by site and bucket: means first, so that a machine counts once a bucket."""
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
    return await _read(database, scope, query)


async def count_by_site(session: AsyncSession, scope: Scope, site_id: int | None) -> dict[int, int]:
    query = select(Miner.site_id, func.count()).where(miners_within(scope)).group_by(Miner.site_id)
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    return {row[0]: row[1] for row in (await session.execute(query)).all()}


def _inside(table: Table, scope: Scope) -> list[ColumnElement[bool]]:
    """A whole tenant's rows are told by the row itself; a narrower scope asks the machine."""
    if scope.is_whole:
        return [table.c.tenant_id == scope.tenant_id]
    return [table.c.miner_no.in_(select(Miner.miner_no).where(miners_within(scope)))]


async def _read(database: Database, scope: Scope, query: Select[tuple[object, ...]]) -> pl.DataFrame:
    statement = str(query.compile(dialect=_PLAIN, compile_kwargs={"literal_binds": True}))
    return await database.frame(scope.context(read_only=True), sql.SQL(statement))
