"""Signing in: every refusal has an error code and an audit entry, and does not reveal who exists."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import jwt
import psycopg
import pytest
from argon2 import PasswordHasher
from redis import Redis
from sqlalchemy import event

from hashinsight.identity import passwords
from hashinsight.identity.passwords import hash_password, is_password
from hashinsight.kit.clock import system_clock
from tests.people import PASSWORD, People
from tests.virtual_clock import VirtualClock

Login = Callable[..., Awaitable[httpx.Response]]
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def clock(api: httpx.AsyncClient, people: People) -> VirtualClock:
    clock = VirtualClock(system_clock())
    api.app.state.clock = people.clock = clock  # type: ignore[attr-defined]
    return clock


@pytest.fixture
def login(api: httpx.AsyncClient) -> Login:
    async def sign_in(email: str, password: str = PASSWORD, **more: Any) -> httpx.Response:
        return await api.post("/api/v1/auth/login", json={"email": email, "password": password, **more})

    return sign_in


def audited(url: str, code: str | None = None, action: str | None = None) -> int:
    """The number of audit entries with this code and action."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "select count(*) from audit_log where (%(code)s::text is null or after ->> 'error_code' = %(code)s)"
            " and (%(action)s::text is null or action = %(action)s)",
            {"code": code, "action": action},
        ).fetchone()
    assert row is not None
    return int(row[0])


def bearer(answer: httpx.Response) -> dict[str, str]:
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


async def me(api: httpx.AsyncClient, headers: dict[str, str]) -> httpx.Response:
    return await api.get("/api/v1/auth/me", headers=headers)


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["error_code"]) == (status, code), answer.text


async def test_a_right_password_gives_tokens_and_an_audit_entry(
    api: httpx.AsyncClient, people: People, login: Login, superuser_url: str
) -> None:
    user_id, email = await people.user("NOC")
    answer = await login(email.upper())
    assert set(answer.json()) == {"access_token", "refresh_token", "expires_in"}
    caller = (await me(api, bearer(answer))).json()
    assert caller["actor"] == {"kind": "user", "id": str(user_id)}
    (grant,) = caller["grants"]
    whole = {"role": "NOC", "site_ids": None, "zone_ids": None, "group_ids": None, "touches": None}
    assert grant == whole | {"may": caller["may"]}
    assert audited(superuser_url, action="login") == 1


async def test_a_wrong_password_and_an_unknown_user_get_the_same_answer(
    people: People, login: Login, superuser_url: str
) -> None:
    _, email = await people.user()
    wrong, unknown = await login(email, "not the right one"), await login("nobody@example.com")
    refused(wrong, 401, "INVALID_CREDENTIALS")
    refused(unknown, 401, "INVALID_CREDENTIALS")
    assert wrong.json()["message"] == unknown.json()["message"]
    assert audited(superuser_url, "INVALID_CREDENTIALS") == 2


