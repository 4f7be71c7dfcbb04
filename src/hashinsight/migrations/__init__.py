"""Schema migrations. They run online: short locks, acquired in small steps with retries."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from psycopg import AsyncConnection, errors, sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Role
from hashinsight.kit.db.server import ensure_roles

LOCK_TRIES = 20
_VERSIONS = Path(__file__).parent / "versions"
_TABLE = "select to_regclass('public.alembic_version')"
_REVISION = "select version_num from public.alembic_version"


@cache
def head_revision() -> str:
    """From the sorted file names, so that most processes need not load Alembic."""
    head = max((file.name.partition("_")[0] for file in _VERSIONS.glob("[0-9]*_*.py")), default=None)
    if head is None:
        raise RuntimeError("the package holds no migrations")
    return head


async def current_revision(session: AsyncSession) -> str | None:
    """The revision of the database; None if it was never migrated."""
    if (await session.execute(text(_TABLE))).scalar() is None:
        return None
    return (await session.execute(text(_REVISION))).scalar()


async def upgrade(
    address: DatabaseAddress,
    *,
    login: str | None = None,
    lock_tries: int = LOCK_TRIES,
    pause_sec: float = 1.0,
) -> None:
    """Upgrade roles and schema to the head. Safe at any time, also from several machines at once."""
    async with _exclusive(address) as admin:
        await ensure_roles(admin, login=login)
        if await _is_current(admin):
            return
        from hashinsight.migrations.runner import upgrade_to_head

        await upgrade_to_head(address, lock_tries=lock_tries, pause_sec=pause_sec)


async def _is_current(admin: AsyncConnection) -> bool:
    """Whether the schema is at the head already, as at nearly every start."""
    try:
        async with admin.transaction():
            await admin.execute(sql.SQL("set local role {}").format(sql.Identifier(Role.OWNER.value)))
            await admin.execute("set local lock_timeout = '3s'")
            known = await (await admin.execute(_TABLE)).fetchone()
            if known is None or known[0] is None:
                return False
            return await (await admin.execute(_REVISION)).fetchall() == [(head_revision(),)]
    except errors.LockNotAvailable:  # the table is locked: the migration waits for it and reports it
        return False


@asynccontextmanager
async def _exclusive(address: DatabaseAddress) -> AsyncIterator[AsyncConnection]:
    connection = await AsyncConnection.connect(address.libpq, autocommit=True, connect_timeout=5)
    async with connection:
        await connection.execute("select pg_advisory_lock(hashtext('hashinsight migrate'))")
        yield connection
