"""Every statement of this process, watched at the driver: some go there by way of SQLAlchemy, and some do not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def every_statement(sent: Callable[[str], None], *, of: str | None = None) -> Iterator[None]:
    """`sent` is called behind each one that went out, before its transaction goes on; commits are among them.

    `of`: only those of connections with this application's name.
    """
    execute, commit = psycopg.AsyncCursor.execute, psycopg.AsyncConnection.commit

    def is_meant(connection: psycopg.AsyncConnection[Any]) -> bool:
        return of is None or connection.info.get_parameters().get("application_name") == of

    async def watched(self: Any, query: Any, *arguments: Any, **more: Any) -> Any:
        done = await execute(self, query, *arguments, **more)
        if is_meant(self.connection):
            sent(str(query))
        return done

    async def about_to_commit(self: Any) -> None:
        if is_meant(self):
            sent("commit")
        await commit(self)

    psycopg.AsyncCursor.execute = watched  # type: ignore[method-assign]
    psycopg.AsyncConnection.commit = about_to_commit  # type: ignore[method-assign]
    try:
        yield
    finally:
        psycopg.AsyncCursor.execute, psycopg.AsyncConnection.commit = execute, commit  # type: ignore[method-assign]
