"""What the tests of the problems' API share."""

import httpx
import pytest

from tests.commands.two_tenants import TwoTenants
from tests.people import People
from tests.problems.api.problems_api import ProblemsApi


@pytest.fixture
async def problems_api(api: httpx.AsyncClient, people: People, superuser_url: str) -> ProblemsApi:
    tenants = TwoTenants(api, people, superuser_url)
    await tenants.open()
    return ProblemsApi(tenants)
