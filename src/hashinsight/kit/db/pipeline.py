"""Several statements in one way to the server and back, on a session's own connection and in its transaction."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from psycopg import AsyncRawCursor
from psycopg.rows import namedtuple_row
from sqlalchemy import TextClause
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.bulk import driver_connection
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import enter

PipelineStatement = tuple[TextClause, Mapping[str, Any]]
_DIALECT = PGDialect_psycopg(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call] # the library leaves it untyped


async def together(
    session: AsyncSession, *asked: PipelineStatement, entering: Context | None = None
) -> list[list[Any]]:
    """The rows of each, in their order. None may need what another one finds; an error of one is raised for all.

    `entering` begins the transaction in this context, on the same way. Errors are the driver's own.
    """
    driver = await driver_connection(session)
    cursors = [AsyncRawCursor(driver, row_factory=namedtuple_row) for _ in asked]
    async with driver.one_way():
        if entering is not None:
            await enter(driver, entering)
        for cursor, (statement, values) in zip(cursors, asked, strict=True):
            words, names = in_words_of_the_server(statement)
            await cursor.execute(words, [values[name] for name in names], prepare=True)
    # not by `description`, which makes an object of each column to be thrown away
    return [await one.fetchall() if one.pgresult is not None and one.pgresult.nfields else [] for one in cursors]


@lru_cache(maxsize=256)
def in_words_of_the_server(statement: TextClause) -> tuple[bytes, tuple[str, ...]]:
    """With `$1` where names stood, and the names in that order: the driver would read a long text anew each time."""
    compiled = statement.compile(dialect=_DIALECT)
    return str(compiled).encode(), tuple(compiled.positiontup or ())
