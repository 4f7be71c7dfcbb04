"""Statements sent together: their rows, their errors, their one transaction."""

import pytest
from psycopg import errors
from sqlalchemy import text

from hashinsight.kit.db.context import Context, Role
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import execute_together

JOB = Context(Role.JOB)
ONE, SUM, BAD = text("select 1 as one"), text("select cast(:a as int) + :b as sum, :a as a"), text("select 1 / :zero")
MANY = text("select n, repeat('x', 1000) as long from generate_series(1, cast(:n as int)) n")
WHO = text("select current_user as who")


async def test_each_gets_its_own_rows_in_order(database: Database) -> None:
    async with database.hot() as session:
        first, both, none, many = await execute_together(
            session,
            (ONE, {}),
            (SUM, {"a": 2, "b": 3}),
            (text("set local application_name = 'x'"), {}),
            (MANY, {"n": 3}),
        )
        assert (first[0].one, both[0].sum, none, [row.n for row in many]) == (1, 5, [], [1, 2, 3])
        assert await execute_together(session) == []


async def test_the_context_comes_along_and_holds_for_the_transaction(database: Database) -> None:
    async with database.hot() as session:
        ((who,),) = await execute_together(session, (WHO, {}), begin_as=JOB)
        again = (await session.execute(WHO)).scalar_one()
        assert (who.who, again) == ("hi_job", "hi_job")
    async with database.hot() as session:
        ((who,),) = await execute_together(session, (WHO, {}))
        assert who.who == "hi_app", "who forgot to enter sees no tenant's rows"


async def test_an_error_is_the_drivers_own_and_a_savepoint_mends_it(database: Database) -> None:
    async with database.hot() as session:
        for _ in range(3):
            with pytest.raises(errors.DivisionByZero):
                await execute_together(session, (text("savepoint s"), {}), (BAD, {"zero": 0}), (ONE, {}), begin_as=JOB)
            await execute_together(session, (text("rollback to savepoint s"), {}))
        ((who,), (first,)) = await execute_together(session, (WHO, {}), (ONE, {}))
        assert (who.who, first.one) == ("hi_job", 1)


async def test_they_are_in_the_sessions_own_transaction_and_end_with_it(database: Database) -> None:
    lock = text("select pg_try_advisory_xact_lock(4711) as got")
    async with database.hot() as session:
        ((blocked,),) = await execute_together(session, (lock, {}), begin_as=Context())
        async with database.hot() as other:
            ((refused,),) = await execute_together(other, (lock, {}), begin_as=Context())
    async with database.hot() as session:
        ((again,),) = await execute_together(session, (lock, {}), begin_as=Context())
    assert (blocked.got, refused.got, again.got) == (True, False, True)


async def test_more_data_than_a_socket_buffer_goes_both_ways(database: Database) -> None:
    long = text("select length(cast(:long as text)) as n")
    async with database.hot() as session:
        many, length = await execute_together(session, (MANY, {"n": 5000}), (long, {"long": "x" * 8_000_000}))
        assert (len(many), length[0].n) == (5000, 8_000_000)
