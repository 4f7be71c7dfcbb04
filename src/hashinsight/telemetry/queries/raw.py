"""Writing raw samples: straight into the hour's own table, or, where some are there already, by way of a staging table.

Most batches hold nothing that is there. They are copied by a role that may only insert; the first duplicate undoes that
and sends the batch the other way, where each row is settled by itself.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from psycopg import AsyncCursor, errors, sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection, execute_together, one_round_trip
from hashinsight.telemetry.ingest.rows import RawRows
from hashinsight.telemetry.layers import Layer

_STRAIGHT_HOURS = 3  # a backlog over more of them goes by the staging table
_STAGE = sql.Identifier("stage_telemetry_raw")
_TO_APP = sql.SQL("set local role {}").format(sql.Identifier(Role.APP.value))
_LAYERS = [layer.value for layer in (Layer.LIVE, Layer.FIVE_MINUTES)]
# which buckets have something new: the jobs do these again, however late it came
_TOUCH = """
    insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)
    select %s, %s, layer, bucket_ts from unnest(%s::smallint[]) layer cross join unnest(%s::timestamptz[]) bucket_ts
"""
# made once a connection, not once a batch: each would leave dead entries in the catalogue
_STAGING = sql.SQL("create temporary table if not exists {0} (like telemetry_raw) on commit delete rows").format(_STAGE)


async def open_hour(session: AsyncSession, begins: datetime) -> bool:
    return bool((await session.execute(text("select telemetry_open_hour(:at)"), {"at": begins})).scalar_one())


async def write_straight(database: Database, context: Context, rows: RawRows, hours: list[datetime]) -> bool:
    """All rows, each into its hour, committed; False, and nothing written, when one of them is there already."""
    if len(hours) > _STRAIGHT_HOURS:
        return False
    async with database.hot() as session:
        await execute_together(session, begin_as=replace(context, role=Role.INGEST))
        driver = await driver_connection(session)
        try:
            async with driver.cursor() as cursor:
                for begins in hours:
                    table = sql.Identifier(f"telemetry_raw_{begins:%Y%m%dt%H%M}")
                    await _copy(cursor, table, rows.names, rows.all() if len(hours) == 1 else rows.within_hour(begins))
        except errors.UniqueViolation:
            await driver.rollback()
            return False
        stamp, buckets = rows.stamp, rows.buckets()
        async with one_round_trip(driver):
            await driver.execute(_TO_APP)
            await driver.execute(_TOUCH, (stamp.tenant_id, stamp.site_id, _LAYERS, buckets), prepare=True)
            await driver.commit()
    return True


async def copy_settled(session: AsyncSession, rows: RawRows) -> int:
    """Only what is not there yet; says how many rows that was."""
    driver = await driver_connection(session)
    async with driver.cursor() as cursor:
        await cursor.execute(_STAGING)
        await _copy(cursor, _STAGE, rows.names, rows.all())
        columns = sql.SQL(", ").join(map(sql.Identifier, rows.names))
        settle = "insert into telemetry_raw ({0}) select {0} from {1} on conflict (miner_no, ts) do nothing"
        await cursor.execute(sql.SQL(settle).format(columns, _STAGE))
        written = cursor.rowcount
        if written:
            await cursor.execute(_TOUCH, (rows.stamp.tenant_id, rows.stamp.site_id, _LAYERS, rows.buckets()))
        return written


async def _copy(cursor: AsyncCursor, table: sql.Identifier, names: Sequence[str], parts: Iterable[bytes]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    async with cursor.copy(sql.SQL("copy {} ({}) from stdin (format binary)").format(table, columns)) as copy:
        for part in parts:
            await copy.write(part)
            await asyncio.sleep(0)  # a socket that takes it at once is no reason to let others wait for all parts
