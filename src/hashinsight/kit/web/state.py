"""A request's transaction: committed before the answer goes out.

With FastAPI's default scope a dependency's end runs after the response was sent, so a failed commit would still
have been told as success. `scope="function"` ends it before.
"""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def publish_changes(request: Request, session: AsyncSession) -> None:
    """After the commit: whoever watches what this request changed looks again."""
    announcer: ChangeFeed = request.app.state.announcer
    announcer.publish(session)


def get_context(request: Request) -> Context:
    """Who the request acts as. The access code sets it; without it the policies show no tenant's rows."""
    context: Context = getattr(request.state, "db_context", None) or Context()
    return context


async def get_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with get_database(request).transaction(get_context(request)) as session:
        yield session


async def get_read_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with get_database(request).reading(get_context(request)) as session:
        yield session


Session = Annotated[AsyncSession, Depends(get_session, scope="function")]
ReadSession = Annotated[AsyncSession, Depends(get_read_session, scope="function")]
