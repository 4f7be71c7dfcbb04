"""Application state for requests: the database and the change feed."""

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.db.database import Database


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def publish_changes(request: Request, session: AsyncSession) -> None:
    """Call after the commit: streams that show the change read again."""
    feed: ChangeFeed = request.app.state.announcer
    feed.publish(session)
