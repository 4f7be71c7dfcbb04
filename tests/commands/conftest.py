"""What the tests of commands share."""

import httpx
import pytest

from hashinsight.kit.db.database import Database
from tests.commands.command_site import CommandSite
from tests.commands.edge_site import EdgeSite, make_edge_site
from tests.commands.two_tenants import TwoTenants
from tests.people import People


@pytest.fixture
def fleet(database: Database, superuser_url: str) -> CommandSite:
    made = CommandSite(database, superuser_url)
    made.open()
    return made


@pytest.fixture
async def tenants(api: httpx.AsyncClient, people: People, superuser_url: str) -> TwoTenants:
    made = TwoTenants(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
async def edge_site(api: httpx.AsyncClient, people: People, database: Database, superuser_url: str) -> EdgeSite:
    return await make_edge_site(api, people, database, superuser_url)
