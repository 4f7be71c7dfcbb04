"""The record can be added to, and nothing else, by nobody."""

import httpx
import psycopg
import pytest
from psycopg import errors
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.service.entries import record
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import Context, job_context
from hashinsight.kit.db.database import Database
from tests.people import People

CHANGES = ["update audit_log set action = 'x'", "delete from audit_log", "truncate audit_log"]


@pytest.mark.parametrize("statement", CHANGES)
async def test_even_the_superuser_is_refused_by_the_table_itself(
    people: People, superuser_url: str, statement: str
) -> None:
    await people.tenant_id()
    with psycopg.connect(superuser_url) as connection, pytest.raises(errors.RaiseException, match="append-only"):
        connection.execute(statement)


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("context", [Context(), job_context()], ids=["app", "job"])
async def test_the_roles_have_no_right_to_it_in_the_first_place(
    database: Database, statement: str, context: Context
) -> None:
    with pytest.raises(DBAPIError, match="permission denied"):
        async with database.transaction(context) as session:
            await session.execute(text(statement))


async def test_an_entry_goes_with_the_transaction_of_what_it_records(database: Database, superuser_url: str) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction(job_context()) as session:
            await record(session, SYSTEM, Action.LOGIN, "user", tenant_id=None, now=system_clock())
            raise RuntimeError
    with psycopg.connect(superuser_url) as connection:
        assert connection.execute("select count(*) from audit_log").fetchone() == (0,)


async def test_a_tenant_reads_its_own_entries_and_nobody_elses(database: Database, people: People) -> None:
    one, two = await people.tenant_id("a"), await people.tenant_id("b")
    for tenant in (one, two):
        async with database.transaction(Context(tenant=str(tenant))) as session:
            found = (await session.execute(text("select distinct tenant_id from audit_log"))).scalars().all()
        assert found == [tenant]
    async with database.transaction(Context()) as session:
        assert (await session.execute(text("select count(*) from audit_log"))).scalar() == 0


async def test_every_write_of_identity_leaves_an_entry_with_the_request_behind_it(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    owner = await people.headers("Owner")
    body = {"email": "x@example.com", "password": "a long enough phrase", "role": "NOC"}
    answer = await api.post("/api/admin/v1/users", json=body, headers=owner | {"X-Request-ID": "find-me-again"})
    assert answer.status_code == 201
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute(
            "select action, actor_kind, after from audit_log where request_id = 'find-me-again' order by id"
        ).fetchall()
    assert [row[0] for row in rows] == ["user_created", "grant_created"]
    assert {row[1] for row in rows} == {"user"}
    assert "a long enough phrase" not in str(rows)
