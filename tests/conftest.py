"""Fixtures for every test: its own database and Redis, and settings that point there."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

# a run starts about two hundred processes: they keep compiled modules, whatever the shell says
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.set_threshold(20_000, 20, 20)  # as in the product's own processes, and before all of it is loaded
# the library reads this when it is first imported, so it comes before everything of ours
if "HI_TEST_METRICS" not in os.environ:
    os.environ["HI_TEST_METRICS"] = tempfile.mkdtemp(prefix="hi-metrics-")
os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.environ["HI_TEST_METRICS"]
for _name in [name for name in os.environ if name.startswith("HASHINSIGHT_")]:
    del os.environ[_name]

import httpx
import psycopg
import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pydantic import BaseModel, TypeAdapter
from redis import Redis

from hashinsight.app import create_app
from hashinsight.identity import passwords
from hashinsight.kit.db.address import DatabaseAddress, address_of_socket
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.logs import configure_logs
from hashinsight.kit.settings import Settings
from hashinsight.kit.web import rate_windows, responses
from tests import skips, statement_cache
from tests.answers import AnswerCheck
from tests.clones import Clones, quick_place
from tests.installation import HANG_TIMEOUT_SEC
from tests.people import People
from tests.run_report import ProcessorTime, RunReport
from tests.xdist_schedule import ModuleScheduler


def _loopback_only(event: str, arguments: tuple[Any, ...]) -> None:
    """No test connects to another machine: the interpreter refuses it."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not (host.startswith("127.") or host in ("::1", "localhost", "")):
            raise PermissionError(f"a test tried to reach {host}")


sys.addaudithook(_loopback_only)
statement_cache.share()
# slow drawing of examples means a busy machine, not a defect
hypothesis_settings.register_profile("house", suppress_health_check=[HealthCheck.too_slow], deadline=None)
hypothesis_settings.load_profile("house")

LONG = ("tests/console", "tests/chaos", "tests/stories", "tests/commands/race", "tests/commands/model")
_servers: subprocess.Popen[str] | None = None
_folder: Path | None = None


def pytest_configure(config: pytest.Config) -> None:
    """The first process of the run starts the servers; the parallel ones are told where they are."""
    global _servers, _folder  # noqa: PLW0603 - one set of servers a run
    config.pluginmanager.register(ProcessorTime(), "processor-time")
    config.pluginmanager.register(AnswerCheck(), "answers")
    if hasattr(config, "workerinput"):
        _folder = Path(config.workerinput["servers"])
        return
    config.pluginmanager.register(RunReport(config), "run-report")
    config.pluginmanager.register(skips, "skips")
    _folder = Path(tempfile.mkdtemp(prefix="hi-test-", dir=quick_place()))
    _servers = subprocess.Popen(
        [sys.executable, "-m", "tests.servers", str(_folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=config.rootpath,
    )
    assert _servers.stdout is not None
    if _servers.stdout.readline() != "ready\n":
        pytest.exit("the servers for the tests did not start", returncode=3)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    node.workerinput["servers"] = str(_folder)  # type: ignore[attr-defined] # xdist ships no types


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ModuleScheduler:
    return ModuleScheduler(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests start first, or the run would wait for them at its end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


def pytest_collection_finish() -> None:
    """Objects that live for the whole run are checked for garbage once, not at each collection."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    if _servers is None:
        return
    assert _servers.stdin is not None
    assert _servers.stdout is not None
    _servers.stdin.close()
    _servers.wait(HANG_TIMEOUT_SEC)
    _servers.stdout.close()
    assert _folder is not None
    shutil.rmtree(_folder)
    shutil.rmtree(os.environ["HI_TEST_METRICS"], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> None:
    """The same algorithm at its least cost: hundreds of people sign in during a run."""
    passwords._hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    passwords._NOBODY = passwords._hasher.hash("nobody")


@pytest.fixture(scope="session", autouse=True)
def validated_answers() -> None:
    """Routes encode without validation; here each answer is checked against the model in the OpenAPI document."""
    adapter = responses._adapter
    responses._adapter = lambda model: ValidatingAdapter(adapter(model))  # type: ignore[assignment]


class ValidatingAdapter:
    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        self._adapter = adapter

    def dump_json(self, content: Any, **options: Any) -> bytes:
        given = vars(content) if isinstance(content, BaseModel) else content
        self._adapter.validate_python(given, strict=True, extra="forbid")
        return self._adapter.dump_json(content, **options)


@pytest.fixture(scope="session", autouse=True)
def logs() -> None:
    """As in production: structured and scrubbed. Tests that look at logs set up their own."""
    configure_logs(Settings(log_level="WARNING", log_format="json"), "test")


@pytest.fixture(scope="session")
def folder() -> DataFolder:
    assert _folder is not None
    return DataFolder(_folder)


@pytest.fixture(scope="session")
def admin(folder: DataFolder) -> Iterator[psycopg.Connection]:
    """The superuser's connection to the cluster, for making and dropping databases."""
    url = address_of_socket(folder.sockets, "postgres", "postgres").libpq
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def clones(admin: psycopg.Connection) -> Iterator[Clones]:
    clones = Clones(admin)
    yield clones
    clones.drop_left()


@pytest.fixture
def database_name(clones: Clones) -> Iterator[str]:
    """A migrated database, cloned for this test alone."""
    name = clones.make()
    yield name
    clones.leave(name)


@pytest.fixture
def address(folder: DataFolder, database_name: str) -> DatabaseAddress:
    return address_of_socket(folder.sockets, database_name)


@pytest.fixture
def admin_of_test(folder: DataFolder, database_name: str) -> DatabaseAddress:
    """The database of the test as its superuser sees it: whoever migrates it up and down."""
    return address_of_socket(folder.sockets, database_name, "postgres")


@pytest.fixture
def superuser_url(folder: DataFolder, database_name: str) -> str:
    return address_of_socket(folder.sockets, database_name, "postgres").libpq


@pytest.fixture
async def database(address: DatabaseAddress) -> AsyncIterator[Database]:
    database = Database(address)
    yield database
    await database.dispose()


@pytest.fixture
def redis_url(folder: DataFolder) -> Iterator[str]:
    """A Redis database for this test process, empty."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 16
    url = f"unix://{folder.valkey_socket}?db={number}"
    with Redis.from_url(url) as redis:
        redis.flushdb()
        yield url


@pytest.fixture
def settings(tmp_path: Path, address: DatabaseAddress, redis_url: str) -> Settings:
    return Settings.model_validate(
        {"data_dir": tmp_path, "database_url": address.url, "redis_url": redis_url, "disk_reserve_mb": 1}
    )


@pytest.fixture
async def api(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the whole application that gets answers, never exceptions; `api.app` is the application."""
    app = create_app(settings)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as api,
    ):
        api.app = app  # type: ignore[attr-defined] # for tests that set its clock
        yield api


@pytest.fixture
def people(database: Database, settings: Settings) -> People:
    return People(database, settings)


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the whole application, as a caller on this machine."""
    app = create_app(settings)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        yield client


@pytest.fixture
def endless_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """No minute of a rate limit ends while a test counts its calls, on however slow a machine."""
    monkeypatch.setattr(rate_windows, "WINDOW_SECONDS", 10**9)
