"""What the tests of telemetry share."""

import httpx
import pytest

from tests.people import People
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector
from tests.telemetry.zoned_site import ZonedSite


@pytest.fixture
async def place(api: httpx.AsyncClient, people: People, superuser_url: str) -> SiteWithCollector:
    made = SiteWithCollector(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
def fleet(place: SiteWithCollector) -> Fleet:
    return Fleet(place)


@pytest.fixture
async def halls(place: SiteWithCollector, fleet: Fleet) -> ZonedSite:
    made = ZonedSite(place, fleet)
    await made.open()
    return made
