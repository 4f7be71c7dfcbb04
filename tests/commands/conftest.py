"""What the tests of commands share."""

import httpx
import pytest

from hashinsight.kit.db.database import Database
from tests.commands.desk import Desk
from tests.commands.gate import Gate, open_gate
from tests.commands.yard import Yard
from tests.people import People


@pytest.fixture
def yard(database: Database, superuser_url: str) -> Yard:
    made = Yard(database, superuser_url)
    made.open()
    return made


@pytest.fixture
async def desk(api: httpx.AsyncClient, people: People, superuser_url: str) -> Desk:
    made = Desk(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
async def gate(api: httpx.AsyncClient, people: People, database: Database, superuser_url: str) -> Gate:
    return await open_gate(api, people, database, superuser_url)
