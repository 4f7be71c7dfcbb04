"""What the tests of telemetry share."""

import httpx
import pytest

from tests.people import People
from tests.telemetry.fleet import Fleet
from tests.telemetry.site_with_collector import SiteWithCollector
from tests.telemetry.zoned_site import ZonedSite


@pytest.fixture
async def site(api: httpx.AsyncClient, people: People, superuser_url: str) -> SiteWithCollector:
    made = SiteWithCollector(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
def fleet(site: SiteWithCollector) -> Fleet:
    return Fleet(site)


@pytest.fixture
async def zoned_site(site: SiteWithCollector, fleet: Fleet) -> ZonedSite:
    made = ZonedSite(site, fleet)
    await made.open()
    return made
