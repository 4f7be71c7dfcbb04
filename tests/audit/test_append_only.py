"""The audit log is append-only for everybody."""

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
async def test_a_trigger_blocks_changes_even_by_a_superuser(people: People, superuser_url: str, statement: str) -> None:
    await people.tenant_id()
    with psycopg.connect(superuser_url) as connection, pytest.raises(errors.RaiseException, match="append-only"):
        connection.execute(statement)


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("context", [Context(), job_context()], ids=["app", "job"])
async def test_database_roles_have_no_permission_to_change_entries(
    database: Database, statement: str, context: Context
) -> None:
    with pytest.raises(DBAPIError, match="permission denied"):
        async with database.transaction(context) as session:
            await session.execute(text(statement))


async def test_an_entry_is_rolled_back_with_its_transaction(database: Database, superuser_url: str) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction(job_context()) as session:
            await record(session, SYSTEM, Action.LOGIN, "user", tenant_id=None, now=system_clock())
            raise RuntimeError
    with psycopg.connect(superuser_url) as connection:
        assert connection.execute("select count(*) from audit_log").fetchone() == (0,)


async def test_a_tenant_reads_only_its_own_entries(database: Database, people: People) -> None:
    ours, theirs = await people.tenant_id("a"), await people.tenant_id("b")
    for tenant in (ours, theirs):
        async with database.transaction(Context(tenant=str(tenant))) as session:
            tenants = (await session.execute(text("select distinct tenant_id from audit_log"))).scalars().all()
        assert tenants == [tenant]
    async with database.transaction(Context()) as session:
        assert (await session.execute(text("select count(*) from audit_log"))).scalar() == 0


async def test_changes_of_users_are_recorded_with_the_request_id(
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
