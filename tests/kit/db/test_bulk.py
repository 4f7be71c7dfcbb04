"""Bulk writes and Arrow reads on the real roles, with row-level security on."""

from collections.abc import Iterator
from datetime import UTC, datetime

import polars as pl
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Column, DateTime, Float, Integer, MetaData, Table, Text
from sqlalchemy.exc import DBAPIError

from hashinsight.kit.db.bulk import copy_into
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
A = Context(tenant="a")
SAMPLES = Table(
    "samples",
    MetaData(),
    Column("tenant", Text),
    Column("no", Integer),
    Column("ts", DateTime(timezone=True)),
    Column("value", Float),
    Column("note", Text),
)


@pytest.fixture(autouse=True)
def samples(superuser_url: str) -> Iterator[None]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("""
            create table samples (tenant text not null, no int not null, ts timestamptz not null,
                value double precision, note text, primary key (tenant, no, ts));
            alter table samples owner to hi_owner;
            alter table samples enable row level security;
            alter table samples force row level security;
            create policy app on samples to hi_app
                using (tenant = (select nullif(current_setting('app.tenant', true), '')));
            grant select, insert, update on samples to hi_app;
        """)
        yield


def frame(count: int, *, tenant: str = "a", value: float = 1.5) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "tenant": [tenant] * count,
            "no": list(range(count)),
            "ts": [NOON] * count,
            "value": [value] * count,
            "note": ["plain"] * count,
        },
        schema_overrides={"no": pl.Int32},
    )


async def read(database: Database) -> pl.DataFrame:
    return await database.frame(A, sql.SQL("select no, ts, value, note from samples order by no"))


async def test_copied_columns_are_read_back_unchanged(database: Database) -> None:
    odd = pl.DataFrame(
        {
            "tenant": ["a"] * 5,
            "no": [0, 1, 2, 3, 4],
            "ts": [NOON] * 5,
            "value": [None, float("nan"), float("inf"), -0.1, 1e300],
            "note": [None, "", 'quote " comma , line\nbreak', "汉字 \\N \\. %s", "\t tab"],
        }
    )
    async with database.transaction(A) as session:
        assert await copy_into(session, SAMPLES, odd) == 5
    back = await read(database)
    assert back["note"].to_list() == odd["note"].to_list()
    assert back["value"].equals(odd["value"])
    assert back["ts"].to_list() == [NOON] * 5


async def test_rows_that_are_there_already_stay_or_are_updated_as_asked(database: Database) -> None:
    key = ["tenant", "no", "ts"]
    async with database.transaction(A) as session:
        await copy_into(session, SAMPLES, frame(3))
        assert await copy_into(session, SAMPLES, frame(5, value=9.0), conflict=key) == 2
    assert (await read(database))["value"].to_list() == [1.5, 1.5, 1.5, 9.0, 9.0]
    async with database.transaction(A) as session:
        assert await copy_into(session, SAMPLES, frame(5, value=7.0), conflict=key, update=["value"]) == 5
    assert (await read(database))["value"].to_list() == [7.0] * 5


async def test_a_copy_is_part_of_the_callers_transaction(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction(A) as session:
            await copy_into(session, SAMPLES, frame(100))
            raise RuntimeError
    assert (await read(database)).is_empty()


async def test_policies_hold_for_bulk_writes_and_for_arrow_reads(database: Database) -> None:
    with pytest.raises((DBAPIError, psycopg.Error), match="row-level security"):
        async with database.transaction(A) as session:
            await copy_into(session, SAMPLES, frame(1, tenant="b"))
    async with database.transaction(A) as session:
        await copy_into(session, SAMPLES, frame(10))
    query = sql.SQL("select * from samples")
    assert (await database.frame(Context(tenant="b"), query)).height == 0
    assert (await database.frame(Context(), query)).height == 0
    assert (await database.frame(A, query)).height == 10


async def test_more_rows_than_one_chunk_arrive_whole_and_in_order(database: Database) -> None:
    async with database.transaction(A) as session:
        assert await copy_into(session, SAMPLES, frame(120_001)) == 120_001
    back = await read(database)
    assert back["no"].to_list() == list(range(120_001))


async def test_an_empty_frame_costs_nothing(database: Database) -> None:
    async with database.transaction(A) as session:
        assert await copy_into(session, SAMPLES, frame(0)) == 0


async def test_literals_in_an_arrow_read_are_quoted(database: Database) -> None:
    hostile = "x'; drop table samples; --"
    query = sql.SQL("select {}::text as said").format(sql.Literal(hostile))
    assert (await database.frame(A, query))["said"].to_list() == [hostile]
