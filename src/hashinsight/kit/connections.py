"""Addresses of the servers that this process uses: the operator's own, or the embedded ones in the data folder."""

from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from hashinsight.kit.db.address import LOGIN_ROLE, DatabaseAddress, address_from_url
from hashinsight.kit.db.database import Database
from hashinsight.kit.embedded import postgres, valkey
from hashinsight.kit.embedded.folder import DataFolder, check_version
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.settings import Settings

_REDIS_SECONDS = 3.0


def database_address(settings: Settings) -> DatabaseAddress:
    if settings.database_url is not None:
        return address_from_url(settings.database_url.get_secret_value())
    return postgres.address(_running_folder(settings))


def admin_address(settings: Settings) -> tuple[DatabaseAddress, str | None]:
    """The address for migrations, and the login to grant the roles to (None: the address's own)."""
    if settings.database_url is not None:
        return address_from_url(settings.database_url.get_secret_value()), None
    return postgres.admin_address(_running_folder(settings)), LOGIN_ROLE


def open_database(settings: Settings, application: str) -> Database:
    replica = settings.read_database_url
    return Database(
        database_address(settings),
        address_from_url(replica.get_secret_value()) if replica else None,
        pool=settings.database_pool,
        application=f"hashinsight {application}",
    )


def redis_url(settings: Settings) -> str:
    if settings.redis_url is not None:
        return settings.redis_url.get_secret_value()
    return valkey.address(DataFolder(settings.data_dir))


def open_redis(settings: Settings) -> Redis:
    # blocking reads of the job queue return every second: a socket silent for longer is dead
    return Redis.from_url(redis_url(settings), socket_timeout=10.0, socket_connect_timeout=_REDIS_SECONDS)


def open_async_redis(settings: Settings) -> AsyncRedis:
    return AsyncRedis.from_url(
        redis_url(settings), socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
    )


def _running_folder(settings: Settings) -> DataFolder:
    folder = DataFolder(settings.data_dir)
    try:
        running = folder.postgres_socket.exists()
    except PermissionError:
        raise OperatorError(
            f"the data folder {folder.path} belongs to another user: run this command as that user."
        ) from None
    if not running:
        check_version(folder)
        raise OperatorError(
            f"no database: the embedded PostgreSQL of {folder.path} is not running. Start everything with "
            "`hashinsight up`, or set HASHINSIGHT_DATABASE_URL to a server of your own."
        )
    return folder
