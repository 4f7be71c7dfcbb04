"""The schema's history, and the moves along it. Runs online: short locks, waited for in small steps, tried again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import AsyncConnection, errors
from sqlalchemy import Connection, MetaData, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Role
from hashinsight.kit.db.roles import ensure_roles
from hashinsight.kit.errors import Refusal
from hashinsight.migrations.compare import is_ours

log = structlog.get_logger(__name__)

LOCK_TRIES = 20
# the look at the version table waits no longer than a migration does
_SESSION_OPTIONS = "-c timezone=UTC -c search_path=public -c lock_timeout=3s"


def head_revision() -> str:
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("the package holds no migrations")
    return head


async def current_revision(session: AsyncSession) -> str | None:
    """The revision that the database is at; None where it has never been migrated."""
    if (await session.execute(text("select to_regclass('public.alembic_version')"))).scalar() is None:
        return None
    return (await session.execute(text("select version_num from alembic_version"))).scalar()


async def upgrade(
    address: DatabaseAddress,
    *,
    login: str | None = None,
    lock_tries: int = LOCK_TRIES,
    pause_sec: float = 1.0,
) -> None:
    """Bring roles and schema to the head. Safe to run at any time, from several machines at once."""
    async with _turn(address) as admin:
        await ensure_roles(admin, login=login)
        for attempt in range(1, lock_tries + 1):
            try:
                await _as_owner(address, lambda connection: command.upgrade(_config(connection), "head"))
            except OperationalError as error:
                if not isinstance(error.orig, errors.LockNotAvailable):
                    raise
                log.warning("migration_waits_for_a_lock", attempt=attempt)
                await asyncio.sleep(pause_sec)
            else:
                return
    raise Refusal(
        "the migration got no lock on a table that is in use, and nothing was changed by its last step: "
        "run `hashinsight migrate` again at a quieter moment."
    )


async def differences(address: DatabaseAddress, metadata: MetaData) -> list[str]:
    """What the models say that the migrated database does not, and the other way round; empty when they agree."""
    found: list[str] = []

    def compare(connection: Connection) -> None:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": True,
                "include_object": is_ours(connection),
            },
        )
        found.extend(str(difference) for difference in compare_metadata(context, metadata))

    await _as_owner(address, compare)
    return found


async def draft(address: DatabaseAddress, metadata: MetaData, message: str) -> None:
    """Write the next migration as far as it follows from the models."""

    def write(connection: Connection) -> None:
        config = _config(connection)
        config.attributes["metadata"] = metadata
        count = len(list(ScriptDirectory.from_config(config).walk_revisions()))
        command.revision(config, message=message, autogenerate=True, rev_id=f"{count + 1:04d}")

    await _as_owner(address, write)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", "hashinsight:migrations")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


@asynccontextmanager
async def _turn(address: DatabaseAddress) -> AsyncIterator[AsyncConnection]:
    connection = await AsyncConnection.connect(address.libpq, autocommit=True, connect_timeout=5)
    async with connection:
        await connection.execute("select pg_advisory_lock(hashtext('hashinsight migrate'))")
        yield connection


async def _as_owner(address: DatabaseAddress, act: Callable[[Connection], None]) -> None:
    engine = create_async_engine(
        address.sqlalchemy,
        connect_args={"options": f"-c role={Role.OWNER.value} {_SESSION_OPTIONS}"},
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(act)
    finally:
        await engine.dispose()
