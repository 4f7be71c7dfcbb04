import socket
import time
from collections.abc import AsyncIterator
from contextlib import suppress

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db import database as database_module
from hashinsight.kit.db.address import DatabaseAddress, address_from_url, address_of_socket
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from tests.clones import Clones

WHICH = text("select current_database()")


@pytest.fixture
async def replica(clones: Clones, folder: DataFolder) -> AsyncIterator[DatabaseAddress]:
    name = clones.make("replica")
    yield address_of_socket(folder.sockets, name)
    clones.leave(name)


async def test_reads_go_to_the_replica_and_writes_to_the_main_server(
    address: DatabaseAddress, replica: DatabaseAddress, database_name: str
) -> None:
    database = Database(address, replica)
    try:
        async with database.reading(Context()) as session:
            assert str((await session.execute(WHICH)).scalar()).startswith("replica_")
        async with database.transaction(Context()) as session:
            assert (await session.execute(WHICH)).scalar() == database_name
        frame = await database.frame(Context(), sql.SQL("select current_database()::text as name"))
        assert frame["name"][0].startswith("replica_")
    finally:
        await database.dispose()


async def test_while_the_replica_is_away_reads_come_from_the_main_server(
    address: DatabaseAddress, folder: DataFolder, database_name: str
) -> None:
    database = Database(address, address_of_socket(folder.sockets, "no_such_replica"))
    try:
        for _ in range(2):
            async with database.reading(Context()) as session:
                assert (await session.execute(WHICH)).scalar() == database_name
    finally:
        await database.dispose()


async def test_a_replica_that_fell_silent_is_waited_for_once_and_not_at_every_read(address: DatabaseAddress) -> None:
    queries = 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/x"
        database = Database(address, address_from_url(url))
        try:
            began = time.monotonic()
            for _ in range(3):
                async with database.reading(Context()) as session:
                    await session.execute(WHICH)
                if queries == 0:
                    assert time.monotonic() - began > 1.5, "it was given a chance"
                queries += _callers(silent)
        finally:
            await database.dispose()
    assert queries == 1


def _callers(listening: socket.socket) -> int:
    """Those who called since the last look."""
    listening.settimeout(0)
    count = 0
    with suppress(BlockingIOError):
        while True:
            listening.accept()[0].close()
            count += 1
    return count


async def test_a_reading_session_cannot_write_even_without_a_replica(database: Database) -> None:
    with pytest.raises(DBAPIError, match="read-only"):
        async with database.reading(Context()) as session:
            await session.execute(text("create temporary table x (y int)"))
            await session.execute(text("create table x (y int)"))


async def test_a_connection_that_died_while_it_lay_idle_is_replaced(
    address: DatabaseAddress, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_FRESH_SECONDS", 0.0)
    database = Database(address, pool=1, application="idle")
    try:
        async with database.transaction(Context()) as session:
            first = (await session.execute(text("select pg_backend_pid()"))).scalar_one()
        admin.execute("select pg_terminate_backend(%s, 5000)", (first,))
        async with database.transaction(Context()) as session:
            assert (await session.execute(text("select pg_backend_pid()"))).scalar_one() != first
    finally:
        await database.dispose()
