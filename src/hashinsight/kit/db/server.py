"""The database roles, created by `migrate` on any server: embedded or the operator's own.

The roles cannot log in. The login is a member without inherited rights and takes a role for one transaction at a time:
no second password is needed, and a statement outside a context may do nothing.
"""

from datetime import datetime
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import AsyncConnection, errors, sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.address import DatabaseAddress
from hashinsight.kit.db.context import Role
from hashinsight.kit.errors import OperatorError
from hashinsight.kit.scrub import scrub_text

MIN_SERVER_VERSION = 160000


def check_server(connection: AsyncConnection) -> None:
    """Whether HashInsight can use this database; called by everything that starts, and by `doctor`."""
    version = connection.info.server_version  # 180001 for 18.1
    if version < MIN_SERVER_VERSION:
        major, needed = version // 10000, MIN_SERVER_VERSION // 10000
        raise OperatorError(f"the database server is PostgreSQL {major}: HashInsight needs {needed} or newer.")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise OperatorError(f"the database encoding is {encoding}: create a database with encoding UTF8.")


async def ensure_roles(connection: AsyncConnection, *, login: str | None = None) -> None:
    """Create the roles and their rights on the schema. `login` takes them; default: the current account."""
    check_server(connection)
    member = sql.Identifier(login) if login else sql.SQL("current_user")
    try:
        async with connection.transaction():
            # two `migrate` started together take turns
            await connection.execute("select pg_advisory_xact_lock(hashtext('hashinsight roles'))")
            for role in Role:
                await _ensure_role(connection, role, member)
            await _grant_schema(connection)
    except (errors.InsufficientPrivilege, errors.InvalidGrantOperation) as error:
        raise OperatorError(
            f"the database account cannot create the roles that HashInsight needs ({_first_line(error)}): "
            "use an account that owns the database and has CREATEROLE, or see docs/operations/own-servers.md."
        ) from error


async def _ensure_role(connection: AsyncConnection, role: Role, member: sql.Composable) -> None:
    name = sql.Identifier(role.value)
    exists = await (await connection.execute("select 1 from pg_roles where rolname = %s", [role.value])).fetchone()
    if not exists:
        # roles are server-wide: another database's `migrate` may create the same one now
        try:
            async with connection.transaction():
                await connection.execute(sql.SQL("create role {} nologin").format(name))
        except (errors.DuplicateObject, errors.UniqueViolation):
            pass
    may_set = sql.SQL("select pg_has_role(session_user, {}, 'SET')").format(sql.Literal(role.value))
    if not isinstance(member, sql.SQL) or not await _holds(connection, may_set):
        await connection.execute(sql.SQL("grant {} to {} with set true, inherit false").format(name, member))


async def _grant_schema(connection: AsyncConnection) -> None:
    owner, app, job, ingest = (sql.Identifier(role.value) for role in Role)
    ready = (
        "select has_schema_privilege('hi_owner', 'public', 'CREATE')"
        " and has_schema_privilege('hi_app', 'public', 'USAGE')"
        " and has_schema_privilege('hi_job', 'public', 'USAGE')"
        " and has_schema_privilege('hi_ingest', 'public', 'USAGE')"
    )
    if not await _holds(connection, ready):
        await connection.execute(sql.SQL("grant usage, create on schema public to {}").format(owner))
        await connection.execute(sql.SQL("grant usage on schema public to {}, {}, {}").format(app, job, ingest))
    if not await _holds(connection, "select has_database_privilege('hi_app', current_database(), 'TEMP')"):
        name = sql.Identifier(connection.info.dbname)  # bulk writes use a temporary table
        await connection.execute(sql.SQL("grant temporary on database {} to {}, {}").format(name, app, job))


async def _holds(connection: AsyncConnection, question: LiteralString | sql.Composed) -> bool:
    row = await (await connection.execute(question)).fetchone()
    return bool(row and row[0])


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


async def reach(address: DatabaseAddress) -> int:
    """The server's version number; OperatorError if it cannot be reached."""
    try:
        connection = await psycopg.AsyncConnection.connect(address.libpq, connect_timeout=5)
    except psycopg.OperationalError as error:
        raise OperatorError(_sentence(address, str(error))) from None
    except psycopg.ProgrammingError as error:
        raise OperatorError(f"HASHINSIGHT_DATABASE_URL is invalid: {scrub_text(str(error).splitlines()[0])}.") from None
    async with connection:
        check_server(connection)
        return connection.info.server_version


def _sentence(address: DatabaseAddress, message: str) -> str:
    reason = scrub_text(message.strip().splitlines()[-1].strip().removeprefix("FATAL:").strip())
    if "password authentication failed" in message or "no password supplied" in message:
        return f"the database at {address.shown} refuses the password: correct it in HASHINSIGHT_DATABASE_URL."
    if "Peer authentication failed" in message:
        return "the embedded database was started by another user: run this command as that user."
    if address.is_embedded:
        return "the embedded PostgreSQL is not running: start everything with `hashinsight up`."
    if "does not exist" in message and "database" in message:
        return f"the server is up, but the database of {address.shown} does not exist: create it, or correct the URL."
    return f"the database at {address.shown} cannot be reached ({reason}): check that it is running, and the URL."


class Login(NamedTuple):
    at: datetime  # by the database's clock
    bypasses_policies: bool  # a superuser, or a role that ignores row-level security


async def get_login(session: AsyncSession) -> Login:
    """The account of this connection, for `doctor`."""
    query = "select clock_timestamp(), rolsuper or rolbypassrls from pg_roles where rolname = session_user"
    return Login(*(await session.execute(text(query))).one())
