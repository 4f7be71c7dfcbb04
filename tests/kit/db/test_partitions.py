import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db import partitions
from hashinsight.kit.db.context import Context, Role, job_context
from hashinsight.kit.db.database import Database

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)
SCHEMA = """
create table beats (tenant text not null, at timestamptz not null, n int not null, primary key (at, n))
    partition by range (at);
alter table beats owner to hi_owner;
alter table beats enable row level security;
alter table beats force row level security;
create policy app on beats to hi_app using (tenant = (select nullif(current_setting('app.tenant', true), '')));
create policy job on beats to hi_job using (true) with check (true);
grant select, insert on beats to hi_app;
grant select, insert, truncate on beats to hi_job;
create table untouchable (at timestamptz not null) partition by range (at);
alter table untouchable owner to hi_owner;
grant select, insert on untouchable to hi_job;
"""


@pytest.fixture(autouse=True)
def beats(superuser_url: str) -> Iterator[None]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute(SCHEMA)
        yield


async def children(database: Database, table: str = "beats") -> list[str]:
    query = text(
        "select inhrelid::regclass::text from pg_inherits where inhparent = cast(:table as regclass) order by 1"
    )
    async with database.transaction(job_context()) as session:
        return list((await session.execute(query, {"table": table})).scalars())


def test_partitions_begin_at_whole_steps_and_cover_both_ends() -> None:
    assert partitions.starts(NOON, NOON, DAY) == [MIDNIGHT]
    assert partitions.starts(NOON, NOON + DAY, DAY) == [MIDNIGHT, MIDNIGHT + DAY]
    assert partitions.starts(MIDNIGHT, MIDNIGHT + DAY, DAY) == [MIDNIGHT, MIDNIGHT + DAY]
    hour = timedelta(hours=1)
    assert partitions.starts(NOON, NOON + 2 * hour, hour) == [NOON, NOON + hour, NOON + 2 * hour]


async def test_missing_partitions_are_created_and_repeating_changes_nothing(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        assert await partitions.ensure(session, "beats", NOON, NOON + 2 * DAY, DAY) == 3
        assert await partitions.ensure(session, "beats", NOON, NOON + 3 * DAY, DAY) == 1
        assert await partitions.ensure(session, "beats", NOON, NOON + 3 * DAY, DAY) == 0
    assert await children(database) == [f"beats_2026030{day}t0000" for day in (1, 2, 3, 4)]


async def test_two_at_once_make_each_partition_once(database: Database) -> None:
    async def make() -> int:
        async with database.transaction(job_context()) as session:
            return await partitions.ensure(session, "beats", NOON, NOON + 4 * DAY, DAY)

    assert sum(await asyncio.gather(*(make() for _ in range(4)))) == 5
    assert len(await children(database)) == 5


async def test_only_partitions_entirely_before_the_limit_are_dropped(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await partitions.ensure(session, "beats", NOON, NOON + 3 * DAY, DAY)
        insert = text("insert into beats values ('a', :at, 1)")
        for day in range(4):
            await session.execute(insert, {"at": NOON + day * DAY})
    async with database.transaction(job_context()) as session:
        dropped = await partitions.drop_before(session, "beats", MIDNIGHT + 2 * DAY - timedelta(seconds=1))
        assert list(dropped) == ["beats_20260301t0000"]
        dropped = await partitions.drop_before(session, "beats", MIDNIGHT + 2 * DAY)
        assert list(dropped) == ["beats_20260302t0000"]
        left = (await session.execute(text("select at from beats order by at"))).scalars().all()
    assert left == [NOON + 2 * DAY, NOON + 3 * DAY]


async def test_policies_hold_through_the_table_and_partitions_give_nothing_directly(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await partitions.ensure(session, "beats", NOON, NOON, DAY)
        await session.execute(text("insert into beats values ('a', :at, 1), ('b', :at, 2)"), {"at": NOON})
    async with database.transaction(Context(tenant="a")) as session:
        assert (await session.execute(text("select n from beats"))).scalars().all() == [1]
    for context in (Context(tenant="a"), job_context()):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with database.transaction(context) as session:
                await session.execute(text("select n from beats_20260301t0000"))
    async with database.transaction(Context(Role.OWNER)) as session:
        assert (await session.execute(text("select n from beats_20260301t0000"))).all() == []


async def test_a_role_drops_only_where_it_may_truncate_and_creates_only_where_it_may_insert(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        assert await partitions.ensure(session, "untouchable", NOON, NOON, DAY) == 1
    with pytest.raises(DBAPIError, match="may not truncate the table untouchable"):
        async with database.transaction(job_context()) as session:
            await partitions.drop_before(session, "untouchable", NOON + 9 * DAY)
    with pytest.raises(DBAPIError, match="may not insert the table untouchable"):
        async with database.transaction(Context()) as session:
            await partitions.ensure(session, "untouchable", NOON, NOON, DAY)
    with pytest.raises(DBAPIError, match="permission denied"):
        async with database.transaction(Context()) as session:
            await partitions.drop_before(session, "beats", NOON)


@pytest.mark.parametrize("table", ["users", "no_such_table", "beats; drop table beats", 'beats"'])
async def test_anything_but_a_partitioned_table_is_refused(database: Database, table: str) -> None:
    with pytest.raises(DBAPIError, match="no partitioned table"):
        async with database.transaction(job_context()) as session:
            await partitions.ensure(session, table, NOON, NOON, DAY)


async def test_writers_of_the_table_go_on_while_a_partition_is_made(database: Database) -> None:
    async with database.transaction(job_context()) as session:
        await partitions.ensure(session, "beats", NOON, NOON, DAY)
    async with database.transaction(job_context()) as writer, database.transaction(job_context()) as maker:
        await writer.execute(text("insert into beats values ('a', :at, 1)"), {"at": NOON})
        assert await partitions.ensure(maker, "beats", NOON + DAY, NOON + DAY, DAY) == 1
