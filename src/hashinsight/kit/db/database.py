"""Connections and transactions. Nothing reads or writes outside a transaction that says who it acts as."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import structlog
from psycopg import Error, sql
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.util import greenlet_spawn

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.driver import DriverConnection
from hashinsight.kit.db.kept import Kept, driver_in, session_on, was_needed

if TYPE_CHECKING:
    import polars as pl

    from hashinsight.kit.db.arrow import ArrowReader

log = structlog.get_logger(__name__)

# A session that forgot its context acts as the role that sees no rows, never as the login behind the address. What a
# context leaves unsaid is said here, whatever the server's own settings are.
_SESSION_OPTIONS = (
    f"-c role={Role.APP.value} -c timezone=UTC -c search_path=public -c jit=off"
    " -c default_transaction_read_only=off -c enable_seqscan=on -c enable_bitmapscan=on -c plan_cache_mode=auto"
    f" -c statement_timeout={Context().statement_timeout_ms}"
    f" -c idle_in_transaction_session_timeout={Context().idle_timeout_ms}"
)

# Of the pool's connections: so many may lie ready for the hot calls, and are then nobody else's.
_KEPT_ASKING, _KEPT_WORKING = 2, 4
_FRESH_SECONDS = 1.0
_REPLICA_SECONDS = 2.0
_REPLICA_AGAIN_SECONDS = 15.0
# a server that fell silent behind a firewall is noticed in seconds, not in the two hours that TCP would wait
_LIVENESS = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}


class Database:
    def __init__(
        self,
        address: DatabaseAddress,
        read_address: DatabaseAddress | None = None,
        *,
        pool: int = 10,
        application: str = "hashinsight",
    ) -> None:
        self.address = address
        self._read_address = read_address
        self._arrow: dict[str, ArrowReader] = {}
        self._engine = _engine(address, pool, application)
        self._read_engine = _engine(read_address, pool, f"{application} read") if read_address else None
        self._replica_from = 0.0
        self._asking = Kept(self._engine, min(_KEPT_ASKING, pool // 4), at_once=True)
        self._working = Kept(self._engine, min(_KEPT_WORKING, pool // 2))

    @asynccontextmanager
    async def transaction(self, context: Context) -> AsyncIterator[AsyncSession]:
        """One transaction: committed when the block ends well, rolled back when it raises."""
        async with _transaction(self._engine, context) as session:
            yield session

    @asynccontextmanager
    async def reading(self, context: Context) -> AsyncIterator[AsyncSession]:
        """A read-only transaction, on the replica where there is one; on the main server while that one is away."""
        context = replace(context, read_only=True)
        engine = await self._reading_engine()
        async with _transaction(engine, context) as session:
            yield session

    @asynccontextmanager
    async def bare(self) -> AsyncIterator[DriverConnection]:
        """The driver's own connection, for what runs a hundred times a second: `enter` first, `commit` in the end."""
        held = await self._engine.raw_connection()
        try:
            yield driver_in(held)
        finally:
            await greenlet_spawn(held.close)

    @asynccontextmanager
    async def at_once(self) -> AsyncIterator[DriverConnection]:
        """The same for one statement, which is a transaction by itself and says within whose rows it sees."""
        async with self._asking.connection() as held:
            yield held.driver

    async def frame(self, context: Context, query: sql.Composable, *, on_main: bool = False) -> "pl.DataFrame":
        """A large result as columns, over Arrow, in its own read-only transaction and off the event loop."""
        engine = self._engine if on_main else await self._reading_engine()
        replica = self._read_address if engine is self._read_engine else None
        reader = self._reader(replica or self.address)
        return await asyncio.to_thread(reader.read, replace(context, read_only=True), query)

    def read_frame(self, context: Context, query: sql.Composable) -> "pl.DataFrame":
        """The same from the main server, for who is off the event loop already."""
        return self._reader(self.address).read(replace(context, read_only=True), query)

    @asynccontextmanager
    async def unentered(self) -> AsyncIterator[AsyncSession]:
        """A transaction whose first statements bring their context along (`together`); until then it sees nothing.

        The session stands on a connection that is there already, and most calls never need more of it than that.
        """
        async with self._working.connection() as held:
            session = session_on(self._engine, held)
            try:
                yield session
                await (session.commit() if session.in_transaction() else held.driver.commit())
            finally:  # whatever was not committed ends with the connection's return
                if was_needed(session):
                    await session.close()

    async def dispose(self) -> None:
        for reader in self._arrow.values():
            await asyncio.to_thread(reader.close)
        await self._asking.dispose()
        await self._working.dispose()
        await self._engine.dispose()
        if self._read_engine is not None:
            await self._read_engine.dispose()

    def _reader(self, address: DatabaseAddress) -> "ArrowReader":
        """Made for the first frame: polars and the Arrow driver cost time that most processes need not spend."""
        from hashinsight.kit.db.arrow import ArrowReader

        return self._arrow.setdefault(address.libpq, ArrowReader(address.libpq))

    async def _reading_engine(self) -> AsyncEngine:
        """The replica's, unless it failed a moment ago: then nobody waits for it again for a while."""
        if self._read_engine is None or time.monotonic() < self._replica_from:
            return self._engine
        try:
            async with asyncio.timeout(_REPLICA_SECONDS), self._read_engine.connect():
                return self._read_engine
        except (SQLAlchemyError, OSError) as error:
            self._replica_from = time.monotonic() + _REPLICA_AGAIN_SECONDS
            log.warning("replica_unreachable", error=str(error), again_in_seconds=_REPLICA_AGAIN_SECONDS)
            return self._engine


