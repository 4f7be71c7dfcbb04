"""A server process per test, and the full stack from it to simulated machines."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from hashinsight.kit.db.address import DatabaseAddress
from tests.edge.full_stack import MAKES, FullStack
from tests.edge.server_process import ServerProcess
from tests.edge.simulated_site import simulate_site
from tests.people import People
from tests.telemetry.site_with_collector import SiteWithCollector


@pytest.fixture
def server(tmp_path: Path, address: DatabaseAddress, redis_url: str) -> Iterator[ServerProcess]:
    server = ServerProcess(data_dir=tmp_path, database_url=address.url, redis_url=redis_url, disk_reserve_mb=1)
    yield server
    server.stop()


@pytest.fixture
async def place(api: httpx.AsyncClient, people: People, superuser_url: str) -> SiteWithCollector:
    place = SiteWithCollector(api, people, superuser_url)
    await place.open()
    return place


@pytest.fixture
async def stack(
    tmp_path_factory: pytest.TempPathFactory, server: ServerProcess, place: SiteWithCollector, superuser_url: str
) -> AsyncIterator[FullStack]:
    """Only the machines run yet, much faster than real time, so that a boot takes seconds."""
    folder = tmp_path_factory.mktemp("whole")
    with simulate_site(folder, *MAKES, speed=60) as sim:
        stack = FullStack(folder, server, place, sim, superuser_url)
        await stack.open()
        yield stack
        await stack.close()
