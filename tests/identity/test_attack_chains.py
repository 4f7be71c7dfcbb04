"""Attacks that start with a stolen session or an owner's API key, over HTTP, step by step."""

from datetime import timedelta
from typing import Any

import httpx
import psycopg
import pyotp
import pytest

from tests.commands.two_tenants import ADMIN, TwoTenants, reboot_command
from tests.identity.test_login import audited, refused
from tests.people import PASSWORD, People

AUTH = "/api/v1/auth"
NEW = {"email": "second-me@example.com", "password": "another long phrase", "role": "Owner"}
LOOSE = {"machines": 1000, "power_kw": 100_000, "wait_hours": 24, "by_requester": True}


@pytest.fixture
async def tenants(api: httpx.AsyncClient, people: People, superuser_url: str) -> TwoTenants:
    made = TwoTenants(api, people, superuser_url)
    await made.open()
    return made


class Owner:
    """An owner with a second factor, and a stolen session of theirs."""

    def __init__(self, tenants: TwoTenants, user_id: str, email: str) -> None:
        self.tenants, self.user_id, self.email = tenants, user_id, email
        self.secret = ""

    async def sign_in(self, **more: Any) -> dict[str, str]:
        answer = await self.tenants.api.post(f"{AUTH}/login", json={"email": self.email, "password": PASSWORD, **more})
        return {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def code(self) -> str:
        return pyotp.TOTP(self.secret).at(self.tenants.now)


@pytest.fixture
async def owner(tenants: TwoTenants) -> Owner:
    user_id, email = await tenants.people.user("Owner")
    made = Owner(tenants, str(user_id), email)
    headers = await made.sign_in()
    begun = await tenants.api.post(f"{AUTH}/totp/begin", json={"password": PASSWORD}, headers=headers)
    made.secret = begun.json()["secret"]
    confirmed = await tenants.api.post(f"{AUTH}/totp/confirm", json={"code": made.code()}, headers=headers)
    assert confirmed.status_code == 200
    return made


async def test_a_stolen_session_cannot_remove_the_second_factor_and_start_an_emergency(
    tenants: TwoTenants, owner: Owner, superuser_url: str
) -> None:
    tenants.at(60)
    stolen = await owner.sign_in(totp_code=owner.code())
    me = f"/users/{owner.user_id}"
    other_id, _ = await tenants.people.user("Owner")
    before = tenants.stored()
    for path, body in (
        (f"{me}/totp/reset", None),
        (f"{me}/password", {"new_password": "the thief's own phrase"}),
        (f"{me}/unlock", None),
        (f"/users/{other_id}/totp/reset", None),
        (f"/users/{other_id}/password", {"new_password": "the thief's own phrase"}),
        ("/users", NEW),
        ("/grants", {"user_id": str(other_id), "role": "Owner"}),
        ("/api-keys", {"name": "mine", "role": "Owner"}),
        ("/commands", reboot_command("m1", emergency=True, priority="safety").to_wire()),
    ):
        refused(await tenants.post(path, body, stolen), 403, "STEP_UP_REQUIRED")
    for path, change in (
        (f"/tenants/{await tenants.people.tenant_id()}", {"require_totp": False}),
        ("/settings", {"version": 0, "approval": LOOSE}),
        ("/settings", {"version": 0, "pools": {"allowed": []}}),
        ("/settings", {"version": 0, "thresholds": {"max_share_of_site_down": 1}}),
    ):
        refused(await tenants.api.patch(f"{ADMIN}{path}", json=change, headers=stolen), 403, "STEP_UP_REQUIRED")
    for path, body in (
        ("/totp/disable", None),
        ("/password", {"old_password": PASSWORD, "new_password": "the thief's own phrase"}),
    ):
        refused(await tenants.api.post(f"{AUTH}{path}", json=body, headers=stolen), 403, "STEP_UP_REQUIRED")
    guesses = [
        (await tenants.api.post(f"{AUTH}/step-up", json={"code": f"00000{n}"}, headers=stolen)).json()["error_code"]
        for n in range(7)
    ]
    assert guesses == ["TOTP_WRONG"] * 5 + ["TOTP_LOCKED"] * 2
    assert tenants.stored() == before
    assert audited(superuser_url, "TOTP_LOCKED", "step_up_refused") == 2


async def test_an_owner_cannot_reset_their_own_password_or_second_factor_as_admin(
    tenants: TwoTenants, owner: Owner
) -> None:
    tenants.at(60)
    headers = await owner.sign_in(totp_code=owner.code())
    tenants.at(120)
    up = await tenants.api.post(f"{AUTH}/step-up", json={"code": owner.code()}, headers=headers)
    stepped_up = {"Authorization": f"Bearer {up.json()['access_token']}"}
    refused(await tenants.post(f"/users/{owner.user_id}/totp/reset", None, stepped_up), 403, "OWN_ACCOUNT")
    new = {"new_password": "something entirely new"}
    refused(await tenants.post(f"/users/{owner.user_id}/password", new, stepped_up), 403, "OWN_ACCOUNT")
    change = {"old_password": PASSWORD, "new_password": "something entirely new"}
    wrong = change | {"old_password": "not this one at all"}
    refused(await tenants.api.post(f"{AUTH}/password", json=wrong, headers=stepped_up), 403, "INVALID_CREDENTIALS")
    assert (await tenants.api.post(f"{AUTH}/password", json=change, headers=stepped_up)).status_code == 204
    assert (await tenants.api.post(f"{AUTH}/totp/disable", headers=stepped_up)).status_code == 204


async def test_a_stolen_session_cannot_set_up_a_second_factor_and_step_up_with_it(
    tenants: TwoTenants, superuser_url: str
) -> None:
    user_id, email = await tenants.people.user("Owner")
    stolen = await Owner(tenants, str(user_id), email).sign_in()
    tenants.at(6 * 60)  # since the owner showed the password
    refused(await tenants.api.post(f"{AUTH}/totp/begin", json={}, headers=stolen), 422, "VALIDATION_FAILED")
    guess = {"password": "a guess at the phrase"}
    refused(await tenants.api.post(f"{AUTH}/totp/begin", json=guess, headers=stolen), 403, "INVALID_CREDENTIALS")
    refused(await tenants.api.post(f"{AUTH}/step-up", json=guess, headers=stolen), 403, "INVALID_CREDENTIALS")
    refused(await tenants.post("/users", NEW, stolen), 403, "STEP_UP_REQUIRED")
    urgent = reboot_command("m1", emergency=True, priority="safety").to_wire()
    answer = await tenants.post("/commands", urgent, stolen)
    refused(answer, 403, "STEP_UP_REQUIRED")
    assert answer.json()["details"] == {"proof": "password"}
    shown = await tenants.api.post(f"{AUTH}/step-up", json={"password": PASSWORD}, headers=stolen)
    owners = {"Authorization": f"Bearer {shown.json()['access_token']}"}
    assert (await tenants.post("/users", NEW, owners)).status_code == 201, "by whoever knows the password"
    assert audited(superuser_url, action="step_up") == 1


async def test_a_refreshed_token_has_no_step_up(tenants: TwoTenants) -> None:
    _, email = await tenants.people.user("Owner")
    login = await tenants.api.post(f"{AUTH}/login", json={"email": email, "password": PASSWORD})
    renewed = await tenants.api.post(f"{AUTH}/refresh", json={"refresh_token": login.json()["refresh_token"]})
    headers = {"Authorization": f"Bearer {renewed.json()['access_token']}"}
    refused(await tenants.post("/api-keys", {"name": "k", "role": "NOC"}, headers), 403, "STEP_UP_REQUIRED")


async def test_an_owners_api_key_cannot_act_as_a_user(tenants: TwoTenants) -> None:
    headers = await tenants.headers("Owner")
    made = await tenants.post("/api-keys", {"name": "robot", "role": "Owner"}, headers)
    key = {"X-API-Key": made.json()["key"]}
    other_id, _ = await tenants.people.user("Owner")
    for path, body in (
        ("/users", NEW),
        ("/grants", {"user_id": str(other_id), "role": "Owner"}),
        ("/api-keys", {"name": "another", "role": "Owner"}),
        (f"/users/{other_id}/totp/reset", None),
        (f"/users/{other_id}/password", {"new_password": "the thief's own phrase"}),
        ("/commands", reboot_command("m1", emergency=True, priority="safety").to_wire()),
    ):
        refused(await tenants.post(path, body, key), 403, "PERSON_REQUIRED")
    for change in ({"approval": LOOSE}, {"thresholds": {"reboots_per_site_5min": 100_000}}):
        answer = await tenants.api.patch(f"{ADMIN}/settings", json={"version": 0, **change}, headers=key)
        refused(answer, 403, "PERSON_REQUIRED")
    for path in ("/password", "/step-up", "/totp/begin", "/totp/confirm", "/totp/disable"):
        body = {"old_password": "x", "new_password": "y", "password": "z", "code": "000000"}
        names = {"/password": ("old_password", "new_password"), "/totp/begin": ("password",)}.get(path, ("code",))
        answer = await tenants.api.post(f"{AUTH}{path}", json={name: body[name] for name in names}, headers=key)
        refused(answer, 403, "PERSON_REQUIRED")


async def test_a_user_cannot_approve_a_request_made_by_a_chain_of_their_keys(
    tenants: TwoTenants, superuser_url: str, people: People
) -> None:
    """Old keys could create keys: the last one still belongs to the creator of the first."""
    user_id, email = await people.user("Owner")
    person = Owner(tenants, str(user_id), email)
    headers = await person.sign_in()
    first, second = [
        (await tenants.post("/api-keys", {"name": name, "role": "Owner"}, headers)).json() for name in ("one", "two")
    ]
    with psycopg.connect(superuser_url) as connection:
        statement = "update api_keys set created_by = %s where id = %s"
        connection.execute(statement, [first["id"], second["id"]])
    made = await tenants.post("/commands", reboot_command("m1").to_wire(), {"X-API-Key": second["key"]})
    command_id = made.json()["commands"][0]["command_id"]
    approve = f"/commands/{command_id}/approve"
    reason = {"reason": "looks fine to me"}
    refused(await tenants.post(approve, reason, headers), 403, "OWN_REQUEST")
    for key in (first, second):
        refused(await tenants.post(approve, reason, {"X-API-Key": key["key"]}), 403, "PERSON_REQUIRED")
    batch = f"/batches/{made.json()['batch_id']}/approve"
    refused(await tenants.post(batch, reason, headers), 403, "OWN_REQUEST")
    refused(await tenants.post(batch, reason, {"X-API-Key": first["key"]}), 403, "PERSON_REQUIRED")
    assert tenants.stored()["approvals"] == 0
    somebody_else = await tenants.headers("OpsManager")
    assert (await tenants.post(approve, reason, somebody_else)).status_code == 200


@pytest.mark.parametrize("end", ["disabled", "deleted", "demoted"])
async def test_an_api_key_ends_with_the_rights_of_its_creator(
    tenants: TwoTenants, superuser_url: str, end: str
) -> None:
    user_id, email = await tenants.people.user("Owner")
    headers = await Owner(tenants, str(user_id), email).sign_in()
    made = (await tenants.post("/api-keys", {"name": "robot", "role": "NOC"}, headers)).json()
    key = {"X-API-Key": made["key"]}
    assert (made["user_id"], made["state"]) == (str(user_id), "active")
    assert (await tenants.api.get(f"{ADMIN}/sites", headers=key)).status_code == 200
    boss = await tenants.headers("Owner")
    if end == "disabled":
        await tenants.api.patch(f"{ADMIN}/users/{user_id}", json={"state": "disabled"}, headers=boss)
    elif end == "deleted":
        await tenants.api.delete(f"{ADMIN}/users/{user_id}", headers=boss)
    else:
        (grant,) = (await tenants.api.get(f"{ADMIN}/users/{user_id}", headers=boss)).json()["grants"]
        await tenants.post("/grants", {"user_id": str(user_id), "role": "NOC"}, boss)
        await tenants.api.delete(f"{ADMIN}/grants/{grant['id']}", headers=boss)
    refused(await tenants.api.get(f"{ADMIN}/sites", headers=key), 401, "API_KEY_ENDED")
    assert audited(superuser_url, "API_KEY_ENDED", "token_refused") == 1
    listed = (await tenants.api.get(f"{ADMIN}/api-keys", headers=boss)).json()["api_keys"]
    assert [key["state"] for key in listed if key["id"] == made["id"]] == ["ended"]
    tenants.at(timedelta(seconds=1).total_seconds())
    if end == "disabled":
        await tenants.api.patch(f"{ADMIN}/users/{user_id}", json={"state": "active"}, headers=boss)
        assert (await tenants.api.get(f"{ADMIN}/sites", headers=key)).status_code == 200, "and comes back with them"
