"""Users, grants and keys: as owner, anonymous, another tenant, a narrower role."""

import asyncio
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity.service.users import delete_user
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id
from tests.identity.test_login import audited, bearer, refused
from tests.people import PASSWORD, People

NEW = {"email": "tech@example.com", "password": PASSWORD, "role": "Technician"}


async def test_every_admin_route_is_for_owners_only(api: httpx.AsyncClient, people: People) -> None:
    """Each request succeeds for the owner after it was refused to everybody else."""
    owner, stranger = await people.headers("Owner"), await people.headers("Owner", "b")
    site = await api.post("/api/admin/v1/sites", json={"code": "narrow", "name": "Narrow"}, headers=owner)
    others = [await people.headers("Owner", sites=[site.json()["id"]])]
    others += [
        await people.headers(role) for role in ("OpsManager", "NOC", "Technician", "CustomerSuccess", "Customer")
    ]
    user_id, _ = await people.user("NOC")
    key = (await api.post("/api/admin/v1/api-keys", json={"name": "k", "role": "NOC"}, headers=owner)).json()
    grant = {"user_id": str(user_id), "role": "Technician"}
    made = (await api.post("/api/admin/v1/grants", json=grant, headers=owner)).json()
    tenant = await people.tenant_id()
    requests: list[tuple[str, str, Any, bool]] = [
        ("GET", "/users", None, False),
        ("POST", "/users", NEW, False),
        ("GET", f"/users/{user_id}", None, True),
        ("PATCH", f"/users/{user_id}", {"name": "Night"}, True),
        ("POST", f"/users/{user_id}/password", {"new_password": "another long phrase"}, True),
        ("POST", f"/users/{user_id}/unlock", None, True),
        ("POST", f"/users/{user_id}/totp/reset", None, True),
        ("GET", "/grants", None, False),
        ("POST", "/grants", grant, True),
        ("DELETE", f"/grants/{made['id']}", None, True),
        ("GET", "/api-keys", None, False),
        ("POST", "/api-keys", {"name": "x", "role": "NOC"}, False),
        ("DELETE", f"/api-keys/{key['id']}", None, True),
        ("GET", "/tenants", None, False),
        ("PATCH", f"/tenants/{tenant}", {"name": "renamed"}, True),
        ("DELETE", f"/users/{user_id}", None, True),
    ]
    for method, path, body, names_one in requests:
        url = f"/api/admin/v1{path}"
        refused(await api.request(method, url, json=body), 401, "UNAUTHENTICATED")
        for other in others:
            refused(await api.request(method, url, json=body, headers=other), 403, "FORBIDDEN")
        if names_one:
            refused(await api.request(method, url, json=body, headers=stranger), 404, "NOT_FOUND")
        answer = await api.request(method, url, json=body, headers=owner)
        assert answer.is_success, (method, path, answer.text)


async def test_guessing_passwords_and_codes_with_a_stolen_token_is_limited(
    api: httpx.AsyncClient, people: People
) -> None:
    headers = await people.headers("NOC")
    guess = {"old_password": "some guess at it", "new_password": "something entirely new"}
    codes = [(await api.post("/api/v1/auth/password", json=guess, headers=headers)).status_code for _ in range(8)]
    assert codes == [403] * 5 + [429] * 3


