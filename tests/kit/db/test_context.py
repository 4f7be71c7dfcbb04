"""Isolation by context: a table with tenant rows and the policies that design.md asks for, on the real roles."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Context, Role, job_context
from hashinsight.kit.db.database import Database

SCHEMA = """
create table things (tenant text not null, site_id int not null, name text not null);
insert into things values ('a', 1, 'a1'), ('a', 2, 'a2'), ('b', 1, 'b1');
alter table things owner to hi_owner;
alter table things enable row level security;
alter table things force row level security;
create policy app on things to hi_app
    using (tenant = (select nullif(current_setting('app.tenant', true), ''))
        and ((select current_setting('app.sites', true)) = '*'
             or site_id = any (string_to_array((select current_setting('app.sites', true)), ',')::int[])));
create policy job on things to hi_job using (true);
grant select, insert on things to hi_app, hi_job;
"""


@pytest.fixture(autouse=True)
def things(superuser_url: str) -> Iterator[None]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(SCHEMA)
        yield


async def names(database: Database, context: Context) -> list[str]:
    async with database.transaction(context) as session:
        return list((await session.execute(text("select name from things order by name"))).scalars())


async def test_a_tenant_sees_its_own_rows_and_a_narrower_scope_only_its_sites(database: Database) -> None:
    assert await names(database, Context(tenant="a")) == ["a1", "a2"]
    assert await names(database, Context(tenant="a", sites=(2,))) == ["a2"]
    assert await names(database, Context(tenant="a", sites=())) == []
    assert await names(database, Context(tenant="b")) == ["b1"]


async def test_without_a_tenant_nothing_is_seen_and_a_job_sees_all(database: Database) -> None:
    assert await names(database, Context()) == []
    assert await names(database, job_context()) == ["a1", "a2", "b1"]


async def test_a_reused_connection_carries_nothing_over(address: DatabaseAddress) -> None:
    database = Database(address, pool=1)
    try:
        assert await names(database, job_context()) == ["a1", "a2", "b1"]
        assert await names(database, Context()) == []
        assert await names(database, Context(tenant="b")) == ["b1"]
        with pytest.raises(DBAPIError):
            async with database.transaction(Context(tenant="a")) as session:
                await session.execute(text("select 1/0"))
        assert await names(database, Context()) == []
    finally:
        await database.dispose()


async def test_a_statement_outside_any_context_acts_as_the_role_that_sees_nothing(database: Database) -> None:
    async with database._engine.connect() as connection:
        who, seen = (await connection.execute(text("select current_user, (select count(*) from things)"))).one()
    assert (who, seen) == ("hi_app", 0)


async def test_the_login_alone_may_do_nothing(address: DatabaseAddress) -> None:
    async with await psycopg.AsyncConnection.connect(address.libpq) as connection:
        with pytest.raises(errors.InsufficientPrivilege):
            await connection.execute("select * from things")


async def test_no_role_of_ours_can_go_round_the_policies(admin: psycopg.Connection) -> None:
    rows = admin.execute(
        "select rolname, rolsuper or rolbypassrls or rolcanlogin from pg_roles where rolname = any(%s)",
        [[role.value for role in Role]],
    ).fetchall()
    assert sorted(rows) == [(name, False) for name in ("hi_app", "hi_ingest", "hi_job", "hi_owner")]


async def test_a_row_for_another_tenant_cannot_be_written(database: Database) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"):
        async with database.transaction(Context(tenant="a")) as session:
            await session.execute(text("insert into things values ('b', 1, 'planted')"))
    assert await names(database, Context(tenant="b")) == ["b1"]


async def test_a_failed_block_leaves_nothing_and_a_good_one_is_committed(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction(Context(tenant="a")) as session:
            await session.execute(text("insert into things values ('a', 3, 'lost')"))
            raise RuntimeError
    async with database.transaction(Context(tenant="a")) as session:
        await session.execute(text("insert into things values ('a', 3, 'kept')"))
    assert await names(database, Context(tenant="a")) == ["a1", "a2", "kept"]


async def test_a_statement_that_takes_too_long_is_cut(database: Database) -> None:
    with pytest.raises(DBAPIError, match="statement timeout"):
        async with database.transaction(Context(statement_timeout_ms=50)) as session:
            await session.execute(text("select pg_sleep(5)"))
