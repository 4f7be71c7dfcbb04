"""What the tests of telemetry share."""

import httpx
import pytest

from tests.people import People
from tests.telemetry.fleet import Fleet
from tests.telemetry.halls import Halls
from tests.telemetry.place import Place


@pytest.fixture
async def place(api: httpx.AsyncClient, people: People, superuser_url: str) -> Place:
    made = Place(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
def fleet(place: Place) -> Fleet:
    return Fleet(place)


@pytest.fixture
async def halls(place: Place, fleet: Fleet) -> Halls:
    made = Halls(place, fleet)
    await made.open()
    return made
