"""Committed before the answer: when the commit fails, the client must not hear 200."""

from collections.abc import AsyncIterator

import httpx
import psycopg
import pytest
from fastapi import APIRouter
from sqlalchemy import text

from hashinsight.app import create_app
from hashinsight.kit.settings import Settings
from hashinsight.kit.web.state import ReadSession, Session

router = APIRouter()


@router.post("/write/{value}")
async def write(session: Session, value: int) -> dict[str, bool]:
    await session.execute(text("insert into children values (:value)"), {"value": value})
    return {"stored": True}


@router.post("/cut")
async def cut(session: Session) -> dict[str, bool]:
    """The server loses this connection after the work and before the commit."""
    await session.execute(text("insert into children values (1)"))
    pid = (await session.execute(text("select pg_backend_pid()"))).scalar()
    url = (await session.execute(text("select url from superuser"))).scalar()
    with psycopg.connect(str(url), autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(%s, 5000)", [pid])
    return {"stored": True}


@router.get("/sleep")
async def sleep(session: ReadSession) -> None:
    await session.execute(text("set local statement_timeout = 50"))
    await session.execute(text("select pg_sleep(5)"))


@pytest.fixture
async def api(settings: Settings, superuser_url: str) -> AsyncIterator[httpx.AsyncClient]:
    with psycopg.connect(superuser_url, autocommit=True) as connection:
        connection.execute("""
            create table parents (id int primary key);
            create table children (parent int references parents deferrable initially deferred);
            insert into parents values (1);
            create table superuser (url text);
            grant select, insert on parents, children, superuser to hi_app;
        """)
        connection.execute("insert into superuser values (%s)", [superuser_url])
    app = create_app(settings)
    app.include_router(router)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://test") as api:
        yield api


def stored(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("select count(*) from children").fetchone()
        assert row is not None
        return int(row[0])


async def test_what_was_answered_200_is_committed(api: httpx.AsyncClient, superuser_url: str) -> None:
    answer = await api.post("/write/1")
    assert answer.status_code == 200
    assert stored(superuser_url) == 1


async def test_when_the_commit_fails_the_client_gets_a_5xx_and_nothing_is_stored(
    api: httpx.AsyncClient, superuser_url: str
) -> None:
    answer = await api.post("/write/99")
    assert answer.status_code == 500
    assert answer.json()["error_code"] == "INTERNAL_ERROR"
    assert stored(superuser_url) == 0


async def test_when_the_connection_is_lost_before_the_commit_the_client_gets_503_and_when_to_try_again(
    api: httpx.AsyncClient, superuser_url: str
) -> None:
    answer = await api.post("/cut")
    assert answer.status_code == 503
    assert answer.json()["error_code"] == "DATABASE_UNAVAILABLE"
    assert answer.headers["retry-after"] == "5"
    assert stored(superuser_url) == 0
    assert (await api.post("/write/1")).status_code == 200, "the pool has recovered by itself"


async def test_a_statement_that_takes_too_long_is_told_as_such(api: httpx.AsyncClient) -> None:
    answer = await api.get("/sleep")
    assert (answer.status_code, answer.json()["error_code"]) == (503, "TIMED_OUT")
