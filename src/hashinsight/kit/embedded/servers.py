"""Starts the embedded servers, or finds them running."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from hashinsight.kit.children import Supervisor
from hashinsight.kit.embedded import postgres, valkey
from hashinsight.kit.embedded.account import service_account
from hashinsight.kit.embedded.binaries import locate
from hashinsight.kit.embedded.disk import check_free_space
from hashinsight.kit.embedded.folder import DataFolder, check_owner, hold_folder, open_folder, prepare, unusable_folder
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.settings import Settings

Progress = Callable[[str], None]
_SAY_EVERY_SECONDS = 5.0


@asynccontextmanager
async def data_folder(settings: Settings) -> AsyncIterator[DataFolder]:
    """The data folder, checked and locked by this process."""
    folder = _opened(settings)
    with hold_folder(folder):
        yield folder


def _opened(settings: Settings) -> DataFolder:
    try:
        check_free_space(settings.data_dir, settings.disk_reserve_mb)
        folder = open_folder(settings.data_dir)
        check_owner(folder, service_account(settings.service_user))
        postgres.check_cluster_version(folder)
    except OSError as error:
        raise unusable_folder(settings.data_dir, error) from error
    return folder


async def start_servers(
    supervisor: Supervisor,
    settings: Settings,
    folder: DataFolder,
    *,
    say: Progress,
    postgres_overrides: dict[str, str] | None = None,
) -> None:
    """Start each server for which the settings name no external address."""
    if settings.database_url is not None and settings.redis_url is not None:
        return
    account = service_account(settings.service_user)
    prepare(folder, account)
    binaries = locate(account, folder.path)
    if settings.redis_url is None:
        await supervisor.start(valkey.valkey_child(folder, account, binaries))
        say("Valkey is up")
    if settings.database_url is None:
        await postgres.make_cluster(folder, account, binaries)
        postgres.configure_cluster(folder, account, connections=_connections(settings), overrides=postgres_overrides)
        child = postgres.postgres_child(folder, account, binaries)
        await supervisor.start(child, waiting=progress_reporter(say, lambda: "PostgreSQL is recovering"))
        await postgres.make_database(folder)
        say("PostgreSQL is up")


def _connections(settings: Settings) -> int:
    """Room for every process's full pool, two workers and schedulers more than we start, and people."""
    return (settings.api_processes + 4) * 2 * settings.database_pool + 40


def progress_reporter(say: Progress, what: Callable[[], str]) -> Callable[[float], None]:
    """For long waits: reports every few seconds what is being waited for."""
    reported_at = 0.0

    def waiting(seconds: float) -> None:
        nonlocal reported_at
        if seconds - reported_at >= _SAY_EVERY_SECONDS:
            reported_at = seconds
            say(f"{what()} ({seconds:.0f} s)")

    return waiting


@asynccontextmanager
async def servers_for_command(settings: Settings, *, may_begin: bool = False) -> AsyncIterator[None]:
    """For a command: servers already running, or embedded ones for its duration.

    `may_begin`: create a missing installation; otherwise an empty folder is an error and stays untouched.
    """
    running = DataFolder(settings.data_dir)
    if settings.database_url is not None or await postgres.accepts_connections(postgres.address(running)):
        yield
        return
    if not may_begin and not postgres.is_there(running):
        raise OperatorError(
            f"no installation in {settings.data_dir}: start one with `hashinsight up`, or set"
            " HASHINSIGHT_DATA_DIR to its folder."
        )
    async with data_folder(settings) as folder:
        supervisor = Supervisor()
        try:
            await start_servers(supervisor, settings, folder, say=lambda _: None)
            yield
        finally:
            await supervisor.stop()
