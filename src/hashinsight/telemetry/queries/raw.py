"""Writes raw samples: straight into the hour's partition, or through a staging table if some are stored already.

Most batches hold only new samples. These are copied by a role that may only insert; the first duplicate rolls that back
and sends the batch through the staging table, where duplicates are skipped row by row.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from psycopg import AsyncCursor, errors, sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection, execute_together, one_round_trip
from hashinsight.telemetry.ingest.rows import RawRows
from hashinsight.telemetry.layers import Layer

_STRAIGHT_HOURS = 3  # a backlog over more hours goes through the staging table
_REMEMBERED_HOURS = 200
# the server's errors for an hour without a partition: copied into it directly, or through the partitioned table
_NO_PARTITION = (errors.UndefinedTable, errors.CheckViolation)
_STAGE = sql.Identifier("stage_telemetry_raw")
_TO_APP = sql.SQL("set local role {}").format(sql.Identifier(Role.APP.value))
_LAYERS = [layer.value for layer in (Layer.LIVE, Layer.FIVE_MINUTES)]
# marks the buckets with new samples, however late these came: the rollup jobs compute them again
_TOUCH = """
    insert into telemetry_touched (tenant_id, site_id, layer, bucket_ts)
    select
        %s,
        %s,
        layer,
        bucket_ts
    from unnest(%s::smallint[]) layer
    cross join unnest(%s::timestamptz[]) bucket_ts
"""
# created once per connection, not per batch: each would leave dead entries in the catalogue
_CREATE_STAGE = sql.SQL("create temporary table if not exists {0} (like telemetry_raw) on commit delete rows").format(
    _STAGE
)


@dataclass
class RawWriter:
    """Writes batches; remembers between them what saves a round trip."""

    database: Database
    hours: set[datetime] = field(default_factory=set)  # that are known to have a partition
    repeaters: set[UUID] = field(default_factory=set)  # collectors whose last batch held duplicates

    async def write(self, context: Context, collector_id: UUID, rows: RawRows) -> int:
        """Commits all rows that are not stored yet, and returns how many."""
        hours = rows.hours()
        try:
            return await self._write(context, collector_id, rows, hours)
        except _NO_PARTITION:  # dropped since it was last used
            self.hours.difference_update(hours)
            return await self._write(context, collector_id, rows, hours)

    async def _write(self, context: Context, collector_id: UUID, rows: RawRows, hours: list[datetime]) -> int:
        """Straight, unless this collector's last batch held duplicates: then this one probably does too."""
        await self._open_hours(context, hours)
        if collector_id not in self.repeaters and await _copy_straight(self.database, context, rows, hours):
            return len(rows)
        async with self.database.transaction(context) as session:
            written = await _copy_new(session, rows)
        if written < len(rows):
            self.repeaters.add(collector_id)
        else:
            self.repeaters.discard(collector_id)
        return written

    async def _open_hours(self, context: Context, hours: list[datetime]) -> None:
        """A tick creates partitions ahead; old hours and the first of an installation are created here."""
        for begins in hours:
            if begins not in self.hours:
                async with self.database.transaction(context) as session:
                    await open_hour(session, begins)
                self.hours.add(begins)
        if len(self.hours) > _REMEMBERED_HOURS:
            self.hours = set(hours)


async def open_hour(session: AsyncSession, begins: datetime) -> bool:
    return bool((await session.execute(text("select telemetry_open_hour(:at)"), {"at": begins})).scalar_one())


async def _copy_straight(database: Database, context: Context, rows: RawRows, hours: list[datetime]) -> bool:
    """All rows, each into its hour, committed; False, and nothing written, if one of them is stored already."""
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


async def _copy_new(session: AsyncSession, rows: RawRows) -> int:
    """Only rows that are not stored yet; returns how many."""
    driver = await driver_connection(session)
    async with driver.cursor() as cursor:
        await cursor.execute(_CREATE_STAGE)
        await _copy(cursor, _STAGE, rows.names, rows.all())
        columns = sql.SQL(", ").join(map(sql.Identifier, rows.names))
        insert = "insert into telemetry_raw ({0}) select {0} from {1} on conflict (miner_no, ts) do nothing"
        await cursor.execute(sql.SQL(insert).format(columns, _STAGE))
        written = cursor.rowcount
        if written:
            await cursor.execute(_TOUCH, (rows.stamp.tenant_id, rows.stamp.site_id, _LAYERS, rows.buckets()))
        return written


async def _copy(cursor: AsyncCursor, table: sql.Identifier, names: Sequence[str], parts: Iterable[bytes]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    async with cursor.copy(sql.SQL("copy {} ({}) from stdin (format binary)").format(table, columns)) as copy:
        for part in parts:
            await copy.write(part)
            await asyncio.sleep(0)  # a write that never blocks must not starve other requests
