"""Every table over one physical connection that others used before: nothing of theirs is left on it."""

from collections.abc import AsyncIterator, Awaitable, Callable

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.identity.queries.sessions import enter_tenant
from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context, Role, job_context
from hashinsight.kit.db.database import Database
from tests.isolation.catalogue import Relation
from tests.isolation.findings import tenant_tables
from tests.isolation.rows import A, B, insert, keys, open_up

OF_A = Context(tenant=str(A))
OF_B = Context(tenant=str(B))


@pytest.fixture(scope="module")
def tables(clone: DatabaseAddress) -> list[Relation]:
    """The tables that requests may read, each with rows of both tenants."""
    with psycopg.connect(clone.libpq) as connection:
        tables = tenant_tables(connection)
        for table in tables:
            open_up(connection, table)
            for key in keys(table):
                insert(connection, table, key)
        readable = "select has_column_privilege('hi_app', %s::oid, %s, 'select')"
        return [
            table for table in tables if connection.execute(readable, [table.oid, table.tenant]).fetchone() == (True,)
        ]


@pytest.fixture
async def database(program: DatabaseAddress) -> AsyncIterator[Database]:
    """As the program's own login, over one connection and no second one."""
    database = Database(program, pool=1)
    pids = [await _pid(database)]
    yield database
    assert [await _pid(database)] == pids, "the connection was not the same all the time"
    await database.dispose()


async def _pid(database: Database) -> int:
    async with database.transaction(Context()) as session:
        return int((await session.execute(text("select pg_backend_pid()"))).scalar_one())


async def _owners(database: Database, context: Context, table: Relation) -> set[str]:
    """Whose rows a context sees."""
    async with database.transaction(context) as session:
        rows = await session.execute(text(f"select {table.tenant} from {table.name}"))
        return {str(owner) for owner in rows.scalars()}


async def _as_a(database: Database, table: Relation) -> None:
    assert await _owners(database, OF_A, table) == {str(A)}


async def _as_a_that_fails(database: Database, table: Relation) -> None:
    with pytest.raises(DBAPIError):
        async with database.transaction(OF_A) as session:
            assert (await session.execute(text(f"select count(*) from {table.name}"))).scalar_one() >= 1
            await session.execute(text("select 1/0"))


async def _as_a_by_its_own_word(database: Database, table: Relation) -> None:
    """As the look-ups do: without a tenant first, then inside the one that was tables."""
    async with database.transaction(Context()) as session:
        await enter_tenant(session, A)
        assert (await session.execute(text(f"select count(*) from {table.name}"))).scalar_one() >= 1


async def _as_a_for_the_whole_session(database: Database, table: Relation) -> None:
    """A mistake: settings that outlive their transaction."""
    async with database.transaction(Context()) as session:
        for name, value in (("app.tenant", str(A)), ("app.sites", "*")):
            await session.execute(text("select set_config(:name, :value, false)"), {"name": name, "value": value})
        assert (await session.execute(text(f"select count(*) from {table.name}"))).scalar_one() >= 1


async def _as_a_job(database: Database, table: Relation) -> None:
    assert {str(A), str(B)} <= await _owners(database, job_context(), table)


@pytest.mark.parametrize(
    "before", [_as_a, _as_a_that_fails, _as_a_by_its_own_word, _as_a_for_the_whole_session, _as_a_job]
)
async def test_a_connection_that_another_used_shows_nothing_of_it(
    database: Database, tables: list[Relation], before: Callable[[Database, Relation], Awaitable[None]]
) -> None:
    assert len(tables) >= 24
    for table in tables:
        await before(database, table)
        assert await _owners(database, Context(), table) == set(), table.name
        await before(database, table)
        assert await _owners(database, OF_B, table) == {str(B)}, table.name


async def test_a_statement_outside_any_context_sees_nothing_on_a_used_connection(
    database: Database, tables: list[Relation]
) -> None:
    for table in tables:
        await _as_a(database, table)
        async with database._engine.connect() as connection:
            query = text(f"select current_user, (select count(*) from {table.name})")
            assert (await connection.execute(query)).one() == (Role.APP.value, 0), table.name


async def test_a_frame_is_read_in_its_own_context_too(database: Database, tables: list[Relation]) -> None:
    for table in tables[:5]:
        query = sql.SQL("select {}::text as owner from {}").format(
            sql.Identifier(str(table.tenant)), sql.Identifier(table.name)
        )
        assert set((await database.frame(OF_A, query))["owner"]) == {str(A)}, table.name
        assert (await database.frame(Context(), query)).height == 0, table.name
