"""Fixtures: signed-in clients, and an owner with two sites."""

from typing import Any

import httpx
import pytest

from tests.inventory.admin_client import AdminClient, SignIn
from tests.people import People


@pytest.fixture
def sign_in(api: httpx.AsyncClient, people: People) -> SignIn:
    async def signed_in(role: str = "Owner", tenant: str = "a", **scope: Any) -> AdminClient:
        return AdminClient(api, await people.headers(role, tenant, **scope))

    return signed_in


@pytest.fixture
async def owner(sign_in: SignIn) -> AdminClient:
    """The owner of tenant a, which has the sites one and two."""
    client = await sign_in()
    for code in ("one", "two"):
        await client.ok("POST", "/sites", json={"code": code, "name": code})
    return client
