"""Connections kept for calls that run hundreds of times per second: checked out of the pool once, not per call.

A checkout and return would cost such a call more than its statement. Only a clean connection is kept: idle, after a
block without error. Any other returns to the pool, which rolls back, or is closed.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from psycopg import Error
from psycopg.pq import TransactionStatus
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from hashinsight.kit.db.driver import DriverConnection
from hashinsight.kit.db.pipeline import DRIVER

_FRESH_SECONDS = 1.0
_IDLE = TransactionStatus.IDLE


@dataclass(slots=True)
class _Kept:
    connection: AsyncConnection
    driver: DriverConnection
    since: float = 0.0  # when it was last used


class HotConnections:
    """Keeps at most `limit` connections between calls."""

    def __init__(self, engine: AsyncEngine, limit: int) -> None:
        self._engine = engine
        self._limit = limit
        self._idle: list[_Kept] = []

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncSession]:
        """A session on a kept connection; committed at the end if a transaction was begun."""
        kept = await self._take()
        session = AsyncSession(kept.connection, expire_on_commit=False, autoflush=False, info={DRIVER: kept.driver})
        try:
            yield session
            await (session.commit() if session.in_transaction() else kept.driver.commit())
        except BaseException:
            await self._give_back(kept, session)
            raise
        if len(self._idle) < self._limit and kept.driver.pgconn.transaction_status == _IDLE:
            kept.since = time.monotonic()
            self._idle.append(kept)
        else:
            await kept.connection.close()

    async def dispose(self) -> None:
        """Connections in use return to the pool when their call ends."""
        self._limit = 0
        while self._idle:
            await self._idle.pop().connection.close()

    async def _take(self) -> _Kept:
        while self._idle:
            kept = self._idle.pop()
            try:
                if time.monotonic() - kept.since < _FRESH_SECONDS or await _is_alive(kept.driver):
                    return kept
            except BaseException:  # cancelled meanwhile: nobody else would return it
                await _close(kept)
                raise
            await _close(kept)
        connection = await self._engine.connect()
        driver = (await connection.get_raw_connection()).driver_connection
        if not isinstance(driver, DriverConnection):
            raise TypeError(f"the engine was not made with {DriverConnection.__name__}")
        return _Kept(connection, driver)

    async def _give_back(self, kept: _Kept, session: AsyncSession) -> None:
        """After a failure. Only a rollback makes the driver forget statements whose preparation failed."""
        if kept.driver.is_interrupted or kept.driver.pgconn.transaction_status == _IDLE:
            await kept.connection.invalidate()
        if session.in_transaction():
            await session.close()
        await kept.connection.close()


async def _close(kept: _Kept) -> None:
    await kept.connection.invalidate()
    await kept.connection.close()


async def _is_alive(driver: DriverConnection) -> bool:
    try:
        await driver.execute("select 1")
    except Error:
        return False
    return True
