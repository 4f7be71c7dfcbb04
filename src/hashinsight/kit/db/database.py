"""Three ways to the database, each in a transaction with a role, a tenant and sites.

- `transaction(context)` for nearly everything: a SQLAlchemy session, committed at the end. `reading(context)` is
  the same read-only, on the replica if there is one.
- `frame(context, query)` for large reads: columns over Arrow, a hundred times as fast as rows.
- `hot()` for the few calls that run hundreds of times per second (token look-ups, leases, acks, uploads): a kept
  connection, and statements in one round trip.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog
from psycopg import Error, sql
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.driver import DriverConnection
from hashinsight.kit.db.hot import HotConnections
from hashinsight.kit.db.pipeline import begin, driver_connection, one_round_trip

if TYPE_CHECKING:
    import polars as pl

    from hashinsight.kit.db.arrow import ArrowReader

log = structlog.get_logger(__name__)

# A session without a context acts as the role that sees no rows, never as the login. What a
# context does not set is set here, whatever the server's defaults.
_SESSION_OPTIONS = (
    f"-c role={Role.APP.value} -c timezone=UTC -c search_path=public -c jit=off"
    " -c default_transaction_read_only=off -c enable_seqscan=on -c enable_bitmapscan=on -c plan_cache_mode=auto"
    f" -c statement_timeout={Context().statement_timeout_ms}"
    f" -c idle_in_transaction_session_timeout={Context().idle_timeout_ms}"
)

_HOT_CONNECTIONS = 6  # of the pool, reserved for hot calls
_FRESH_SECONDS = 1.0
_REPLICA_SECONDS = 2.0
_REPLICA_AGAIN_SECONDS = 15.0
# notices a server lost behind a firewall in seconds, not after TCP's two hours
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
        self._hot = HotConnections(self._engine, min(_HOT_CONNECTIONS, 3 * pool // 4))

    @asynccontextmanager
    async def transaction(self, context: Context) -> AsyncIterator[AsyncSession]:
        """One transaction: committed at the end of the block, rolled back on an exception."""
        async with _transaction(self._engine, context) as session:
            yield session

    @asynccontextmanager
    async def reading(self, context: Context) -> AsyncIterator[AsyncSession]:
        """A read-only transaction on the replica, or on the main server while the replica is unavailable."""
        context = replace(context, read_only=True)
        engine = await self._reading_engine()
        async with _transaction(engine, context) as session:
            yield session

    @asynccontextmanager
    async def hot(self) -> AsyncIterator[AsyncSession]:
        """A session on a kept connection, for calls that run hundreds of times per second.

        No transaction is open: `execute_together(session, …, begin_as=context)` begins it in the same round trip as its
        statements. What is executed before that commits by itself and sees no tenant's rows.
        """
        async with self._hot.session() as session:
            yield session

    async def frame(self, context: Context, query: sql.Composable, *, on_main: bool = False) -> "pl.DataFrame":
        """A large result as columns, over Arrow, in its own read-only transaction, off the event loop."""
        engine = self._engine if on_main else await self._reading_engine()
        replica = self._read_address if engine is self._read_engine else None
        reader = self._reader(replica or self.address)
        return await asyncio.to_thread(reader.read, replace(context, read_only=True), query)

    def read_frame(self, context: Context, query: sql.Composable) -> "pl.DataFrame":
        """The same from the main server, for code in a thread."""
        return self._reader(self.address).read(replace(context, read_only=True), query)

    async def dispose(self) -> None:
        for reader in self._arrow.values():
            await asyncio.to_thread(reader.close)
        await self._hot.dispose()
        await self._engine.dispose()
        if self._read_engine is not None:
            await self._read_engine.dispose()

    def _reader(self, address: DatabaseAddress) -> "ArrowReader":
        """Created for the first frame: most processes never load polars and the Arrow driver."""
        from hashinsight.kit.db.arrow import ArrowReader

        return self._arrow.setdefault(address.libpq, ArrowReader(address.libpq))

    async def _reading_engine(self) -> AsyncEngine:
        """The replica's; the main server's for a while after the replica failed."""
        if self._read_engine is None or time.monotonic() < self._replica_from:
            return self._engine
        try:
            async with asyncio.timeout(_REPLICA_SECONDS), self._read_engine.connect():
                return self._read_engine
        except (SQLAlchemyError, OSError) as error:
            self._replica_from = time.monotonic() + _REPLICA_AGAIN_SECONDS
            log.warning("replica_unreachable", error=str(error), again_in_seconds=_REPLICA_AGAIN_SECONDS)
            return self._engine


def _engine(address: DatabaseAddress, pool: int, application: str) -> AsyncEngine:
    engine = create_async_engine(
        address.sqlalchemy,
        isolation_level="AUTOCOMMIT",  # transactions are begun by `kit.db.pipeline.begin`
        pool_size=pool,
        max_overflow=pool,
        pool_timeout=10,
        hide_parameters=True,  # values of a failed statement must not be logged
        connect_args={
            "connect_timeout": 5,
            "application_name": application,
            "options": _SESSION_OPTIONS,
            "async_creator_fn": DriverConnection.connect,
            **_LIVENESS,
        },
    )
    _check_idle(engine)
    return engine


def _check_idle(engine: AsyncEngine) -> None:
    """Check a connection that was idle before it is used; one used recently needs no check."""

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
            raise DisconnectionError(str(error)) from error  # the pool takes another connection


@asynccontextmanager
async def _transaction(engine: AsyncEngine, context: Context) -> AsyncIterator[AsyncSession]:
    async with AsyncSession(engine, expire_on_commit=False, autoflush=False) as session, session.begin():
        driver = await driver_connection(session)
        try:
            try:
                async with one_round_trip(driver):
                    await begin(driver, context)
            except Error as error:  # what the session would raise
                raise DBAPIError.instance(None, None, error, Error, dialect=engine.dialect) from error
            yield session
        except BaseException:
            if driver.is_interrupted:  # no rollback would reach the server: the pool opens a new one
                await session.invalidate()
            raise
