"""The connection that tries its socket first does what the driver's own does, by the driver's public methods."""

import asyncio
import inspect
import re

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from hashinsight.kit.db import database, hot, pipeline
from hashinsight.kit.db import driver as driver_module
from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.driver import DriverConnection
from hashinsight.kit.db.pipeline import begin, one_round_trip
from tests.installation import HANG_TIMEOUT_SEC

OWN = Context(Role.OWNER)


async def test_results_of_a_pipeline_are_those_of_the_driver(superuser_url: str) -> None:
    async with await DriverConnection.connect(superuser_url) as driver:
        async with driver.pipeline():
            results = [await driver.execute("select %s::int, repeat('x', %s)", (n, n * 10_000)) for n in range(20)]
        rows = [await result.fetchone() for result in results]
    assert rows == [(n, "x" * n * 10_000) for n in range(20)]


async def test_one_round_trip_begins_a_transaction_that_commit_and_rollback_end(superuser_url: str) -> None:
    """BEGIN is a statement like any other on a connection that else commits each by itself."""
    notices: list[str] = []
    async with await DriverConnection.connect(superuser_url, autocommit=True) as driver:
        driver.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        for end in (driver.commit, driver.rollback):
            async with one_round_trip(driver):
                await begin(driver, OWN)
                cursors = [await driver.execute("select %s::int, txid_current()", (n,), prepare=True) for n in range(3)]
            rows = [await cursor.fetchone() for cursor in cursors]
            assert [row and row[0] for row in rows] == [0, 1, 2]
            assert len({row and row[1] for row in rows}) == 1, "one transaction"
            states = [driver.info.transaction_status]
            await end()
            states += [driver.info.transaction_status]
            assert states == [TransactionStatus.INTRANS, TransactionStatus.IDLE]
    assert notices == [], "a second BEGIN is a warning"


async def test_an_error_in_one_round_trip_is_raised_for_all_of_it_and_the_connection_works_on(
    superuser_url: str,
) -> None:
    async with await DriverConnection.connect(superuser_url, autocommit=True) as driver:
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with one_round_trip(driver):
                await begin(driver, OWN)
                await driver.execute("create temporary table half (n int)")
                await driver.execute("select 1 / 0")
                await driver.execute("select 1")
        assert driver.info.transaction_status == TransactionStatus.INERROR
        await driver.rollback()
        cursor = await driver.execute("select to_regclass('half')")
        assert await cursor.fetchone() == (None,)


def test_nothing_but_public_methods_of_the_driver_is_overridden() -> None:
    """A private one would change under us with any release."""
    for ours in (driver_module, pipeline, hot, database):
        source = inspect.getsource(ours)
        assert re.findall(r"(?<!self)(?<!cls)\._[a-z]\w+", source) == [], ours.__name__
    own = set(vars(DriverConnection)) - set(vars(type("Plain", (), {})))
    assert own - {"is_interrupted", "__parameters__", "__orig_bases__"} == {"wait"}
    assert list(inspect.signature(psycopg.AsyncConnection.wait).parameters)[:2] == ["self", "gen"]


async def test_others_go_on_while_a_statement_takes_its_time(superuser_url: str) -> None:
    async with (
        await DriverConnection.connect(superuser_url, autocommit=True) as gate,
        await DriverConnection.connect(superuser_url) as driver,
    ):
        await gate.execute("select pg_advisory_lock(1)")
        slow = asyncio.create_task(driver.execute("select pg_advisory_lock(1)"))
        for _ in range(10):
            await asyncio.sleep(0.01)
        assert not slow.done()
        await gate.execute("select pg_advisory_unlock(1)")
        await slow


async def test_a_cancelled_statement_leaves_a_connection_that_works(superuser_url: str) -> None:
    async with await DriverConnection.connect(superuser_url, autocommit=True) as driver:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(driver.execute("select pg_sleep(30)"), 0.3)
        result = await driver.execute("select 7")
        assert await result.fetchone() == (7,)


async def test_a_server_that_goes_away_is_an_error_and_not_a_wait(superuser_url: str) -> None:
    async with await DriverConnection.connect(superuser_url, autocommit=True) as killer:
        driver = await DriverConnection.connect(superuser_url, autocommit=True)
        pid = driver.info.backend_pid
        waiting = asyncio.create_task(driver.execute("select pg_sleep(30)"))
        await asyncio.sleep(0.2)
        await killer.execute("select pg_terminate_backend(%s)", (pid,))
        with pytest.raises(psycopg.OperationalError):
            await asyncio.wait_for(waiting, HANG_TIMEOUT_SEC)
        assert driver.closed
