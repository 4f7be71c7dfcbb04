"""Runs migrations with Alembic, which only the commands that migrate load."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import errors
from sqlalchemy import Connection, MetaData, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Role
from hashinsight.kit.errors import OperatorError


def own_tables_only(connection: Connection) -> Callable[[Any, str | None, str, bool, Any], bool]:
    partitions = set(connection.execute(text("select relname from pg_class where relispartition")).scalars())

    def judge(_thing: Any, name: str | None, kind: str, _reflected: bool, _other: Any) -> bool:  # noqa: FBT001
        return not (kind == "table" and (name in partitions or name == "alembic_version"))

    return judge


log = structlog.get_logger(__name__)

# reading the version table waits no longer than a migration
_SESSION_OPTIONS = "-c timezone=UTC -c search_path=public -c lock_timeout=3s"


async def upgrade_to_head(address: DatabaseAddress, *, lock_tries: int, pause_sec: float) -> None:
    """Upgrade in small steps; none waits long for a lock."""
    for attempt in range(1, lock_tries + 1):
        try:
            await run_as_owner(address, lambda connection: command.upgrade(config(connection), "head"))
        except OperationalError as error:
            if not isinstance(error.orig, errors.LockNotAvailable):
                raise
            log.warning("migration_waiting_for_lock", attempt=attempt)
            await asyncio.sleep(pause_sec)
        else:
            return
    raise OperatorError(
        "the migration could not lock a table that is in use; its last step changed nothing: "
        "run `hashinsight migrate` again at a quieter time."
    )


async def list_differences(address: DatabaseAddress, metadata: MetaData) -> list[str]:
    """Differences between the models and the migrated database; empty if they agree."""
    found: list[str] = []

    def compare(connection: Connection) -> None:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": True,
                "include_object": own_tables_only(connection),
            },
        )
        found.extend(str(difference) for difference in compare_metadata(context, metadata))

    await run_as_owner(address, compare)
    return found


async def draft(address: DatabaseAddress, metadata: MetaData, message: str) -> None:
    """Draft the next migration from the models."""

    def write(connection: Connection) -> None:
        drafting = config(connection)
        drafting.attributes["metadata"] = metadata
        count = len(list(ScriptDirectory.from_config(drafting).walk_revisions()))
        command.revision(drafting, message=message, autogenerate=True, rev_id=f"{count + 1:04d}")

    await run_as_owner(address, write)


def config(connection: Connection | None = None) -> Config:
    made = Config()
    made.set_main_option("script_location", "hashinsight:migrations")
    made.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    made.attributes["connection"] = connection
    return made


async def run_as_owner(address: DatabaseAddress, act: Callable[[Connection], None]) -> None:
    engine = create_async_engine(
        address.sqlalchemy,
        connect_args={"options": f"-c role={Role.OWNER.value} {_SESSION_OPTIONS}"},
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(act)
    finally:
        await engine.dispose()
