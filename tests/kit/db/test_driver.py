"""The connection that asks its socket first does what the driver's own does."""

import asyncio

import psycopg
import pytest

from hashinsight.kit.db.driver import Connection


async def test_results_of_a_pipeline_are_those_of_the_driver(superuser_url: str) -> None:
    async with await Connection.connect(superuser_url) as driver:
        async with driver.pipeline():
            found = [await driver.execute("select %s::int, repeat('x', %s)", (n, n * 10_000)) for n in range(20)]
        rows = [await one.fetchone() for one in found]
    assert rows == [(n, "x" * n * 10_000) for n in range(20)]


async def test_others_go_on_while_a_statement_takes_its_time(superuser_url: str) -> None:
    async with await Connection.connect(superuser_url) as driver:
        slow = asyncio.create_task(driver.execute("select pg_sleep(0.5)"))
        beats = 0
        while not slow.done():
            await asyncio.sleep(0.01)
            beats += 1
        await slow
    assert beats > 10


async def test_a_cancelled_statement_leaves_a_connection_that_works(superuser_url: str) -> None:
    async with await Connection.connect(superuser_url, autocommit=True) as driver:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(driver.execute("select pg_sleep(30)"), 0.3)
        found = await driver.execute("select 7")
        assert await found.fetchone() == (7,)


async def test_a_server_that_goes_away_is_an_error_and_not_a_wait(superuser_url: str) -> None:
    async with await Connection.connect(superuser_url, autocommit=True) as killer:
        driver = await Connection.connect(superuser_url, autocommit=True)
        pid = driver.info.backend_pid
        waiting = asyncio.create_task(driver.execute("select pg_sleep(30)"))
        await asyncio.sleep(0.2)
        await killer.execute("select pg_terminate_backend(%s)", (pid,))
        with pytest.raises(psycopg.OperationalError):
            await asyncio.wait_for(waiting, 10)
        assert driver.closed
