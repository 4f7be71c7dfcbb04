"""Authentication of requests: expired keys and sessions, and the last use of a key."""

from datetime import datetime, timedelta
from typing import Any

import httpx
import psycopg
import pytest

from hashinsight.identity.tokens import AccessToken, read_access, sign_access
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection
from tests.people import People
from tests.virtual_clock import VirtualClock


@pytest.fixture
def clock(api: httpx.AsyncClient, people: People) -> VirtualClock:
    clock = VirtualClock(system_clock())
    api.app.state.clock = people.clock = clock  # type: ignore[attr-defined]
    return clock


async def _key(api: httpx.AsyncClient, people: People, **more: Any) -> dict[str, str]:
    owner = await people.headers()
    made = await api.post("/api/admin/v1/api-keys", json={"name": "k", "role": "Owner", **more}, headers=owner)
    return {"X-API-Key": made.json()["key"]}


async def _code(api: httpx.AsyncClient, headers: dict[str, str]) -> str | None:
    answer = await api.get("/api/admin/v1/users", headers=headers)
    return None if answer.status_code == 200 else answer.json()["error_code"]


async def test_an_api_key_works_until_it_expires(api: httpx.AsyncClient, people: People, clock: VirtualClock) -> None:
    end = clock() + timedelta(hours=1)
    key = await _key(api, people, expires_at=end.isoformat())
    clock.move_to(end - timedelta(seconds=1))
    assert await _code(api, key) is None
    clock.move_to(end)
    assert await _code(api, key) == "API_KEY_INVALID"


async def test_the_last_use_of_a_key_is_noted_once_a_minute_and_not_when_refused(
    api: httpx.AsyncClient, people: People, clock: VirtualClock, superuser_url: str
) -> None:
    key = await _key(api, people)
    began = clock()
    seen: list[datetime] = []
    for seconds in (0, 30, 61, 90):
        clock.move_to(began + timedelta(seconds=seconds))
        assert await _code(api, key) is None
        seen.append(_last_used(superuser_url))
    assert seen == [began, began, began + timedelta(seconds=61), began + timedelta(seconds=61)]
    with psycopg.connect(superuser_url) as connection:
        connection.execute("update api_keys set revoked_at = now()")
    clock.move_to(began + timedelta(hours=1))
    assert await _code(api, key) == "API_KEY_INVALID"
    assert _last_used(superuser_url) == seen[-1]


def _last_used(url: str) -> datetime:
    with psycopg.connect(url, options="-c timezone=UTC") as connection:
        row = connection.execute("select last_used_at from api_keys").fetchone()
    assert row is not None
    used: datetime = row[0]
    return used


async def test_expired_and_unknown_sessions_are_refused(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    headers = await people.headers()
    assert await _code(api, headers) is None
    with psycopg.connect(superuser_url) as connection:
        connection.execute("update login_sessions set expires_at = now() - interval '1 second'")
    assert await _code(api, headers) == "SESSION_REVOKED"
    with psycopg.connect(superuser_url) as connection:
        connection.execute("delete from refresh_tokens")
        connection.execute("delete from login_sessions")
    assert await _code(api, headers) == "SESSION_REVOKED"


async def test_a_signed_token_for_the_wrong_tenant_is_refused(
    api: httpx.AsyncClient, people: People, database: Database
) -> None:
    vault, now = api.app.state.vault, system_clock()  # type: ignore[attr-defined]
    own = read_access(vault, (await people.headers())["Authorization"].split()[1], now=now)
    assert own is not None
    other = AccessToken(await people.tenant_id("b"), own.user_id, own.session_id)
    forged = {"Authorization": f"Bearer {sign_access(vault, other, now=now)}"}
    assert await _code(api, forged) == "USER_NOT_ACTIVE"
    async with database.hot() as session:
        result = await (await driver_connection(session)).execute("select current_setting('app.tenant', true)")
        assert await result.fetchone() in [("",), (None,)], "nothing of the last caller is left"
