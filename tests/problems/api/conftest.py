"""What the tests of the problems' API share."""

import httpx
import pytest

from tests.commands.desk import Desk
from tests.people import People
from tests.problems.api.ward import Ward


@pytest.fixture
async def ward(api: httpx.AsyncClient, people: People, superuser_url: str) -> Ward:
    desk = Desk(api, people, superuser_url)
    await desk.open()
    return Ward(desk)
