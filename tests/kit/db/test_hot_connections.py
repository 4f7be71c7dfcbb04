"""Connections kept for hot calls: used again, clean, alive, and given back."""

import asyncio
import logging
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db import hot, pipeline
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection, execute_together
from tests.installation import HANG_TIMEOUT_SEC

STATE = text(
    "select pg_backend_pid() as pid, current_setting('app.tenant', true) as tenant, current_setting('app.sites', true)"
    " as sites, to_regclass('gone') as gone"
)
OPEN_CONNECTIONS = "select count(*) from pg_stat_activity where pid = any (%s)"


@pytest.fixture
async def database(address: DatabaseAddress) -> AsyncIterator[Database]:
    database = Database(address, application="hot")
    yield database
    await database.dispose()


async def backend_pid(database: Database) -> int:
    async with database.hot() as session:
        ((row,),) = await execute_together(session, (STATE, {}))
        return int(row.pid)


async def test_the_next_call_gets_the_same_connection_and_nothing_of_the_last_call(database: Database) -> None:
    async with database.hot() as session:
        ((first,),) = await execute_together(session, (STATE, {}), begin_as=Context(tenant="t", sites=(3,)))
        await session.execute(text("select 1"))
    async with database.hot() as session:
        ((second,),) = await execute_together(session, (STATE, {}))
    assert (first.tenant, first.sites) == ("t", "3")
    assert (second.pid, second.tenant, second.sites) == (first.pid, "", "")


@pytest.mark.parametrize("by_session", [False, True])
async def test_uncommitted_work_is_gone_when_the_connection_is_reused(database: Database, *, by_session: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.hot() as session:
            await execute_together(session, (text("create temporary table gone ()"), {}), begin_as=Context(tenant="t"))
            if by_session:
                await session.execute(text("select 1"))
            raise ZeroDivisionError
    async with database.hot() as session:
        ((row,),) = await execute_together(session, (STATE, {}))
    assert (row.gone, row.tenant or "") == (None, "")


async def test_statements_of_session_and_pipeline_are_committed_together(database: Database) -> None:
    async with database.hot() as session:
        await execute_together(session, (text("create temporary table x (y int)"), {}), begin_as=Context())
        await session.execute(text("insert into x values (1)"))
        ((first,),) = await execute_together(session, (STATE, {}))
    async with database.hot() as session:
        ((again,), (row,)) = await execute_together(session, (STATE, {}), (text("select y from x"), {}))
    assert (again.pid, row.y) == (first.pid, 1)


async def test_a_connection_that_died_while_idle_is_replaced(
    database: Database, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot, "_FRESH_SECONDS", 0.0)
    pid = await backend_pid(database)
    assert await backend_pid(database) == pid, "and one that lives is not"
    admin.execute("select pg_terminate_backend(%s, 5000)", (pid,))
    assert await backend_pid(database) != pid


async def test_a_connection_that_died_in_use_fails_its_call_and_no_other(
    database: Database, admin: psycopg.Connection
) -> None:
    pid = await backend_pid(database)
    with pytest.raises(psycopg.OperationalError):
        async with database.hot() as session:
            admin.execute("select pg_terminate_backend(%s, 5000)", (pid,))
            await execute_together(session, (STATE, {}))
    assert await backend_pid(database) != pid


async def test_a_statement_outside_a_transaction_commits_at_once(database: Database) -> None:
    async with database.hot() as session:
        driver = await driver_connection(session)
        await driver.execute("select set_config('app.tenant', 't', true)")
        assert driver.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        ((row,),) = await execute_together(session, (STATE, {}))
    assert row.tenant == ""


async def test_more_calls_at_a_time_than_are_kept_are_served_and_given_back(
    database: Database, admin: psycopg.Connection
) -> None:
    async def nest(depth: int) -> set[int]:
        async with database.hot() as session:
            ((row,),) = await execute_together(session, (STATE, {}))
            return {row.pid} | (await nest(depth - 1) if depth else set())

    pids = await nest(8) | await nest(8)
    assert len(pids) >= 9
    await database.dispose()
    async with asyncio.timeout(HANG_TIMEOUT_SEC):  # a server process ends a moment after its line
        while admin.execute(OPEN_CONNECTIONS, (list(pids),)).fetchone() != (0,):  # noqa: ASYNC110 - the server signals nobody
            await asyncio.sleep(0.02)


async def test_a_connection_is_not_reused_after_a_failure_outside_a_transaction(database: Database) -> None:
    """What the failed statement left prepared might fail for every later call."""
    pid = await backend_pid(database)
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with database.hot() as session:
            await (await driver_connection(session)).execute("select 1 / 0")
    assert await backend_pid(database) != pid


async def test_a_transaction_that_cannot_begin_fails_as_the_session_would_and_its_connection_is_clean(
    database: Database,
) -> None:
    async with database.transaction(Context(tenant="t")) as session:
        pid = (await session.execute(text("select pg_backend_pid()"))).scalar_one()
    with pytest.raises(DBAPIError) as failed:
        async with database.transaction(Context(statement_timeout_ms=-5)):
            pytest.fail("the block must not run")
    assert isinstance(failed.value.orig, psycopg.errors.InvalidParameterValue)
    async with database.transaction(Context(tenant="u")) as session:
        query = "select pg_backend_pid(), current_setting('app.tenant')"
        assert tuple((await session.execute(text(query))).one()) == (pid, "u")


async def test_a_transaction_is_rolled_back_by_an_error_and_savepoints_work_inside(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with database.transaction(Context()) as session:
            await session.execute(text("create temporary table gone ()"))
            raise ZeroDivisionError
    async with database.transaction(Context()) as session:
        assert (await session.execute(STATE)).one().gone is None
        async with session.begin_nested():
            await session.execute(text("create temporary table kept ()"))
    async with database.transaction(Context()) as session:
        assert (await session.execute(text("select to_regclass('kept')"))).scalar_one() == "kept"


@pytest.mark.parametrize("interrupted", ["pipeline", "session", "begin"])
async def test_a_call_cancelled_again_and_again_logs_no_error_and_leaves_no_broken_connection(
    database: Database, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, interrupted: str
) -> None:
    """As a server cancels a request whose browser is gone: at every step that still waits."""
    if interrupted == "begin":
        monkeypatch.setattr(pipeline, "_set_config", lambda _: "select pg_sleep(30), %s, %s, %s")

    async def call() -> None:
        if interrupted == "pipeline":
            async with database.hot() as session:
                await execute_together(session, (text("select pg_sleep(30)"), {}), begin_as=Context(tenant="t"))
        else:
            async with database.transaction(Context(tenant="t")) as session:
                await session.execute(text("select pg_sleep(30)"))

    for _ in range(3):
        calling = asyncio.create_task(call())
        await asyncio.sleep(0.2)
        while not calling.done():
            calling.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await calling
    monkeypatch.undo()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert await backend_pid(database) > 0
    async with database.transaction(Context()) as session:
        assert (await session.execute(text("select 1"))).scalar_one() == 1
