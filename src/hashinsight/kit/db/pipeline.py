"""Several statements in one round trip, on a session's connection and in its transaction."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from psycopg import AsyncRawCursor, Error
from psycopg.rows import namedtuple_row
from sqlalchemy import TextClause
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import Context
from hashinsight.kit.db.driver import DriverConnection

PipelineStatement = tuple[TextClause, Mapping[str, Any]]

DRIVER = "driver"  # where a hot session keeps its psycopg connection
_DIALECT = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call] # the library leaves it untyped
_DEFAULTS = Context().as_settings()
_ALWAYS_SET = ("role", "app.tenant", "app.sites")


async def execute_together(
    session: AsyncSession, *statements: PipelineStatement, begin_as: Context | None = None
) -> list[list[Any]]:
    """The rows of each statement, in order. No statement may need the rows of another; one error fails all.

    `begin_as` begins the transaction in this context, in the same round trip. Errors are the driver's own.
    """
    driver = await driver_connection(session)
    cursors = [AsyncRawCursor(driver, row_factory=namedtuple_row) for _ in statements]
    async with one_round_trip(driver):
        if begin_as is not None:
            await begin(driver, begin_as)
        for cursor, (statement, values) in zip(cursors, statements, strict=True):
            query, names = compile_numbered(statement)
            await cursor.execute(query, [values[name] for name in names], prepare=True)
    # not from `description`, which creates an object per column
    return [
        await cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else [] for cursor in cursors
    ]


async def begin(driver: DriverConnection, context: Context) -> None:
    """Begin a transaction in this context. Inside a pipeline it does not wait.

    The engine's connections are in autocommit, so BEGIN is a statement like any other and needs no round trip of its
    own. Settings that every session starts with are not sent again.
    """
    settings = {
        name: value for name, value in context.as_settings().items() if name in _ALWAYS_SET or value != _DEFAULTS[name]
    }
    await driver.execute("begin")
    await driver.execute(_set_config(tuple(settings)), list(settings.values()), prepare=True)


@asynccontextmanager
async def one_round_trip(driver: DriverConnection) -> AsyncIterator[None]:
    """Statements executed inside are sent without waiting for results; errors are raised by the end of the block."""
    try:
        async with driver.pipeline():
            yield
    except Error as error:
        # cancelled again while psycopg cancels on the server: it raises its own error
        if (cancelled := _cancellation_behind(error)) is not None:
            raise cancelled from None
        raise


async def driver_connection(session: AsyncSession) -> DriverConnection:
    """The psycopg connection of a session, for COPY and pipelines."""
    known: DriverConnection | None = session.info.get(DRIVER)
    if known is not None:
        return known
    driver = (await (await session.connection()).get_raw_connection()).driver_connection
    if not isinstance(driver, DriverConnection):
        raise TypeError(f"the engine was not made with {DriverConnection.__name__}")
    return driver


@lru_cache(maxsize=256)
def compile_numbered(statement: TextClause) -> tuple[bytes, tuple[str, ...]]:
    """SQL with `$1` in place of names, and the names in that order: the driver would parse long text each time."""
    compiled = statement.compile(dialect=_DIALECT)
    return str(compiled).encode(), tuple(compiled.positiontup or ())


@lru_cache(maxsize=64)
def _set_config(names: tuple[str, ...]) -> str:
    """One text for the same settings, so that it is prepared once."""
    return "select " + ", ".join(f"set_config('{name}', %s, true)" for name in names)


def _cancellation_behind(error: BaseException) -> asyncio.CancelledError | None:
    behind: BaseException | None = error
    while behind is not None and not isinstance(behind, asyncio.CancelledError):
        behind = behind.__context__
    return behind
