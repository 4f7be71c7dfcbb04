"""The connection that asks its socket first does what the driver's own does."""

import asyncio
import select

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from hashinsight.kit.db.driver import DriverConnection
from tests.installation import HANG_TIMEOUT_SEC


async def test_results_of_a_pipeline_are_those_of_the_driver(superuser_url: str) -> None:
    async with await DriverConnection.connect(superuser_url) as driver:
        async with driver.pipeline():
            found = [await driver.execute("select %s::int, repeat('x', %s)", (n, n * 10_000)) for n in range(20)]
        rows = [await one.fetchone() for one in found]
    assert rows == [(n, "x" * n * 10_000) for n in range(20)]


async def test_one_way_begins_once_and_is_all_sent_at_once(superuser_url: str) -> None:
    """Two packets would be two calls of the server's; a BEGIN of its own would be a wait more."""
    seen: list[str] = []
    async with await DriverConnection.connect(superuser_url) as driver:
        driver.add_notice_handler(lambda said: seen.append(said.message_primary or ""))
        server, pid = driver.fileno(), driver.info.backend_pid
        for _ in range(2):
            async with driver.one_way():
                found = [await driver.execute("select %s::int, txid_current()", (n,), prepare=True) for n in range(3)]
                assert not select.select([server], [], [], 0.1)[0], "nothing is answered before the block ends"
            rows = [await one.fetchone() for one in found]
            assert [row and row[0] for row in rows] == [0, 1, 2]
            assert len({row and row[1] for row in rows}) == 1, "one transaction"
            assert driver.info.transaction_status == TransactionStatus.INTRANS
            await driver.commit()
        async with await DriverConnection.connect(superuser_url, autocommit=True) as other:
            state = await (await other.execute("select state from pg_stat_activity where pid = %s", (pid,))).fetchone()
    assert (state, seen) == (("idle",), []), "a second BEGIN is a warning"


async def test_an_error_on_one_way_is_raised_for_all_of_it_and_the_connection_works_on(superuser_url: str) -> None:
    async with await DriverConnection.connect(superuser_url) as driver:
        with pytest.raises(psycopg.errors.DivisionByZero):
            async with driver.one_way():
                await driver.execute("create temporary table half (n int)")
                await driver.execute("select 1 / 0")
                await driver.execute("select 1")
        assert driver.info.transaction_status == TransactionStatus.INERROR
        await driver.rollback()
        found = await driver.execute("select to_regclass('half')")
        assert await found.fetchone() == (None,)


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
        found = await driver.execute("select 7")
        assert await found.fetchone() == (7,)


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