async def enter(driver: DriverConnection, context: Context) -> None:
    """Begin a transaction in this context. Inside a pipeline it waits for nothing.

    Who it acts as is always said; the rest only where it is not what every session begins with.
    """
    said = {name: value for name, value in context.as_settings().items() if name in _WHO or value != _BEGINS_WITH[name]}
    await driver.execute(_entering(tuple(said)), list(said.values()), prepare=True)


async def driver_behind(connection: AsyncConnection) -> DriverConnection:
    return driver_in(await connection.get_raw_connection())


def _engine(address: DatabaseAddress, pool: int, application: str) -> AsyncEngine:
    engine = create_async_engine(
        address.sqlalchemy,
        pool_size=pool,
        max_overflow=pool,
        pool_timeout=10,
        hide_parameters=True,  # values of a failed statement belong in no log
        connect_args={
            "connect_timeout": 5,
            "application_name": application,
            "options": _SESSION_OPTIONS,
            "async_creator_fn": DriverConnection.connect,
            **_LIVENESS,
        },
    )
    _ask_the_idle(engine)
    return engine


def _ask_the_idle(engine: AsyncEngine) -> None:
    """A connection that lay idle is asked whether it lives before anybody gets it; one just used needs no question."""

    @event.listens_for(engine.sync_engine, "checkin")
    def _put_back(_: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        record.info["put_back"] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def _taken(dbapi: DBAPIConnection, record: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
        if time.monotonic() - record.info.get("put_back", math.inf) < _FRESH_SECONDS:
            return
        try:
            engine.dialect.do_ping(dbapi)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError(str(error)) from error  # the pool takes another one


_BEGINS_WITH = Context().as_settings()
_WHO = ("role", "app.tenant", "app.sites")


@lru_cache(maxsize=64)
def _entering(names: tuple[str, ...]) -> str:
    """One text for the same settings, so that it is prepared once."""
    return "select " + ", ".join(f"set_config('{name}', %s, true)" for name in names)


@asynccontextmanager
async def _transaction(engine: AsyncEngine, context: Context) -> AsyncIterator[AsyncSession]:
    async with AsyncSession(engine, expire_on_commit=False, autoflush=False) as session, session.begin():
        driver = await driver_behind(await session.connection())
        try:
            try:
                async with driver.one_way():  # with its BEGIN
                    await enter(driver, context)
            except Error as error:  # as the session itself would tell it
                raise DBAPIError.instance(None, None, error, Error, dialect=engine.dialect) from error
            yield session
        except BaseException:
            if driver.is_in_the_middle:  # no rollback would reach the server: it goes, and the pool makes another
                await session.invalidate()
            raise
