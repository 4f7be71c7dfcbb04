"""What the tests of problems share."""

from collections.abc import AsyncIterator

import pytest

from hashinsight.kit.db.database import Database
from tests.people import People
from tests.problems.stored_site import StoredSite


@pytest.fixture
async def site(database: Database, superuser_url: str, people: People) -> AsyncIterator[StoredSite]:
    made = StoredSite(database, superuser_url, await people.tenant_id("a"))
    yield made
    made.close()
