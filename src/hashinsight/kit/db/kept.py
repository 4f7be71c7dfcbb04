"""Connections that hot calls keep among themselves: taken out of the pool once, and not anew for each call.

The way through the pool and back costs a call more than its statement does. Only what comes back clean is kept: from a
block that ended well, idle, with nothing of a transaction left. All else goes back to the pool, which rolls back or
throws away.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import Error
from psycopg.pq import TransactionStatus
from sqlalchemy.engine import Connection as PlainConnection
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession
from sqlalchemy.orm import Session
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.util import greenlet_spawn

from hashinsight.kit.db.driver import DriverConnection

DRIVER = "driver"  # where a session keeps the driver's connection that it stands on
_ENGINE, _HELD, _BIND = "engine", "held", "bind"
_FRESH_SECONDS = 1.0
_IDLE = TransactionStatus.IDLE


@dataclass(slots=True)
class Held:
    proxied: PoolProxiedConnection
    driver: DriverConnection
    since: float = 0.0  # when it was put down


class Kept:
    """At most so many lie here between calls. `at_once`: each statement is a transaction by itself."""

    def __init__(self, engine: AsyncEngine, most: int, *, at_once: bool = False) -> None:
        self._engine = engine
        self._most = most
        self._at_once = at_once
        self._idle: list[Held] = []

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Held]:
        held = await self._take()
        try:
            yield held
        except BaseException:
            is_lost = self._at_once or held.driver.is_in_the_middle
            await (_throw_away(held) if is_lost else self._give_back(held))
            raise
        if len(self._idle) < self._most and held.driver.pgconn.transaction_status == _IDLE:
            held.since = time.monotonic()
            self._idle.append(held)
        else:
            await self._give_back(held)

    async def dispose(self) -> None:
        """What is under way goes back to the pool when it ends."""
        self._most = 0
        while self._idle:
            await self._give_back(self._idle.pop())

    async def _take(self) -> Held:
        while self._idle:
            held = self._idle.pop()
            try:
                if time.monotonic() - held.since < _FRESH_SECONDS or await _lives(held.driver):
                    return held
            except BaseException:  # cancelled while it was asked: nobody else would give it back
                await _throw_away(held)
                raise
            await self._give_back(held)
        proxied = await self._engine.raw_connection()
        driver = driver_in(proxied)
        if self._at_once:
            try:
                await driver.set_autocommit(True)
            except BaseException:
                await greenlet_spawn(proxied.invalidate)
                raise
        return Held(proxied, driver)

    async def _give_back(self, held: Held) -> None:
        """To the pool, as it came from there."""
        if self._at_once:
            if held.driver.pgconn.transaction_status != _IDLE:
                await _throw_away(held)
                return
            await held.driver.set_autocommit(False)
        await greenlet_spawn(held.proxied.close)


async def _throw_away(held: Held) -> None:
    """Without a rollback nothing tells the driver to forget what a failed statement may have left prepared."""
    await greenlet_spawn(held.proxied.invalidate)


class _OnHeld(Session):
    """Makes SQLAlchemy's connection of the one that is held, when it is needed: most calls never do."""

    def get_bind(self, *_: Any, **__: Any) -> PlainConnection:
        bind: PlainConnection | None = self.info.get(_BIND)
        if bind is None:
            bind = self.info[_BIND] = PlainConnection(self.info[_ENGINE], self.info[_HELD], _allow_revalidate=False)
        return bind


def session_on(engine: AsyncEngine, held: Held) -> AsyncSession:
    known = {DRIVER: held.driver, _ENGINE: engine.sync_engine, _HELD: held.proxied}
    return AsyncSession(sync_session_class=_OnHeld, expire_on_commit=False, autoflush=False, info=known)


def was_needed(session: AsyncSession) -> bool:
    """Whether anything went through it, and not by the driver alone."""
    return _BIND in session.info


def driver_in(proxied: PoolProxiedConnection) -> DriverConnection:
    driver = proxied.driver_connection
    if not isinstance(driver, DriverConnection):
        raise TypeError("the connection does not stand on our driver")
    return driver


async def _lives(driver: DriverConnection) -> bool:
    """One that lay idle is asked before anybody gets it."""
    try:
        await driver.execute("select 1")
        await driver.rollback()
    except Error:
        return False
    return True
