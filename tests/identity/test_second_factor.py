"""Second factor: wrong and replayed codes, recovery, step-up, and tenants that require it."""

from datetime import timedelta

import httpx
import psycopg
import pyotp
import pytest

from hashinsight.kit.clock import system_clock
from tests.identity.test_login import audited, bearer, refused
from tests.people import PASSWORD, People
from tests.virtual_clock import VirtualClock


@pytest.fixture
def clock(api: httpx.AsyncClient, people: People) -> VirtualClock:
    clock = VirtualClock(system_clock())
    api.app.state.clock = people.clock = clock  # type: ignore[attr-defined]
    return clock


class Phone:
    """A user with an authenticator app."""

    def __init__(self, api: httpx.AsyncClient, clock: VirtualClock, email: str) -> None:
        self.api, self.clock, self.email = api, clock, email
        self.secret = ""
        self.recovery: list[str] = []

    def code(self) -> str:
        return pyotp.TOTP(self.secret).at(self.clock())

    def next_code(self) -> str:
        self.clock.move_to(self.clock() + timedelta(seconds=30))
        return self.code()

    async def login(self, code: str | None = None) -> httpx.Response:
        body = {"email": self.email, "password": PASSWORD} | ({"totp_code": code} if code else {})
        return await self.api.post("/api/v1/auth/login", json=body)

    async def enrol(self, headers: dict[str, str]) -> None:
        begun = await self.api.post("/api/v1/auth/totp/begin", json={"password": PASSWORD}, headers=headers)
        self.secret = begun.json()["secret"]
        answer = await self.api.post("/api/v1/auth/totp/confirm", json={"code": self.code()}, headers=headers)
        self.recovery = answer.json()["recovery_codes"]


@pytest.fixture
async def phone(api: httpx.AsyncClient, clock: VirtualClock, people: People) -> Phone:
    _, email = await people.user("OpsManager")
    await people.user("Owner")
    phone = Phone(api, clock, email)
    await phone.enrol(bearer(await phone.login()))
    return phone


async def test_with_a_second_factor_the_password_alone_does_not_sign_in(phone: Phone, superuser_url: str) -> None:
    refused(await phone.login(), 401, "TOTP_REQUIRED")
    assert (await phone.login(phone.next_code())).status_code == 200
    assert audited(superuser_url, action="totp_enabled") == 1


async def test_wrong_and_replayed_codes_have_an_error_code_and_an_audit_entry(phone: Phone, superuser_url: str) -> None:
    good = phone.next_code()
    refused(await phone.login("000000" if good != "000000" else "111111"), 401, "TOTP_WRONG")
    assert (await phone.login(good)).status_code == 200
    refused(await phone.login(good), 401, "TOTP_REPLAYED")
    assert audited(superuser_url, "TOTP_WRONG") == 1
    assert audited(superuser_url, "TOTP_REPLAYED") == 1


async def test_a_code_of_the_previous_step_works_and_an_older_one_does_not(phone: Phone) -> None:
    early = phone.next_code()
    phone.clock.move_to(phone.clock() + timedelta(seconds=30))
    assert (await phone.login(early)).status_code == 200
    late = phone.next_code()
    phone.clock.move_to(phone.clock() + timedelta(seconds=90))
    refused(await phone.login(late), 401, "TOTP_WRONG")


async def test_a_recovery_code_works_once(phone: Phone) -> None:
    assert len(set(phone.recovery)) == 10
    assert (await phone.login(phone.recovery[0].lower())).status_code == 200
    refused(await phone.login(phone.recovery[0]), 401, "TOTP_WRONG")
    assert (await phone.login(phone.recovery[1])).status_code == 200


async def test_five_wrong_codes_lock_the_login_each_time_twice_as_long(phone: Phone, superuser_url: str) -> None:
    for _ in range(5):
        refused(await phone.login("000000"), 401, "TOTP_WRONG")
    waits = []
    for _ in range(3):
        locked = await phone.login(phone.code())
        refused(locked, 429, "TOTP_LOCKED")
        waits.append(int(locked.headers["retry-after"]) // 60)
        phone.clock.move_to(phone.clock() + timedelta(seconds=int(locked.headers["retry-after"])))
        refused(await phone.login("000000"), 401, "TOTP_WRONG")
    assert waits == [15, 30, 60]
    assert audited(superuser_url, "TOTP_LOCKED", "login_refused") == 3


async def test_a_step_up_lasts_five_minutes(phone: Phone, superuser_url: str) -> None:
    headers = bearer(await phone.login(phone.next_code()))
    disable = "/api/v1/auth/totp/disable"
    refused(await phone.api.post(disable, headers=headers), 403, "STEP_UP_REQUIRED")
    wrong = await phone.api.post("/api/v1/auth/step-up", json={"code": "000000"}, headers=headers)
    refused(wrong, 401, "TOTP_WRONG")
    up = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=headers)
    assert up.status_code == 200
    phone.clock.move_to(phone.clock() + timedelta(minutes=6))
    refused(await phone.api.post(disable, headers=bearer(up)), 403, "STEP_UP_REQUIRED")
    again = await phone.api.post("/api/v1/auth/step-up", json={"code": phone.next_code()}, headers=bearer(up))
    assert (await phone.api.post(disable, headers=bearer(again))).status_code == 204
    assert (await phone.login()).status_code == 200, "it is off"
    assert audited(superuser_url, action="step_up") == 2
    assert audited(superuser_url, "TOTP_WRONG", "step_up_refused") == 1


async def test_a_tenant_can_require_a_second_factor_and_users_can_only_set_one_up_first(
    api: httpx.AsyncClient, people: People, clock: VirtualClock
) -> None:
    owner = await people.headers("Owner")
    tenant = await people.tenant_id()
    changed = await api.patch(f"/api/admin/v1/tenants/{tenant}", json={"require_totp": True}, headers=owner)
    assert changed.json()["require_totp"] is True
    refused(await api.get("/api/admin/v1/users", headers=owner), 403, "TOTP_ENROLMENT_REQUIRED")
    me = (await api.get("/api/v1/auth/me", headers=owner)).json()
    assert me["must_enrol_totp"] is True
    phone = Phone(api, clock, me["user"]["email"])
    await phone.enrol(owner)
    assert (await api.get("/api/admin/v1/users", headers=owner)).status_code == 200


async def test_the_totp_secret_is_encrypted_in_the_database(phone: Phone, superuser_url: str) -> None:
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute("select totp_key from users where totp_key is not null").fetchall()
    assert rows
    assert all(phone.secret.encode() not in key for (key,) in rows)
