"""The database roles, made by `migrate` on any server: embedded or the operator's own.

The roles cannot log in. The login behind the address is a member that inherits nothing and takes a role for one
transaction at a time, so no second password has to be kept, and a statement outside a context may do nothing.
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
    """Whether HashInsight can live in this database at all; asked by everything that starts on it, and by `doctor`."""
    version = connection.info.server_version  # 180001 for 18.1
    if version < MIN_SERVER_VERSION:
        found, needed = version // 10000, MIN_SERVER_VERSION // 10000
        raise OperatorError(f"the database server is PostgreSQL {found}: HashInsight needs {needed} or newer.")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise OperatorError(f"the database is encoded in {encoding}: make one with encoding UTF8 for HashInsight.")


async def ensure_roles(connection: AsyncConnection, *, login: str | None = None) -> None:
    """Make the roles and their rights on the schema. `login` is the account that takes them; by default one's own."""
    check_server(connection)
    member = sql.Identifier(login) if login else sql.SQL("current_user")
    try:
        async with connection.transaction():
            # two `migrate` that start together take turns
            await connection.execute("select pg_advisory_xact_lock(hashtext('hashinsight roles'))")
            for role in Role:
                await _ensure_role(connection, role, member)
            await _grant_schema(connection)
    except (errors.InsufficientPrivilege, errors.InvalidGrantOperation) as error:
        raise OperatorError(
            f"the database account may not make the roles that HashInsight needs ({_first_line(error)}): "
            "use an account that owns the database and has CREATEROLE, or see docs/operations/own-servers.md."
        ) from error


async def _ensure_role(connection: AsyncConnection, role: Role, member: sql.Composable) -> None:
    name = sql.Identifier(role.value)
    exists = await (await connection.execute("select 1 from pg_roles where rolname = %s", [role.value])).fetchone()
    if not exists:
        # roles belong to the whole server: another database's `migrate` may be making the same one right now
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
        name = sql.Identifier(connection.info.dbname)  # bulk writes go by way of a temporary table
        await connection.execute(sql.SQL("grant temporary on database {} to {}, {}").format(name, app, job))


async def _holds(connection: AsyncConnection, question: LiteralString | sql.Composed) -> bool:
    row = await (await connection.execute(question)).fetchone()
    return bool(row and row[0])


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


async def reach(address: DatabaseAddress) -> int:
    """The server's version number, or a refusal."""
    try:
        connection = await psycopg.AsyncConnection.connect(address.libpq, connect_timeout=5)
    except psycopg.OperationalError as error:
        raise OperatorError(_sentence(address, str(error))) from None
    except psycopg.ProgrammingError as error:
        raise OperatorError(
            f"HASHINSIGHT_DATABASE_URL cannot be read: {scrub_text(str(error).splitlines()[0])}."
        ) from None
    async with connection:
        check_server(connection)
        return connection.info.server_version


def _sentence(address: DatabaseAddress, said: str) -> str:
    reason = scrub_text(said.strip().splitlines()[-1].strip().removeprefix("FATAL:").strip())
    if "password authentication failed" in said or "no password supplied" in said:
        return f"the database at {address.shown} refuses the password: correct it in HASHINSIGHT_DATABASE_URL."
    if "Peer authentication failed" in said:
        return "the embedded database was started by another user: run this command as that user."
    if address.is_embedded:
        return "the embedded PostgreSQL is not running: start everything with `hashinsight up`."
    if "does not exist" in said and "database" in said:
        return f"the server answers, but the database of {address.shown} does not exist: make it, or correct the URL."
    return (
        f"the database at {address.shown} cannot be reached ({reason}): check that it runs and that the URL is right."
    )


class Login(NamedTuple):
    at: datetime  # the database's own clock
    bypasses_policies: bool  # a superuser, or a role that ignores row-level security


async def get_login(session: AsyncSession) -> Login:
    """The account behind this connection, for `doctor`."""
    query = "select clock_timestamp(), rolsuper or rolbypassrls from pg_roles where rolname = session_user"
    return Login(*(await session.execute(text(query))).one())
