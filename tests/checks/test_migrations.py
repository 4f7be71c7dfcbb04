"""The migrations: they match the models, wait for no lock for long, and can be run by several at once."""

import asyncio
import re
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Column, Integer, MetaData, NullPool, Table, create_engine, text

from hashinsight.cli.migrate import all_tables
from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress, address_of_socket
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.errors import OperatorError
from hashinsight.migrations import current_revision, head_revision, upgrade
from hashinsight.migrations.runner import config, list_differences, run_as_owner

VERSIONS = Path(__file__).parents[2] / "src" / "hashinsight" / "migrations" / "versions"


async def test_the_migrated_database_equals_the_models(admin_of_test: DatabaseAddress) -> None:
    assert len(all_tables().tables) >= 2
    assert await list_differences(admin_of_test, all_tables()) == []


async def test_a_table_or_column_that_no_migration_makes_is_noticed(
    admin_of_test: DatabaseAddress, superuser_url: str
) -> None:
    more = MetaData(naming_convention=all_tables().naming_convention)
    for table in all_tables().tables.values():
        table.to_metadata(more)
    Table("forgotten", more, Column("id", Integer, primary_key=True))
    (missing,) = await list_differences(admin_of_test, more)
    assert "forgotten" in missing
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("alter table tick_runs add column smuggled int")
    (extra,) = await list_differences(admin_of_test, all_tables())
    assert "smuggled" in extra


def test_the_head_that_every_process_reads_off_the_file_names_is_alembics_own() -> None:
    assert head_revision() == ScriptDirectory.from_config(config()).get_current_head()


SHAPE = """
select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid <> 0
    and not exists (select 1 from pg_class c where c.oid = conrelid and c.relispartition)
union all
select 'index', tablename, indexname, indexdef from pg_indexes i where schemaname = 'public'
    and not exists (select 1 from pg_class c where c.relname = i.tablename and c.relispartition)
union all
select 'column', table_name, column_name,
    concat_ws(' ', data_type, is_nullable, coalesce(column_default, ''), is_identity)
from information_schema.columns k where table_schema = 'public'
    and not exists (select 1 from pg_class c where c.relname = k.table_name and (c.relispartition or c.relkind = 'v'))
"""


def shape(url: str) -> set[tuple[str, ...]]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(SHAPE).fetchall()
    return {tuple(map(str, row)) for row in rows if row[1] != "alembic_version"}


def test_constraints_indexes_and_columns_are_the_models_own_to_the_letter(
    admin: psycopg.Connection, folder: DataFolder, database_name: str, superuser_url: str
) -> None:
    """Alembic's comparison passes over checks, predicates and keys: make the tables from the models and compare."""
    name = f"{database_name}_models"
    admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    try:
        address = address_of_socket(folder.sockets, name, "postgres")
        engine = create_engine(address.sqlalchemy, poolclass=NullPool)
        all_tables().create_all(engine)
        made = shape(address.libpq)
    finally:
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
    migrated = shape(superuser_url)
    assert made - migrated == set(), "the models say it, no migration made it"
    assert migrated - made == set(), "a migration made it, no model says it"
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("alter table tick_runs drop constraint ck_tick_runs_state")
    assert {row[2] for row in made - shape(superuser_url)} == {"ck_tick_runs_state"}, "and it notices a difference"


@pytest.mark.parametrize("file", sorted(VERSIONS.glob("*.py")), ids=lambda file: file.stem)
def test_every_migration_sets_a_lock_timeout_before_anything_else(file: Path) -> None:
    for name in ("upgrade", "downgrade"):
        body = file.read_text().split(f"def {name}() -> None:\n", 1)[1].split("\ndef ", 1)[0]
        first = next(line for line in body.splitlines() if line.strip() and not line.strip().startswith("#"))
        assert re.match(r"\s+op\.execute\(\"set local lock_timeout = '\d+s'\"\)", first), f"{file.stem}.{name}"


async def test_downgrading_and_upgrading_again_works(admin_of_test: DatabaseAddress) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "base"))
    await upgrade(admin_of_test, login=LOGIN_ROLE)
    assert await list_differences(admin_of_test, all_tables()) == []


async def test_a_blocking_lock_is_waited_for_in_small_steps_and_then_reported(
    admin_of_test: DatabaseAddress, superuser_url: str, database: Database
) -> None:
    await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
    with psycopg.connect(superuser_url) as holder:
        holder.execute("lock table alembic_version in access exclusive mode")

        async def release() -> None:
            await asyncio.sleep(4)
            holder.rollback()

        releasing = asyncio.create_task(release())
        await upgrade(admin_of_test, login=LOGIN_ROLE, pause_sec=0.1)
        await releasing
        async with database.transaction(job_context()) as session:
            assert await current_revision(session) == head_revision()
        await run_as_owner(admin_of_test, lambda connection: command.downgrade(config(connection), "-1"))
        holder.execute("lock table alembic_version in access exclusive mode")
        with pytest.raises(OperatorError, match="could not lock"):
            await upgrade(admin_of_test, login=LOGIN_ROLE, lock_tries=1, pause_sec=0.1)
        holder.rollback()


async def test_several_that_migrate_an_empty_database_at_once_take_turns(
    admin: psycopg.Connection, folder: DataFolder, database_name: str
) -> None:
    name = f"{database_name}_empty"
    admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    try:
        address = address_of_socket(folder.sockets, name, "postgres")
        await asyncio.gather(*(upgrade(address, login=LOGIN_ROLE) for _ in range(4)))
        database = Database(address_of_socket(folder.sockets, name))
        async with database.transaction(Context()) as session:
            assert (await session.execute(text("select version_num from alembic_version"))).scalar() == head_revision()
        await database.dispose()
    finally:
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
