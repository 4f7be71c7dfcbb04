"""A server process of the test's own, and the whole way from it to simulated machines."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from hashinsight.kit.db.address import DatabaseAddress
from tests.edge.on_site import simulating_site
from tests.edge.server import Server
from tests.edge.whole import MAKES, Whole
from tests.people import People
from tests.telemetry.site_with_collector import SiteWithCollector


@pytest.fixture
def server(tmp_path: Path, address: DatabaseAddress, redis_url: str) -> Iterator[Server]:
    made = Server(data_dir=tmp_path, database_url=address.url, redis_url=redis_url, disk_reserve_mb=1)
    yield made
    made.stop()


@pytest.fixture
async def place(api: httpx.AsyncClient, people: People, superuser_url: str) -> SiteWithCollector:
    made = SiteWithCollector(api, people, superuser_url)
    await made.open()
    return made


@pytest.fixture
async def whole(
    tmp_path_factory: pytest.TempPathFactory, server: Server, place: SiteWithCollector, superuser_url: str
) -> AsyncIterator[Whole]:
    """Nothing runs yet but the machines, far faster than life, so that a boot takes seconds."""
    folder = tmp_path_factory.mktemp("whole")
    with simulating_site(folder, *MAKES, speed=60) as sim:
        made = Whole(folder, server, place, sim, superuser_url)
        await made.open()
        yield made
        await made.close()
