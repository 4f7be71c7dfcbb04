"""A Customer of the whole tenant needs an explicit grant."""

from typing import Any

import httpx
import pytest

from tests.identity.test_login import refused
from tests.people import PASSWORD, People

USER = {"email": "customer@example.com", "password": PASSWORD, "role": "Customer"}
GRANT = {"role": "Customer"}
KEY = {"name": "grafana", "role": "Customer"}


@pytest.mark.parametrize(("path", "body"), [("users", USER), ("grants", GRANT), ("api-keys", KEY)])
async def test_a_customer_without_a_scope_needs_an_explicit_whole_tenant(
    api: httpx.AsyncClient, people: People, path: str, body: dict[str, Any]
) -> None:
    owner = await people.headers("Owner")
    site = (await api.post("/api/admin/v1/sites", json={"code": "tx-1", "name": "Texas"}, headers=owner)).json()
    if path == "grants":
        user_id, _ = await people.user("Technician")
        body = body | {"user_id": str(user_id)}

    async def post(**more: Any) -> httpx.Response:
        return await api.post(f"/api/admin/v1/{path}", json=body | more, headers=owner)

    async def count_grants() -> int:
        return len((await api.get("/api/admin/v1/grants", headers=owner)).json()["grants"])

    before = await count_grants()
    for scope in ({}, {"whole_tenant": False}, {"site_ids": None}):
        answer = await post(**scope)
        refused(answer, 422, "SCOPE_REQUIRED")
        assert "whole_tenant: true" in answer.text
        assert answer.json()["details"] == {"field": "site_ids"}
    refused(await post(site_ids=[site["id"]], whole_tenant=True), 422, "SCOPE_CONFLICT")
    assert await count_grants() == before, "nothing half-done"
    assert (await post(site_ids=[site["id"]])).status_code == 201
    other = {"email": "all@example.com"} if path == "users" else {}
    assert (await post(whole_tenant=True, **other)).status_code == 201
    assert await count_grants() == before + 2


async def test_other_roles_need_no_explicit_whole_tenant(api: httpx.AsyncClient, people: People) -> None:
    owner = await people.headers("Owner")
    for scope in ({}, {"whole_tenant": True}):
        body = {"name": "robot", "role": "NOC", **scope}
        assert (await api.post("/api/admin/v1/api-keys", json=body, headers=owner)).status_code == 201
