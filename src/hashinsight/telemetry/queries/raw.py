"""Writing raw samples: straight into the hour's own table, or, where some are there already, by way of a staging table.

Most batches hold nothing that is there. They are copied by a role that may only insert, under a savepoint; the first
duplicate sends the batch the other way, where each row is settled by itself.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from psycopg import AsyncCursor, errors, sql
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import Role
from hashinsight.kit.db.copying import driver_of
from hashinsight.telemetry.ingest.rows import Rows
from hashinsight.telemetry.layers import Layer
from hashinsight.telemetry.models import TOUCHED

_STRAIGHT_HOURS = 3  # a backlog over more of them goes by the staging table
_STAGE = sql.Identifier("stage_telemetry_raw")
_TO_INGEST = sql.SQL("savepoint straight; set local role {}").format(sql.Identifier(Role.INGEST.value))
_TO_APP = sql.SQL("set local role {}; release savepoint straight").format(sql.Identifier(Role.APP.value))
# made once a connection, not once a batch: each would leave dead entries in the catalogue
_STAGING = sql.SQL("create temporary table if not exists {0} (like telemetry_raw) on commit delete rows").format(_STAGE)


async def open_hour(session: AsyncSession, begins: datetime) -> bool:
    return bool((await session.execute(text("select telemetry_open_hour(:at)"), {"at": begins})).scalar_one())


async def copy_straight(session: AsyncSession, rows: Rows, hours: list[datetime]) -> bool:
    """All rows, each into its hour; False, and nothing written, when one of them is there already."""
    if len(hours) > _STRAIGHT_HOURS:
        return False
    driver = await driver_of(session)
    async with driver.cursor() as cursor:
        await cursor.execute(_TO_INGEST)
        try:
            for begins in hours:
                table = sql.Identifier(f"telemetry_raw_{begins:%Y%m%dt%H%M}")
                await _copy(cursor, table, rows.names, rows.all() if len(hours) == 1 else rows.within_hour(begins))
        except errors.UniqueViolation:
            await cursor.execute("rollback to savepoint straight; release savepoint straight")
            return False
        await cursor.execute(_TO_APP)
    return True


async def copy_settled(session: AsyncSession, rows: Rows) -> int:
    """Only what is not there yet; says how many rows that was."""
    driver = await driver_of(session)
    async with driver.cursor() as cursor:
        await cursor.execute(_STAGING)
        await _copy(cursor, _STAGE, rows.names, rows.all())
        columns = sql.SQL(", ").join(map(sql.Identifier, rows.names))
        settle = "insert into telemetry_raw ({0}) select {0} from {1} on conflict (miner_no, ts) do nothing"
        await cursor.execute(sql.SQL(settle).format(columns, _STAGE))
        return cursor.rowcount


async def touch(
    session: AsyncSession, tenant_id: UUID, site_id: int, layers: Iterable[Layer], buckets: Sequence[datetime]
) -> None:
    """Note which buckets have something new: the jobs do these again, however late it came."""
    owner = {"tenant_id": tenant_id, "site_id": site_id}
    rows = [owner | {"layer": layer.value, "bucket_ts": bucket} for layer in layers for bucket in buckets]
    await session.execute(insert(TOUCHED), rows)


async def _copy(cursor: AsyncCursor, table: sql.Identifier, names: Sequence[str], parts: Iterable[bytes]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    async with cursor.copy(sql.SQL("copy {} ({}) from stdin (format binary)").format(table, columns)) as copy:
        for part in parts:
            await copy.write(part)
