"""Committed before the answer: when the commit fails, no caller gets a 200, by whichever session a route takes."""

from typing import Any, cast

import httpx
import psycopg
import pytest
from fastapi import APIRouter, FastAPI
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.access import EdgeSession
from hashinsight.identity.access import EnrolSession, ReadSession, Session
from hashinsight.kit.db.database import Database
from tests.collectors.collector_site import CollectorSite, bearer
from tests.people import People

router = APIRouter()
SESSIONS = {"person": Session, "enrolling": EnrolSession, "collector": EdgeSession}


async def insert_child(session: AsyncSession, parent: int) -> dict[str, bool]:
    await session.execute(text("insert into children values (:parent)"), {"parent": parent})
    return {"stored": True}


async def lose_connection(session: AsyncSession) -> dict[str, bool]:
    """The server loses this connection after the work and before the commit."""
    await session.execute(text("insert into children values (1)"))
    pid = (await session.execute(text("select pg_backend_pid()"))).scalar()
    url = (await session.execute(text("select url from superuser"))).scalar()
    with psycopg.connect(str(url), autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(%s, 5000)", [pid])
    return {"stored": True}


def add_routes(kind: str, session_type: Any) -> None:
    @router.post(f"/{kind}/write/{{parent}}")
    async def write(session: session_type, parent: int) -> dict[str, bool]:
        return await insert_child(session, parent)

    @router.post(f"/{kind}/cut")
    async def cut(session: session_type) -> dict[str, bool]:
        return await lose_connection(session)


for _kind, _session in SESSIONS.items():
    add_routes(_kind, _session)


@router.get("/sleep")
async def sleep(session: ReadSession) -> None:
    await session.execute(text("set local statement_timeout = 50"))
    await session.execute(text("select pg_sleep(5)"))


@pytest.fixture
async def site(api: httpx.AsyncClient, people: People, database: Database, superuser_url: str) -> CollectorSite:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("""
            create table parents (id int primary key);
            create table children (parent int references parents deferrable initially deferred);
            insert into parents values (1);
            create table superuser (url text);
            grant select, insert on parents, children, superuser to hi_app;
        """)
        connection.execute("insert into superuser values (%s)", [superuser_url])
    app = cast("FastAPI", api.app)  # type: ignore[attr-defined] # the fixture sets it
    app.include_router(router)
    site = CollectorSite(api, app, people, database)
    await site.open()
    return site


async def headers_of(site: CollectorSite, kind: str) -> dict[str, str]:
    return bearer((await site.collector())[1]) if kind == "collector" else site.owner


def stored(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select count(*) from children").fetchone()
        assert row is not None
        return int(row[0])


@pytest.mark.parametrize("kind", SESSIONS)
async def test_when_the_commit_fails_the_caller_gets_a_500_and_nothing_is_stored(
    site: CollectorSite, superuser_url: str, kind: str
) -> None:
    headers = await headers_of(site, kind)
    answer = await site.api.post(f"/{kind}/write/99", headers=headers)
    assert (answer.status_code, answer.json()["error_code"]) == (500, "INTERNAL_ERROR")
    assert stored(superuser_url) == 0
    answer = await site.api.post(f"/{kind}/write/1", headers=headers)
    assert (answer.status_code, stored(superuser_url)) == (200, 1), "and what was answered 200 is committed"


@pytest.mark.parametrize("kind", SESSIONS)
async def test_when_the_connection_is_lost_before_the_commit_the_caller_gets_a_503_with_a_time_to_retry(
    site: CollectorSite, superuser_url: str, kind: str
) -> None:
    headers = await headers_of(site, kind)
    answer = await site.api.post(f"/{kind}/cut", headers=headers)
    assert (answer.status_code, answer.json()["error_code"]) == (503, "DATABASE_UNAVAILABLE")
    assert answer.headers["retry-after"] == "5"
    assert stored(superuser_url) == 0
    assert (await site.api.post(f"/{kind}/write/1", headers=headers)).status_code == 200, "the pool has recovered"


async def test_a_statement_that_takes_too_long_is_answered_as_such(site: CollectorSite) -> None:
    answer = await site.api.get("/sleep", headers=site.owner)
    assert (answer.status_code, answer.json()["error_code"]) == (503, "TIMED_OUT")
