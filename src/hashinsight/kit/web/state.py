"""What a request finds in its application: the database, and the feed of changes."""

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.changes import ChangeFeed
from hashinsight.kit.db.database import Database


def get_database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def publish_changes(request: Request, session: AsyncSession) -> None:
    """After the commit: streams that show what this request changed read again."""
    feed: ChangeFeed = request.app.state.announcer
    feed.publish(session)
