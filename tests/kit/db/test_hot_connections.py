"""Connections that hot calls keep: used again, clean, alive, and given back."""

import asyncio
import logging
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db import database as database_module
from hashinsight.kit.db import kept
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import together
from tests.installation import HANG_TIMEOUT_SEC

ASKED = text(
    "select pg_backend_pid() as pid, current_setting('app.tenant', true) as tenant, current_setting('app.sites', true)"
    " as sites, to_regclass('gone') as gone"
)
OPEN = "select count(*) from pg_stat_activity where pid = any (%s)"


@pytest.fixture
async def database(address: DatabaseAddress) -> AsyncIterator[Database]:
    database = Database(address, application="kept")
    yield database
    await database.dispose()


async def _pid(database: Database) -> int:
    async with database.unentered() as session:
        ((found,),) = await together(session, (ASKED, {}))
        return int(found.pid)


async def _door(database: Database) -> tuple[int, str | None]:
    async with database.at_once() as driver:
        row = await (await driver.execute("select pg_backend_pid(), current_setting('app.tenant', true)")).fetchone()
        assert row is not None
        return row[0], row[1]


async def test_the_next_call_gets_the_same_connection_and_nothing_of_the_last_one(database: Database) -> None:
    async with database.unentered() as session:
        ((first,),) = await together(session, (ASKED, {}), entering=Context(tenant="t", sites=(3,)))
        await session.execute(text("select 1"))
    async with database.unentered() as session:
        ((second,),) = await together(session, (ASKED, {}))
    assert (first.tenant, first.sites) == ("t", "3")
    assert (second.pid, second.tenant, second.sites) == (first.pid, "", "")


@pytest.mark.parametrize("by_session", [False, True])
async def test_what_was_not_committed_is_gone_when_the_connection_is_used_again(
    database: Database, *, by_session: bool
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.unentered() as session:
            await together(session, (text("create temporary table gone ()"), {}), entering=Context(tenant="t"))
            if by_session:
                await session.execute(text("select 1"))
            raise ZeroDivisionError
    async with database.unentered() as session:
        ((found,),) = await together(session, (ASKED, {}))
    assert (found.gone, found.tenant) == (None, "")


async def test_what_the_session_did_is_committed_with_what_went_by_the_driver(database: Database) -> None:
    async with database.unentered() as session:
        await together(session, (text("create temporary table x (y int)"), {}))
        await session.execute(text("insert into x values (1)"))
        ((first,),) = await together(session, (ASKED, {}))
    async with database.unentered() as session:
        ((again,), (row,)) = await together(session, (ASKED, {}), (text("select y from x"), {}))
    assert (again.pid, row.y) == (first.pid, 1)


async def test_one_that_died_while_it_lay_idle_is_replaced(
    database: Database, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_FRESH_SECONDS", 0.0)
    working, (asking, _) = await _pid(database), await _door(database)
    assert (await _pid(database), (await _door(database))[0]) == (working, asking), "and one that lives is not"
    for pid in (working, asking):
        admin.execute("select pg_terminate_backend(%s, 5000)", (pid,))
    assert await _pid(database) != working
    assert (await _door(database))[0] != asking


async def test_one_that_died_in_use_fails_its_call_and_no_other(database: Database, admin: psycopg.Connection) -> None:
    pid = await _pid(database)
    with pytest.raises(psycopg.OperationalError):
        async with database.unentered() as session:
            admin.execute("select pg_terminate_backend(%s, 5000)", (pid,))
            await together(session, (ASKED, {}))
    assert await _pid(database) != pid


async def test_a_statement_at_once_is_committed_by_itself_and_a_refused_one_leaves_no_transaction(
    database: Database,
) -> None:
    async with database.at_once() as driver:
        with pytest.raises(psycopg.errors.DivisionByZero):
            await driver.execute("select 1 / 0")
        await driver.execute("select set_config('app.tenant', 't', true)")
        assert driver.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert (await _door(database))[1] == ""


async def test_a_transaction_that_is_left_open_at_the_door_is_thrown_away(database: Database) -> None:
    async with database.at_once() as driver:
        await driver.execute("begin")
        await driver.execute("select set_config('app.tenant', 't', true)")
        left = driver.info.backend_pid
    pid, tenant = await _door(database)
    assert (pid != left, tenant) == (True, None), "a new one has never heard of it"


async def test_more_calls_at_a_time_than_are_kept_are_served_and_given_back(
    database: Database, admin: psycopg.Connection
) -> None:
    async def nest(depth: int) -> set[int]:
        async with database.unentered() as session:
            ((found,),) = await together(session, (ASKED, {}))
            return {found.pid} | (await nest(depth - 1) if depth else set())

    pids = await nest(8) | await nest(8)
    assert len(pids) >= 9
    await database.dispose()
    async with asyncio.timeout(HANG_TIMEOUT_SEC):  # a server process ends a moment after its line
        while admin.execute(OPEN, (list(pids),)).fetchone() != (0,):  # noqa: ASYNC110 - the server signals nobody
            await asyncio.sleep(0.02)


async def test_one_whose_block_failed_at_the_door_is_not_used_again(database: Database) -> None:
    """What its failed statement left prepared might fail for whoever came next, and for ever."""
    pid, _ = await _door(database)
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.at_once() as driver:
            await driver.execute("select 1 / 0")
    assert (await _door(database))[0] != pid


async def test_a_transaction_that_cannot_begin_fails_as_the_session_would_and_its_connection_is_clean(
    database: Database,
) -> None:
    async with database.transaction(Context(tenant="t")) as session:
        pid = (await session.execute(text("select pg_backend_pid()"))).scalar_one()
    with pytest.raises(DBAPIError) as failed:
        async with database.transaction(Context(statement_timeout_ms=-5)):
            pytest.fail("nobody gets in")
    assert isinstance(failed.value.orig, psycopg.errors.InvalidParameterValue)
    async with database.transaction(Context(tenant="u")) as session:
        asked = "select pg_backend_pid(), current_setting('app.tenant')"
        assert tuple((await session.execute(text(asked))).one()) == (pid, "u")


@pytest.mark.parametrize("way", ["hot", "session", "entering"])
async def test_who_hangs_up_again_and_again_leaves_nothing_to_tell_and_no_connection_that_is_of_no_use(
    database: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """As a server does it to a request whose browser is gone: at every step that it still wants to wait for."""
    if way == "entering":
        monkeypatch.setattr(database_module, "_entering", lambda _: "select pg_sleep(30), %s, %s, %s")

    async def ask() -> None:
        if way == "hot":
            async with database.unentered() as session:
                await together(session, (text("select pg_sleep(30)"), {}), entering=Context(tenant="t"))
        else:
            async with database.transaction(Context(tenant="t")) as session:
                await session.execute(text("select pg_sleep(30)"))

    for _ in range(3):
        asking = asyncio.create_task(ask())
        await asyncio.sleep(0.2)
        while not asking.done():
            asking.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await asking
    monkeypatch.undo()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert await _pid(database) > 0
    async with database.transaction(Context()) as session:
        assert (await session.execute(text("select 1"))).scalar_one() == 1
