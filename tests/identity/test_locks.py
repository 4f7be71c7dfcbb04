"""Guessing is locked without locking the owner of the account out."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import httpx
import psycopg
import pytest

from hashinsight.audit.actions import Actor, ActorKind
from hashinsight.identity import passwords
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.service.login import Credentials, Tokens, login
from hashinsight.identity.throttle import FROM_EVERYWHERE, FROM_NETWORK, PROOFS, Failures
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.networks import network_of
from hashinsight.kit.secret_key import load_secret_key
from hashinsight.kit.settings import Settings
from tests.identity.test_login import audited, bearer, clock, refused
from tests.identity.test_second_factor import Phone, phone
from tests.installation import HANG_TIMEOUT_SEC
from tests.lock_waits import wait_until_blocked
from tests.people import PASSWORD, People
from tests.virtual_clock import VirtualClock

__all__ = ["clock", "phone"]
From = Callable[[str], httpx.AsyncClient]
STRANGER, HOME, HOTEL = "203.0.113.7", "198.51.100.20", "192.0.2.44"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def coming_from(api: httpx.AsyncClient) -> AsyncIterator[From]:
    """Clients of the one application, each with an address of its own."""
    clients: list[httpx.AsyncClient] = []

    def client(address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(api.app, client=(address, 5000))  # type: ignore[attr-defined]
        clients.append(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1"))
        return clients[-1]

    yield client
    for opened in clients:
        await opened.aclose()


@contextmanager
def no_hashing() -> Iterator[None]:
    """Password hashing blocks until the block ends."""
    for _ in range(4):
        assert passwords._hashing.acquire(timeout=HANG_TIMEOUT_SEC)
    try:
        yield
    finally:
        passwords._hashing.release(4)


async def sign_in(client: httpx.AsyncClient, email: str, password: str = PASSWORD) -> httpx.Response:
    return await client.post("/api/v1/auth/login", json={"email": email, "password": password})


async def guess(client: httpx.AsyncClient, email: str, clock: VirtualClock, times: int) -> list[str]:
    """Wrong passwords, each as soon as the throttle allows."""
    codes = []
    for _ in range(times):
        answer = await sign_in(client, email, "not the right one")
        codes.append(answer.json()["error_code"])
        if codes[-1] == "LOGIN_SLOWED":
            clock.move_to(clock() + timedelta(seconds=int(answer.headers["retry-after"])))
    return codes


async def test_guessing_from_another_network_does_not_lock_the_owner_out(
    coming_from: From, people: People, clock: VirtualClock, superuser_url: str
) -> None:
    _, email = await people.user("NOC")
    stranger = coming_from(STRANGER)
    assert (await guess(stranger, email, clock, 20))[-1] == "LOGIN_LOCKED"
    refused(await sign_in(stranger, email), 429, "LOGIN_LOCKED")
    assert (await sign_in(coming_from(HOME), email)).status_code == 200
    assert (await sign_in(coming_from(HOTEL), email)).status_code == 200, "from a network that is new, too"
    refused(await sign_in(stranger, email), 429, "LOGIN_LOCKED")
    assert audited(superuser_url, "LOGIN_LOCKED") >= 2


async def test_a_flood_from_many_networks_does_not_slow_down_known_networks(
    coming_from: From, people: People, clock: VirtualClock
) -> None:
    _, email = await people.user("NOC")
    home = coming_from(HOME)
    assert (await sign_in(home, email)).status_code == 200
    codes = [(await guess(coming_from(f"203.0.113.{number}"), email, clock, 1))[0] for number in range(1, 60)]
    assert codes[:20] == ["INVALID_CREDENTIALS"] * 20
    assert codes.count("LOGIN_SLOWED") > 10
    slowed = await sign_in(coming_from(HOTEL), email)
    if slowed.status_code == 429:
        assert int(slowed.headers["retry-after"]) <= 31, "never a lock"
        clock.move_to(clock() + timedelta(seconds=int(slowed.headers["retry-after"])))
        assert (await sign_in(coming_from(HOTEL), email)).status_code == 200
    await guess(coming_from("203.0.113.99"), email, clock, 1)
    assert (await sign_in(home, email)).status_code == 200


async def test_concurrent_password_guesses_are_all_counted(
    api: httpx.AsyncClient, people: People, clock: VirtualClock
) -> None:
    _, email = await people.user("NOC")
    answers = await asyncio.gather(*(sign_in(api, email, "not the right one") for _ in range(20)))
    codes = [answer.json()["error_code"] for answer in answers]
    assert codes.count("INVALID_CREDENTIALS") == 4, "three are free, and the fourth begins the wait"
    clock.move_to(clock() + timedelta(seconds=2))
    assert (await sign_in(api, email)).status_code == 200


async def test_concurrent_code_guesses_are_all_counted(phone: Phone) -> None:
    headers = bearer(await phone.login(phone.next_code()))

    async def attempt() -> str:
        answer = await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=headers)
        return str(answer.json()["error_code"])

    codes = await asyncio.gather(*(attempt() for _ in range(12)))
    assert codes.count("TOTP_WRONG") == 5
    assert codes.count("TOTP_LOCKED") == 7


async def test_five_wrong_codes_lock_the_step_up_but_not_the_login(phone: Phone, superuser_url: str) -> None:
    headers = bearer(await phone.login(phone.next_code()))
    for _ in range(5):
        wrong = await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=headers)
        refused(wrong, 401, "TOTP_WRONG")
    phone.clock.move_to(phone.clock() + timedelta(minutes=2))
    locked = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.code()}, headers=headers)
    refused(locked, 429, "TOTP_LOCKED")
    assert int(locked.headers["retry-after"]) > 10 * 60
    assert audited(superuser_url, "TOTP_LOCKED", "step_up_refused") == 1
    assert (await phone.login(phone.code())).status_code == 200


async def test_guessing_recovery_codes_is_locked_too(phone: Phone) -> None:
    headers = bearer(await phone.login(phone.next_code()))
    codes = []
    for _ in range(6):
        answer = await phone.api.post("/api/v1/auth/step-up", json={"code": "AAAAA-BBBBB"}, headers=headers)
        codes.append(answer.json()["error_code"])
    assert codes == ["TOTP_WRONG"] * 5 + ["TOTP_LOCKED"]


async def test_an_owner_unlocks_all_counters_of_an_account(
    phone: Phone, people: People, clock: VirtualClock, superuser_url: str
) -> None:
    headers = bearer(await phone.login(phone.next_code()))
    user_id = (await phone.api.get("/api/v1/auth/me", headers=headers)).json()["actor"]["id"]
    for _ in range(5):
        await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=headers)
        await phone.login("000000")
    refused(await phone.login(phone.next_code()), 429, "TOTP_LOCKED")
    people.clock = clock
    owner = await people.headers("Owner")
    assert (await phone.api.post(f"/api/admin/v1/users/{user_id}/unlock", headers=owner)).status_code == 204
    assert (await phone.login(phone.code())).status_code == 200
    up = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=headers)
    assert up.status_code == 200, up.text
    with psycopg.connect(superuser_url) as connection:
        left = connection.execute("select count(*) from login_failures where blocked_until is not null").fetchone()
    assert left == (0,)


async def test_guessing_the_password_in_a_stolen_session_is_locked(api: httpx.AsyncClient, people: People) -> None:
    headers = await people.headers("NOC")
    codes = []
    for number in range(7):
        if number % 2:
            answer = await api.post("/api/v1/auth/step-up", json={"password": "some guess at it"}, headers=headers)
        else:
            answer = await api.post("/api/v1/auth/totp/begin", json={"password": "some guess at it"}, headers=headers)
        codes.append((answer.status_code, answer.json()["error_code"]))
    assert codes == [(403, "INVALID_CREDENTIALS")] * 5 + [(429, "PASSWORD_LOCKED")] * 2


async def test_concurrent_logins_of_one_account_do_not_deadlock(
    coming_from: From, people: People, superuser_url: str
) -> None:
    """One counts its attempt (account, then network) while the other, with the right password, clears both."""
    _, email = await people.user("NOC")
    hotel = coming_from(HOTEL)
    doors = "select fingerprint from login_failures where fingerprint = account"
    async with await psycopg.AsyncConnection.connect(superuser_url) as holder:
        with no_hashing():
            first = asyncio.create_task(sign_in(hotel, email))
            async with asyncio.timeout(HANG_TIMEOUT_SEC):
                while await (await holder.execute(doors)).fetchone() is None:
                    await holder.rollback()
                    await asyncio.sleep(0.01)
            await holder.execute(f"{doors} for update")
            second = asyncio.create_task(sign_in(hotel, email))
            await wait_until_blocked(superuser_url, second)
        await wait_until_blocked(superuser_url, first, waiting=2)
        await holder.commit()
    assert [(await login).status_code for login in (first, second)] == [200, 200]


async def test_twenty_concurrent_logins_from_a_new_network_all_succeed(
    people: People, database: Database, settings: Settings
) -> None:
    """Below the rate limit: logins slowed down by the others succeed when they retry."""
    _, email = await people.user("NOC")
    vault, left = Vault(load_secret_key(settings)), 20
    visitor = Actor(ActorKind.ANONYMOUS, None, "test-request", HOTEL)

    async def attempt() -> Tokens | AccessRefusal:
        return await login(database, vault, visitor, Credentials(email, PASSWORD), now=NOW)

    while left:
        answers = await asyncio.gather(*(attempt() for _ in range(left)))
        came_in = sum(isinstance(answer, Tokens) for answer in answers)
        assert came_in > 0
        assert {answer.code for answer in answers if isinstance(answer, AccessRefusal)} <= {"LOGIN_SLOWED"}
        left -= came_in


async def test_guessing_in_a_stolen_session_ends_that_session_only(phone: Phone, superuser_url: str) -> None:
    owners = bearer(await phone.login(phone.next_code()))
    taken = await phone.login(phone.next_code())
    stolen = bearer(taken)

    async def step_up(headers: dict[str, str], code: str) -> httpx.Response:
        return await phone.api.post("/api/v1/auth/step-up", json={"code": code}, headers=headers)

    for _ in range(5):
        refused(await step_up(stolen, "000000"), 401, "TOTP_WRONG")
    refused(await step_up(stolen, phone.next_code()), 429, "TOTP_LOCKED")
    assert (await step_up(owners, phone.next_code())).status_code == 200, "the owner's session is not locked"
    phone.clock.move_to(phone.clock() + timedelta(minutes=14, seconds=30))
    refresh = {"refresh_token": taken.json()["refresh_token"]}
    stolen = bearer(await phone.api.post("/api/v1/auth/refresh", json=refresh))
    refused(await step_up(stolen, "000000"), 401, "TOTP_WRONG")
    refused(await step_up(stolen, phone.next_code()), 401, "SESSION_REVOKED")
    assert audited(superuser_url, "TOTP_WRONG", "step_up_refused") == 6
    renewed = bearer(await phone.login(phone.next_code()))
    assert (await step_up(renewed, phone.next_code())).status_code == 200


async def test_wrong_codes_in_many_sessions_only_slow_the_user_down(phone: Phone) -> None:
    answer = await phone.login(phone.next_code())
    for _ in range(3):
        headers = bearer(await phone.login(phone.next_code()))
        for _ in range(5):
            answer = await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=headers)
    refused(answer, 429, "TOTP_LOCKED")
    assert int(answer.headers["retry-after"]) <= 31
    headers = bearer(await phone.login(phone.next_code()))
    shown = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=headers)
    assert shown.status_code == 200, shown.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("step-up", {"password": PASSWORD}),
        ("totp/begin", {"password": PASSWORD}),
        ("password", {"old_password": PASSWORD, "new_password": "an entirely new phrase"}),
    ],
)
async def test_no_connection_is_held_while_a_password_is_hashed(
    api: httpx.AsyncClient, people: People, superuser_url: str, path: str, body: dict[str, str]
) -> None:
    headers = await people.headers("NOC")
    counted = "select count(*) from login_failures where failures > 0 and fingerprint <> account"
    idle_in_transaction = (
        "select count(*) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()"
    )
    async with await psycopg.AsyncConnection.connect(superuser_url, autocommit=True) as watcher:
        with no_hashing():
            shown = asyncio.create_task(api.post(f"/api/v1/auth/{path}", json=body, headers=headers))
            async with asyncio.timeout(HANG_TIMEOUT_SEC):
                for query, wanted in ((counted, 2), (idle_in_transaction, 0)):
                    while await (await watcher.execute(query)).fetchone() != (wanted,):  # noqa: ASYNC110 - what is waited for stands in the database
                        await asyncio.sleep(0.01)
            assert not shown.done()
        assert (await shown).is_success
        assert await (await watcher.execute(counted)).fetchone() == (0,), "a right one is not counted"


async def test_concurrent_right_passwords_in_one_session_all_succeed(api: httpx.AsyncClient, people: People) -> None:
    headers = await people.headers("NOC")
    body = {"password": PASSWORD}
    answers = await asyncio.gather(*(api.post("/api/v1/auth/step-up", json=body, headers=headers) for _ in range(4)))
    assert [answer.status_code for answer in answers] == [200] * 4


def test_waits_double_and_locks_last_as_the_policy_says() -> None:
    def after(count: int, pace: object) -> float:
        made = Failures(count - 1, NOW).one_more(NOW, pace)  # type: ignore[arg-type]
        return (made.blocked_until - NOW).total_seconds() if made.blocked_until else 0.0

    assert [after(count, FROM_NETWORK) for count in (3, 4, 5, 9, 10, 40)] == [0, 1, 2, 32, 900, 900]
    assert [after(count, FROM_EVERYWHERE) for count in (20, 21, 25, 26, 10_000)] == [0, 1, 16, 30, 30]
    assert [after(count, PROOFS) for count in (4, 5, 6, 7, 40)] == [0, 900, 1800, 3600, 86400]
    assert Failures(50, NOW - timedelta(days=3)).one_more(NOW, PROOFS) == Failures(1, NOW, None)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        (None, ""),
    ],
)
def test_addresses_of_one_internet_line_are_one_network(address: str | None, network: str) -> None:
    assert network_of(address) == network


async def test_guessing_in_one_session_does_not_block_a_step_up_in_another(phone: Phone) -> None:
    thief = bearer(await phone.login(phone.next_code()))
    owner = bearer(await phone.login(phone.next_code()))
    for _ in range(21):
        refused = await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=thief)
        assert not refused.is_success
    stepped_up = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=owner)
    assert stepped_up.status_code == 200, stepped_up.text


async def test_audit_entries_for_forged_tokens_are_limited_per_ipv6_network(
    coming_from: From, superuser_url: str
) -> None:
    for number in range(1, 31):
        client = coming_from(f"2001:db8:1:2::{number:x}")
        assert (await client.get("/api/v1/auth/me", headers={"Authorization": "Bearer forged"})).status_code == 401
    with psycopg.connect(superuser_url) as connection:
        entries = connection.execute("select count(*) from audit_log where action = 'token_refused'").fetchone()
    assert entries is not None
    assert 1 <= entries[0] <= 20, "ten a minute; the test may see two minutes begin"
