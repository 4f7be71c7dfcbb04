"""Bulk writes in the caller's transaction: COPY into a temporary table, then one INSERT … SELECT.

PostgreSQL refuses COPY into a table with row-level security; through the temporary table, policies are checked as for
any insert, and conflicts are resolved in one statement.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import polars as pl
from psycopg import AsyncCursor, sql
from psycopg.adapt import Dumper
from psycopg.pq import Format
from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.binary import Raw
from hashinsight.kit.db.pipeline import driver_connection

_CHUNK_ROWS = 50_000


async def copy_into(
    session: AsyncSession,
    table: Table,
    frame: pl.DataFrame,
    *,
    conflict: Sequence[str] = (),
    update: Sequence[str] = (),
) -> int:
    """Insert the frame's rows; returns how many were written.

    `conflict` names the columns of a unique key: an existing row is kept, or takes the frame's values for the columns
    in `update`.
    """
    if frame.is_empty():
        return 0
    target = sql.Identifier(table.name)
    stage = sql.Identifier(f"stage_{table.name}")
    columns = sql.SQL(", ").join(sql.Identifier(name) for name in frame.columns)
    names = {"stage": stage, "target": target, "columns": columns}
    async with (await driver_connection(session)).cursor() as cursor:
        await cursor.execute(
            sql.SQL(
                "create temporary table {stage} on commit drop as select {columns} from {target} with no data"
            ).format(**names)
        )
        await _copy(cursor, sql.SQL("copy {stage} ({columns}) from stdin (format csv)").format(**names), frame)
        await cursor.execute(
            sql.SQL("insert into {target} ({columns}) select {columns} from {stage} {settle}").format(
                settle=_settle(conflict, update), **names
            )
        )
        written = cursor.rowcount
        await cursor.execute(sql.SQL("drop table {stage}").format(**names))
    return written


@asynccontextmanager
async def staged(
    session: AsyncSession, stage: str, frame: pl.DataFrame, kinds: Mapping[str, str]
) -> AsyncIterator[str]:
    """The frame as a temporary table, for statements that read it. `kinds` are PostgreSQL's types."""
    name = sql.Identifier(stage)
    columns = sql.SQL(", ").join(sql.Identifier(column) for column in frame.columns)
    typed = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(kinds[column])) for column in frame.columns
    )
    async with (await driver_connection(session)).cursor() as cursor:
        await cursor.execute(sql.SQL("create temporary table {} ({}) on commit drop").format(name, typed))
        await _copy(cursor, sql.SQL("copy {} ({}) from stdin (format csv)").format(name, columns), frame)
    yield stage
    await session.execute(text(f"drop table {stage}"))


async def _copy(cursor: AsyncCursor, statement: sql.Composed, frame: pl.DataFrame) -> None:
    async with cursor.copy(statement) as copy:
        for part in frame.iter_slices(_CHUNK_ROWS):
            await copy.write(await asyncio.to_thread(part.write_csv, include_header=False))


def _settle(conflict: Sequence[str], update: Sequence[str]) -> sql.Composable:
    if not conflict:
        return sql.SQL("")
    key = sql.SQL(", ").join(map(sql.Identifier, conflict))
    if not update:
        return sql.SQL("on conflict ({}) do nothing").format(key)
    taken = sql.SQL(", ").join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in update)
    return sql.SQL("on conflict ({}) do update set {}").format(key, taken)


class RawDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Raw) -> bytes:
        return obj