async def test_checking_an_unknown_user_costs_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio of CPU times in one run, at the real hashing cost."""
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher())
    monkeypatch.setattr(passwords, "_NOBODY", PasswordHasher().hash("nobody"))
    real = await hash_password("the password of somebody")

    async def spent(password_hash: str | None) -> float:
        samples = []
        for _ in range(9):
            began = time.process_time()
            assert not await is_password("wrong", password_hash)
            samples.append(time.process_time() - began)
        return sorted(samples)[4]

    assert passwords._NOBODY.split("$")[:4] == real.split("$")[:4], "the same parameters"
    ratio = await spent(real) / await spent(None)
    assert 0.4 < ratio < 2.5


async def test_a_refused_login_runs_the_same_statements_whether_the_user_exists_or_not(
    people: People, login: Login, api: httpx.AsyncClient
) -> None:
    _, email = await people.user()
    engine = api.app.state.database._engine.sync_engine  # type: ignore[attr-defined]
    ran: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda _c, _k, statement, *_: ran.append(statement))
    seen = []
    for who in (email, "nobody@example.com"):
        ran.clear()
        refused(await login(who, "not the right one"), 401, "INVALID_CREDENTIALS")
        seen.append(list(ran))
    assert seen[0] == seen[1]
    assert len(seen[0]) > 5


async def test_failures_slow_down_and_then_lock_known_and_unknown_accounts_alike(
    people: People, login: Login, clock: VirtualClock, superuser_url: str, redis_url: str
) -> None:
    _, email = await people.user()
    for who in (email, "nobody@example.com"):
        with Redis.from_url(redis_url) as redis:
            redis.flushdb()  # the limit by address is another door
        codes = []
        for _ in range(40):
            answer = await login(who, "not the right one")
            codes.append(answer.json()["error_code"])
            if codes[-1] == "LOGIN_SLOWED":
                clock.move_to(clock() + timedelta(seconds=int(answer.headers["retry-after"])))
            if codes[-1] == "LOGIN_LOCKED":
                break
        assert codes.count("INVALID_CREDENTIALS") == 10
        assert codes[:3] == ["INVALID_CREDENTIALS"] * 3
        assert "LOGIN_SLOWED" in codes
        assert codes[-1] == "LOGIN_LOCKED"
    refused(await login(email), 429, "LOGIN_LOCKED")
    assert audited(superuser_url, "LOGIN_LOCKED") == 3
    clock.move_to(clock() + timedelta(minutes=16))
    assert (await login(email)).status_code == 200


async def test_an_owner_unlocks_a_locked_user(
    api: httpx.AsyncClient, people: People, login: Login, clock: VirtualClock
) -> None:
    user_id, email = await people.user("NOC")
    for _ in range(10):
        await login(email, "not the right one")
        clock.move_to(clock() + timedelta(minutes=2))
    refused(await login(email), 429, "LOGIN_LOCKED")
    _, boss = await people.user("Owner")
    owner = bearer(await login(boss))
    assert (await api.post(f"/api/admin/v1/users/{user_id}/unlock", headers=owner)).status_code == 204
    assert (await login(email)).status_code == 200


async def test_using_a_refresh_token_twice_ends_the_session(
    api: httpx.AsyncClient, people: People, login: Login, superuser_url: str
) -> None:
    _, email = await people.user()
    first = (await login(email)).json()

    async def refresh(token: str) -> httpx.Response:
        return await api.post("/api/v1/auth/refresh", json={"refresh_token": token})

    second = await refresh(first["refresh_token"])
    assert second.status_code == 200
    refused(await refresh(first["refresh_token"]), 401, "REFRESH_REUSED")
    refused(await refresh(second.json()["refresh_token"]), 401, "SESSION_REVOKED")
    refused(await me(api, bearer(second)), 401, "SESSION_REVOKED")
    assert audited(superuser_url, "REFRESH_REUSED", "refresh_reused") == 1
    assert audited(superuser_url, "SESSION_REVOKED") == 2


async def test_of_concurrent_uses_of_a_refresh_token_only_one_succeeds(
    api: httpx.AsyncClient, people: People, login: Login
) -> None:
    _, email = await people.user()
    token = (await login(email)).json()["refresh_token"]
    answers = await asyncio.gather(*(api.post("/api/v1/auth/refresh", json={"refresh_token": token}) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]


async def test_expired_and_unknown_refresh_tokens_have_their_own_error_codes(
    api: httpx.AsyncClient, people: People, login: Login, clock: VirtualClock, superuser_url: str
) -> None:
    _, email = await people.user()
    token = (await login(email)).json()["refresh_token"]
    clock.move_to(clock() + timedelta(days=15))
    refused(await api.post("/api/v1/auth/refresh", json={"refresh_token": token}), 401, "REFRESH_EXPIRED")
    unknown = {"refresh_token": "hi_refresh_" + "x" * 43}
    refused(await api.post("/api/v1/auth/refresh", json=unknown), 401, "REFRESH_UNKNOWN")
    refused(await api.post("/api/v1/auth/refresh", json={}), 401, "REFRESH_UNKNOWN")
    assert audited(superuser_url, "REFRESH_EXPIRED") == 1
    assert audited(superuser_url, "REFRESH_UNKNOWN") == 1


async def test_a_session_expires_however_often_it_is_refreshed(
    api: httpx.AsyncClient, people: People, login: Login, clock: VirtualClock
) -> None:
    _, email = await people.user()
    token = (await login(email)).json()["refresh_token"]
    for _ in range(3):
        clock.move_to(clock() + timedelta(days=9))
        token = (await api.post("/api/v1/auth/refresh", json={"refresh_token": token})).json()["refresh_token"]
    clock.move_to(clock() + timedelta(days=9))
    refused(await api.post("/api/v1/auth/refresh", json={"refresh_token": token}), 401, "REFRESH_EXPIRED")


async def test_logout_ends_the_session_at_once(api: httpx.AsyncClient, people: People, login: Login) -> None:
    _, email = await people.user()
    tokens = await login(email)
    assert (await api.post("/api/v1/auth/logout", headers=bearer(tokens))).status_code == 204
    refused(await me(api, bearer(tokens)), 401, "SESSION_REVOKED")
    refresh = {"refresh_token": tokens.json()["refresh_token"]}
    refused(await api.post("/api/v1/auth/refresh", json=refresh), 401, "SESSION_REVOKED")


@pytest.mark.parametrize(
    "forge",
    [
        lambda token: token[:-4] + "AAAA",
        lambda token: jwt.encode(jwt.decode(token, options={"verify_signature": False}), "guessed" * 8, "HS256"),
        lambda token: jwt.encode(jwt.decode(token, options={"verify_signature": False}), "", "none"),
        lambda _token: "not-a-token",
        lambda _token: "a.b.c",
    ],
)
async def test_a_forged_token_is_refused_and_recorded(
    api: httpx.AsyncClient, people: People, login: Login, superuser_url: str, forge: Callable[[str], str]
) -> None:
    _, email = await people.user()
    token = (await login(email)).json()["access_token"]
    refused(await me(api, {"Authorization": f"Bearer {forge(token)}"}), 401, "TOKEN_INVALID")
    assert audited(superuser_url, "TOKEN_INVALID", "token_refused") == 1


async def test_an_expired_access_token_has_its_own_error_code(
    api: httpx.AsyncClient, people: People, login: Login, clock: VirtualClock
) -> None:
    _, email = await people.user()
    tokens = await login(email)
    clock.move_to(clock() + timedelta(minutes=16))
    refused(await me(api, bearer(tokens)), 401, "TOKEN_EXPIRED")


@pytest.mark.parametrize("how", ["deleted", "disabled"])
async def test_the_token_of_a_removed_user_is_refused_at_the_next_request(
    api: httpx.AsyncClient, people: People, login: Login, superuser_url: str, how: str
) -> None:
    user_id, email = await people.user("NOC")
    tokens = await login(email)
    owner = await people.headers("Owner")
    url = f"/api/admin/v1/users/{user_id}"
    if how == "deleted":
        assert (await api.delete(url, headers=owner)).status_code == 204
    else:
        assert (await api.patch(url, json={"state": "disabled"}, headers=owner)).status_code == 200
    refused(await me(api, bearer(tokens)), 401, "USER_NOT_ACTIVE")
    refused(await login(email), 401, "INVALID_CREDENTIALS")
    assert audited(superuser_url, "USER_NOT_ACTIVE") == 1


async def test_a_flood_of_forged_tokens_does_not_flood_the_audit_log(
    api: httpx.AsyncClient, superuser_url: str
) -> None:
    for _ in range(40):
        refused(await me(api, {"Authorization": "Bearer nonsense"}), 401, "TOKEN_INVALID")
    assert audited(superuser_url, "TOKEN_INVALID") == 10


@pytest.mark.usefixtures("endless_minute")
async def test_a_flood_of_invented_refresh_tokens_is_rate_limited(api: httpx.AsyncClient, superuser_url: str) -> None:
    for n in range(130):
        answer = await api.post("/api/v1/auth/refresh", json={"refresh_token": f"hi_refresh_{n}"})
    refused(answer, 429, "RATE_LIMITED")
    assert audited(superuser_url, "REFRESH_UNKNOWN") == 120


@pytest.mark.usefixtures("endless_minute")
async def test_a_flood_of_logins_is_rate_limited(login: Login) -> None:
    answers = [await login(f"nobody{n}@example.com", "x" * 20) for n in range(35)]
    assert {answer.json()["error_code"] for answer in answers[30:]} == {"RATE_LIMITED"}


@pytest.mark.parametrize(
    "body", [{}, {"email": "x"}, {"email": "a@b.c", "password": 5}, {"email": "a@b.c", "password": "x" * 300}, []]
)
async def test_a_malformed_login_is_refused_without_echoing_it(api: httpx.AsyncClient, body: Any) -> None:
    answer = await api.post("/api/v1/auth/login", json=body)
    refused(answer, 422, "VALIDATION_FAILED")
    assert "xxx" not in answer.text


async def test_a_password_with_invalid_characters_counts_as_wrong(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    """JSON allows half of a surrogate pair."""
    _, email = await people.user()
    body = f'{{"email": "{email}", "password": "a long enough \\ud800 phrase"}}'
    answers = [await api.post("/api/v1/auth/login", content=body, headers=JSON) for _ in range(5)]
    codes = [answer.json()["error_code"] for answer in answers]
    assert codes == ["INVALID_CREDENTIALS"] * 4 + ["LOGIN_SLOWED"]
    assert audited(superuser_url, "INVALID_CREDENTIALS", "login_refused") == 4


async def test_invalid_characters_are_refused_by_every_auth_route(api: httpx.AsyncClient, people: People) -> None:
    half, headers = "\\ud800", await people.headers("Owner") | JSON
    user_id, _ = await people.user("NOC")
    old = f'"old_password": "{PASSWORD}"'
    for url, body, status, code in (
        ("/api/v1/auth/login", f'{{"email": "a{half}@b.c", "password": "x"}}', 422, "VALIDATION_FAILED"),
        ("/api/v1/auth/refresh", f'{{"refresh_token": "{half}"}}', 401, "REFRESH_UNKNOWN"),
        ("/api/edge/v1/register", f'{{"enrolment_code": "{half}"}}', 401, "ENROLMENT_CODE_UNKNOWN"),
        ("/api/v1/auth/password", f'{{{old}, "new_password": "long enough {half}"}}', 422, "VALIDATION_FAILED"),
        ("/api/v1/auth/password", f'{{"old_password": "{half}", "new_password": "x"}}', 403, "INVALID_CREDENTIALS"),
        ("/api/v1/auth/step-up", f'{{"password": "{half}"}}', 403, "INVALID_CREDENTIALS"),
        ("/api/v1/auth/totp/begin", f'{{"password": "{half}"}}', 403, "INVALID_CREDENTIALS"),
        (f"/api/admin/v1/users/{user_id}/password", f'{{"new_password": "long enough {half}"}}', 422, None),
    ):
        answer = await api.post(url, content=body, headers=headers)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code or "VALIDATION_FAILED"), (url, body)