async def test_an_api_key_cannot_do_what_needs_a_step_up(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    made = (await api.post("/api/admin/v1/api-keys", json={"name": "k", "role": "Owner"}, headers=owner)).json()
    pools = {"version": 0, "pools": {"allowed": ["pool.example:3333"]}}
    answer = await api.patch("/api/admin/v1/settings", json=pools, headers={"X-API-Key": made["key"]})
    refused(answer, 403, "PERSON_REQUIRED")


async def test_two_owners_cannot_both_be_removed_concurrently(database: Database, people: People) -> None:
    users = [(await people.user("Owner"))[0] for _ in range(2)]

    async def leave(user_id: UUID) -> None:
        async with database.transaction(job_context()) as session:
            await delete_user(session, SYSTEM, user_id, now=system_clock())

    ends = await asyncio.gather(*(leave(user_id) for user_id in users), return_exceptions=True)
    assert [type(end).__name__ for end in ends if end] == ["Conflict"]


async def test_a_time_without_a_zone_is_utc(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    body = {"name": "k", "role": "NOC", "expires_at": "2099-01-01T00:00:00"}
    made = await api.post("/api/admin/v1/api-keys", json=body, headers=owner)
    assert made.json()["expires_at"] == "2099-01-01T00:00:00Z"
    never = await api.post("/api/admin/v1/api-keys", json=body | {"expires_at": "9999-12-31T23:59:59Z"}, headers=owner)
    assert never.json()["expires_at"] == "9999-12-31T23:59:59Z"


@pytest.mark.parametrize("expires_at", ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"])
async def test_an_expiry_outside_the_calendar_in_utc_is_refused(
    api: httpx.AsyncClient, people: People, expires_at: str
) -> None:
    body = {"name": "k", "role": "NOC", "expires_at": expires_at}
    made = await api.post("/api/admin/v1/api-keys", json=body, headers=await people.headers("Owner"))
    refused(made, 422, "VALIDATION_FAILED")
    (error,) = made.json()["details"]["errors"]
    assert error["where"] == "body.expires_at"
    assert "outside the years 1 to 9999" in error["problem"]


async def test_the_owner_of_one_site_cannot_become_owner_of_the_tenant(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    site = await api.post("/api/admin/v1/sites", json={"code": "one", "name": "One"}, headers=owner)
    narrow = await people.headers("Owner", sites=[site.json()["id"]])
    me = (await api.get("/api/v1/auth/me", headers=narrow)).json()["actor"]["id"]
    for path, body in (
        ("users", NEW),
        ("grants", {"user_id": me, "role": "Owner"}),
        ("api-keys", {"name": "mine", "role": "Owner"}),
    ):
        refused(await api.post(f"/api/admin/v1/{path}", json=body, headers=narrow), 403, "FORBIDDEN")
        refused(await api.get(f"/api/admin/v1/{path}", headers=narrow), 403, "FORBIDDEN")


async def test_lists_have_the_callers_tenant_only(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    await people.headers("Owner", "b")
    for path, name in (("users", "users"), ("grants", "grants"), ("tenants", "tenants")):
        rows = (await api.get(f"/api/admin/v1/{path}", headers=owner)).json()[name]
        assert len(rows) == 1, path


async def test_users_are_paged(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    for _ in range(4):
        await people.user("NOC")
    seen: list[str] = []
    cursor = None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/api/admin/v1/users", params=params, headers=owner)).json()
        seen += [user["id"] for user in page["users"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5


async def test_an_email_is_unique_in_the_installation_and_free_after_deletion(
    api: httpx.AsyncClient, people: People
) -> None:
    ours, theirs = await people.headers("Owner"), await people.headers("Owner", "b")
    made = (await api.post("/api/admin/v1/users", json=NEW, headers=ours)).json()
    refused(
        await api.post("/api/admin/v1/users", json=NEW | {"email": "TECH@example.com"}, headers=theirs),
        409,
        "EMAIL_TAKEN",
    )
    await api.delete(f"/api/admin/v1/users/{made['id']}", headers=ours)
    assert (await api.post("/api/admin/v1/users", json=NEW, headers=theirs)).status_code == 201


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaaaaaa", "tech and more of it"])
async def test_a_weak_password_is_refused(api: httpx.AsyncClient, people: People, password: str) -> None:
    owner = await people.headers("Owner")
    refused(
        await api.post("/api/admin/v1/users", json=NEW | {"password": password}, headers=owner),
        422,
        "VALIDATION_FAILED",
    )


async def test_a_tenant_never_loses_its_last_owner(api: httpx.AsyncClient, people: People) -> None:
    user_id, email = await people.user("Owner")
    owner = bearer(await api.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD}))
    refused(await api.delete(f"/api/admin/v1/users/{user_id}", headers=owner), 409, "LAST_OWNER")
    refused(
        await api.patch(f"/api/admin/v1/users/{user_id}", json={"state": "disabled"}, headers=owner), 409, "LAST_OWNER"
    )
    (grant,) = (await api.get("/api/admin/v1/grants", headers=owner)).json()["grants"]
    refused(await api.delete(f"/api/admin/v1/grants/{grant['id']}", headers=owner), 409, "LAST_OWNER")
    assert (await api.get("/api/admin/v1/users", headers=owner)).status_code == 200, "nothing was changed"


async def test_a_grant_over_unknown_sites_zones_or_groups_is_refused(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    for reach in ({"site_ids": [999]}, {"zone_ids": [999]}, {"group_ids": [999]}):
        refused(await api.post("/api/admin/v1/users", json=NEW | reach, headers=owner), 404, "NOT_FOUND")
    refused(await api.post("/api/admin/v1/users", json=NEW | {"site_ids": []}, headers=owner), 422, "VALIDATION_FAILED")
    users = (await api.get("/api/admin/v1/users", headers=owner)).json()["users"]
    assert len(users) == 1, "nothing half-done"


async def test_grants_add_up_and_count_from_the_next_request(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    user_id, email = await people.user("Customer")
    theirs = bearer(await api.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD}))
    refused(await api.get("/api/admin/v1/users", headers=theirs), 403, "FORBIDDEN")
    grant = {"user_id": str(user_id), "role": "Owner"}
    made = (await api.post("/api/admin/v1/grants", json=grant, headers=owner)).json()
    assert (await api.get("/api/admin/v1/users", headers=theirs)).status_code == 200
    await api.delete(f"/api/admin/v1/grants/{made['id']}", headers=owner)
    refused(await api.get("/api/admin/v1/users", headers=theirs), 403, "FORBIDDEN")


async def test_an_api_key_is_shown_once_works_in_its_scope_and_stops_when_revoked(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    owner = await people.headers("Owner")
    made = (await api.post("/api/admin/v1/api-keys", json={"name": "k", "role": "Owner"}, headers=owner)).json()
    key = {"X-API-Key": made["key"]}
    assert (await api.get("/api/admin/v1/users", headers=key)).status_code == 200
    listed = (await api.get("/api/admin/v1/api-keys", headers=owner)).json()["api_keys"]
    assert made["key"] not in str(listed)
    assert listed[0]["last_used_at"] is not None
    with psycopg.connect(superuser_url) as connection:
        rows = connection.execute("select api_keys::text from api_keys").fetchall()
    assert made["key"] not in str(rows)
    await api.delete(f"/api/admin/v1/api-keys/{made['id']}", headers=owner)
    refused(await api.get("/api/admin/v1/users", headers=key), 401, "API_KEY_INVALID")
    refused(await api.get("/api/admin/v1/users", headers={"X-API-Key": "hi_api_guess"}), 401, "API_KEY_INVALID")


async def test_a_new_password_ends_every_other_session(
    api: httpx.AsyncClient, people: People, superuser_url: str
) -> None:
    _, email = await people.user("NOC")
    body = {"email": email, "password": PASSWORD}
    here, there = [bearer(await api.post("/api/v1/auth/login", json=body)) for _ in range(2)]
    change = {"old_password": PASSWORD, "new_password": "something entirely new"}
    wrong = change | {"old_password": "not this one at all"}
    refused(await api.post("/api/v1/auth/password", json=wrong, headers=here), 403, "INVALID_CREDENTIALS")
    assert audited(superuser_url, action="password_refused") == 1
    assert (await api.post("/api/v1/auth/password", json=change, headers=here)).status_code == 204
    assert (await api.get("/api/v1/auth/me", headers=here)).status_code == 200
    refused(await api.get("/api/v1/auth/me", headers=there), 401, "SESSION_REVOKED")


async def test_a_write_with_the_consoles_cookie_needs_the_csrf_token(api: httpx.AsyncClient, people: People) -> None:
    _, email = await people.user("Owner")
    signed_in = await api.post("/api/v1/auth/login", json={"email": email, "password": PASSWORD, "cookie": True})
    assert "access_token" not in signed_in.json()
    cookies = signed_in.headers.get_list("set-cookie")
    assert all("HttpOnly" in cookie and "SameSite=strict" in cookie for cookie in cookies)
    assert len(cookies) == 2
    csrf = {"X-CSRF-Token": signed_in.json()["csrf_token"]}
    assert (await api.get("/api/admin/v1/users")).status_code == 200
    refused(await api.post("/api/admin/v1/users", json=NEW), 403, "CSRF_FAILED")
    refused(await api.post("/api/admin/v1/users", json=NEW, headers={"X-CSRF-Token": "0" * 64}), 403, "CSRF_FAILED")
    assert (await api.post("/api/admin/v1/users", json=NEW, headers=csrf)).status_code == 201
    foreign = {"Sec-Fetch-Site": "cross-site"}
    refused(await api.post("/api/v1/auth/refresh", json={}, headers=foreign), 403, "CSRF_FAILED")
    renewed = await api.post("/api/v1/auth/refresh", json={})
    assert renewed.status_code == 200
    assert "access_token" not in renewed.json()
    assert (await api.post("/api/v1/auth/logout", headers=csrf)).status_code == 204
    api.cookies.clear()
    refused(await api.get("/api/admin/v1/users"), 401, "UNAUTHENTICATED")


async def test_malformed_and_unknown_ids_are_refused(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    refused(await api.get("/api/admin/v1/users/not-an-id", headers=owner), 422, "VALIDATION_FAILED")
    refused(await api.get(f"/api/admin/v1/users/{new_id()}", headers=owner), 404, "NOT_FOUND")
