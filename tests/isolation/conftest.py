"""A database of its own for each module, and the world of two tenants behind an application with one connection."""

import os
from collections.abc import AsyncIterator, Iterator

import httpx
import psycopg
import pytest
import pytest_asyncio
from psycopg import Connection

from hashinsight.app import create_app
from hashinsight.kit.clock import system_clock
from hashinsight.kit.db.address import DatabaseAddress, address_from_url, address_of_socket
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.settings import Settings
from tests.clones import Clones
from tests.isolation.hidden_data import Prober
from tests.isolation.world import World
from tests.isolation.world_setup import collectors_that_may_not, open_world, people_who_may_not
from tests.people import People
from tests.virtual_clock import VirtualClock


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> int:
    """Modules with many tests begin a new world with each chapter: what all of them leave in one slows every look."""
    number: int = getattr(request, "param", 0)
    return number


@pytest.fixture(scope="module")
def clone(clones: Clones, folder: DataFolder, chapter: int) -> Iterator[DatabaseAddress]:
    """A migrated database for this module, or this chapter of it, alone, by the superuser's address."""
    assert chapter >= 0
    name = clones.make("isolation")
    yield address_of_socket(folder.sockets, name, "postgres")
    clones.leave(name)


@pytest.fixture(scope="module")
def program(clone: DatabaseAddress) -> DatabaseAddress:
    """The same database by the program's own login."""
    return address_from_url(clone.url.replace("postgres@", "hashinsight@"))


@pytest.fixture
def superuser(clone: DatabaseAddress) -> Iterator[Connection]:
    """One transaction in the module's database, undone at the end."""
    with psycopg.connect(clone.libpq) as connection:
        yield connection
        connection.rollback()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(
    clone: DatabaseAddress,
    program: DatabaseAddress,
    folder: DataFolder,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[World]:
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 16
    settings = Settings.model_validate(
        {
            "data_dir": tmp_path_factory.mktemp("isolation"),
            "database_url": program.url,
            "redis_url": f"unix://{folder.valkey_socket}?db={number}",
            "disk_reserve_mb": 1,
            "rate_per_minute": 1_000_000,
            "token_rate_per_minute": 1_000_000,
        }
    )
    database = Database(program, pool=1)
    app = create_app(settings, database)
    people = People(database, settings)
    # time stands still in this world: on a slow machine a module outlasts the five minutes of a step-up
    app.state.clock = people.clock = VirtualClock(system_clock())
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    with psycopg.connect(clone.libpq, autocommit=True) as superuser:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as api,
        ):
            yield await open_world(api, app, database, people, superuser)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def probers(world: World) -> dict[str, list[Prober]]:
    """Those who may not, by the kind of their credentials."""
    return {"people": await people_who_may_not(world), "collectors": await collectors_that_may_not(world)}
