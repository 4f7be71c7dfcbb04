"""Three ways to the database. Each reads and writes inside a transaction that has a role, a tenant and sites.

- `transaction(context)` is for nearly everything: a SQLAlchemy session, committed at the end. `reading(context)` is
  the same read-only, from the replica where there is one.
- `frame(context, query)` is for large reads: columns over Arrow, a hundred times as fast as rows.
- `hot()` is for the few calls that run hundreds of times a second (token look-ups, leases, acks, uploads): a kept
  connection and statements in one round trip.
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

# A session that forgot its context acts as the role that sees no rows, never as the login behind the address. What a
# context leaves unsaid is said here, whatever the server's own settings are.
_SESSION_OPTIONS = (
    f"-c role={Role.APP.value} -c timezone=UTC -c search_path=public -c jit=off"
    " -c default_transaction_read_only=off -c enable_seqscan=on -c enable_bitmapscan=on -c plan_cache_mode=auto"
    f" -c statement_timeout={Context().statement_timeout_ms}"
    f" -c idle_in_transaction_session_timeout={Context().idle_timeout_ms}"
)

_HOT_CONNECTIONS = 6  # of the pool's, kept for the hot calls alone
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
        self._hot = HotConnections(self._engine, min(_HOT_CONNECTIONS, 3 * pool // 4))

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
    async def hot(self) -> AsyncIterator[AsyncSession]:
        """A session for calls that run hundreds of times a second, on a connection that is kept for them.

        Nothing is begun: `execute_together(session, …, begin_as=context)` begins the transaction in the same round trip
        as its statements; what is executed before that commits by itself and sees no tenant's rows.
        """
        async with self._hot.session() as session:
            yield session

    async def frame(self, context: Context, query: sql.Composable, *, on_main: bool = False) -> "pl.DataFrame":
        """A large result as columns, over Arrow, in its own read-only transaction and off the event loop."""
        engine = self._engine if on_main else await self._reading_engine()
        replica = self._read_address if engine is self._read_engine else None
        reader = self._reader(replica or self.address)
        return await asyncio.to_thread(reader.read, replace(context, read_only=True), query)

    def read_frame(self, context: Context, query: sql.Composable) -> "pl.DataFrame":
        """The same from the main server, for code that runs in a thread."""
        return self._reader(self.address).read(replace(context, read_only=True), query)

    async def dispose(self) -> None:
        for reader in self._arrow.values():
            await asyncio.to_thread(reader.close)
        await self._hot.dispose()
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


def _engine(address: DatabaseAddress, pool: int, application: str) -> AsyncEngine:
    engine = create_async_engine(
        address.sqlalchemy,
        isolation_level="AUTOCOMMIT",  # transactions are begun by `kit.db.pipeline.begin`
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


@asynccontextmanager
async def _transaction(engine: AsyncEngine, context: Context) -> AsyncIterator[AsyncSession]:
    async with AsyncSession(engine, expire_on_commit=False, autoflush=False) as session, session.begin():
        driver = await driver_connection(session)
        try:
            try:
                async with one_round_trip(driver):
                    await begin(driver, context)
            except Error as error:  # as the session itself would raise it
                raise DBAPIError.instance(None, None, error, Error, dialect=engine.dialect) from error
            yield session
        except BaseException:
            if driver.is_interrupted:  # no rollback would reach the server: the pool opens another
                await session.invalidate()
            raise
