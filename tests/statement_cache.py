"""Statements compiled once for a whole run: SQLAlchemy does it anew for each engine, and nearly every test has two."""

from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache

from hashinsight.kit.db import database
from hashinsight.kit.db.address import DatabaseAddress

_known: list[Dialect] = []
_compiled: LRUCache[Any, Any] = LRUCache(3000)
_engine = database._engine


def share() -> None:
    """Every engine of this process speaks by the first one's dialect, which is a part of the cache's keys."""
    database._engine = _sharing


def _sharing(address: DatabaseAddress, pool: int, application: str) -> AsyncEngine:
    engine = _engine(address, pool, application)
    engine.sync_engine._compiled_cache = _compiled

    @event.listens_for(engine.sync_engine, "connect")  # behind the one that initialises the dialect
    def _initialised(*_: Any) -> None:
        if not _known:
            _known.append(engine.sync_engine.dialect)
        engine.sync_engine.dialect = _known[0]

    return engine
