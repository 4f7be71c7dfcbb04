"""The embedded PostgreSQL: created once, configured at each start, recovers from crashes by itself."""

import asyncio
import os
import shutil
import signal
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql

from hashinsight.kit.children import Child, die_with_parent
from hashinsight.kit.db.address import LOGIN_ROLE, SUPERUSER, DatabaseAddress, address_of_socket
from hashinsight.kit.embedded import machine
from hashinsight.kit.embedded.account import Account, own_name
from hashinsight.kit.embedded.binaries import POSTGRES_MAJOR, Binaries
from hashinsight.kit.embedded.folder import DataFolder, sync_folder
from hashinsight.kit.embedded.leftovers import take_over
from hashinsight.kit.embedded.tuning import postgres_settings
from hashinsight.kit.errors import OperatorError

DATABASE = "hashinsight"


def address(folder: DataFolder) -> DatabaseAddress:
    return address_of_socket(folder.sockets, DATABASE)


def admin_address(folder: DataFolder, database: str = DATABASE) -> DatabaseAddress:
    """The superuser's address, for creating roles and the database. Only the supervisor and `migrate` use it."""
    return address_of_socket(folder.sockets, database, SUPERUSER)


def is_there(folder: DataFolder) -> bool:
    """Whether the folder holds an installation; assumed if we may not look into it."""
    try:
        return folder.postgres.exists()
    except PermissionError:
        return True


def check_cluster_version(folder: DataFolder) -> None:
    version_file = folder.postgres / "PG_VERSION"
    if folder.postgres.exists() and not version_file.exists():
        raise OperatorError(
            f"{folder.postgres} exists but holds no database: move it away, or restore it from a backup."
        )
    if version_file.exists() and (major := version_file.read_text().strip()) != str(POSTGRES_MAJOR):
        raise OperatorError(
            f"the data folder {folder.path} holds a PostgreSQL {major} database, this version of HashInsight runs "
            f"PostgreSQL {POSTGRES_MAJOR}: see 'Upgrading PostgreSQL' in docs/operations/embedded-servers.md."
        )


async def make_cluster(folder: DataFolder, account: Account, binaries: Binaries) -> None:
    """Initdb in a temporary folder, then one rename: an interrupted start leaves nothing half-made."""
    if (folder.postgres / "PG_VERSION").exists():
        return
    aside = folder.path / "postgres.part"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(mode=0o700)
    account.own(aside)
    process = await asyncio.create_subprocess_exec(
        str(binaries.postgres_bin / "initdb"),
        *("-D", str(aside), "-U", SUPERUSER, "--encoding=UTF8", "--locale-provider=builtin"),
        *("--builtin-locale=C.UTF-8", "--locale=C", "--auth=peer", "--no-instructions"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=_environment(),
        cwd=folder.path,
        user=account.uid if account.is_other else None,
        group=account.gid if account.is_other else None,
        extra_groups=[] if account.is_other else None,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:  # stopped while it runs: end it first
        process.terminate()
        await process.wait()
        raise
    if process.returncode != 0:
        lines = output.decode(errors="replace").strip().splitlines() or ["nothing"]
        reason = next((line for line in lines if "error" in line.lower() or "could not" in line), lines[-1])
        raise OperatorError(f"the database could not be created in {folder.path}: initdb: {reason.strip()}.")
    aside.rename(folder.postgres)
    sync_folder(folder.path)


def configure_cluster(
    folder: DataFolder, account: Account, *, connections: int, overrides: dict[str, str] | None = None
) -> None:
    """Write the server's configuration, where the server itself cannot write.

    Operators' own settings go into postgres.conf in the data folder.
    """
    settings = {
        **postgres_settings(
            memory_mb=machine.memory_mb(),
            cores=machine.cores(),
            shm_mb=machine.shm_mb(),
            connections=connections,
        ),
        "hba_file": str(folder.config / "pg_hba.conf"),
        "ident_file": str(folder.config / "pg_ident.conf"),
        "listen_addresses": "",
        "unix_socket_directories": str(folder.sockets),
        "unix_socket_permissions": "0700",
        "log_directory": str(folder.postgres_logs),
        **(overrides or {}),
    }
    lines = ["# Written at each start. Your own settings belong in postgres.conf in the data folder."]
    lines += [f"{name} = {_quoted(value)}" for name, value in settings.items()]
    own = folder.path / "postgres.conf"
    if own.exists():
        lines += [f"include = {_quoted(str(own))}"]
    _write(folder.config / "postgresql.conf", lines, account)
    _write(folder.config / "pg_hba.conf", ["local all all peer map=hashinsight"], account)
    names = sorted({own_name(), account.name})
    grants = [f'hashinsight "{name}" {role}' for name in names for role in (SUPERUSER, LOGIN_ROLE)]
    _write(folder.config / "pg_ident.conf", grants, account)


def postgres_child(folder: DataFolder, account: Account, binaries: Binaries) -> Child:
    async def before() -> tuple[int, ...]:
        return await take_over(folder)

    async def ready() -> bool:
        return await accepts_connections(admin_address(folder, "postgres"))

    return Child(
        name="postgres",
        command=[
            str(binaries.postgres_bin / "postgres"),
            *("-D", str(folder.postgres), "-c", f"config_file={folder.config / 'postgresql.conf'}"),
        ],
        layer=0,
        environment=_environment(),
        folder=folder.path,
        uid=account.uid if account.is_other else None,
        gid=account.gid if account.is_other else None,
        stop_signal=signal.SIGINT,  # fast shutdown: roll back, checkpoint, exit
        stop_seconds=60,
        before=before,
        ready=ready,
        output=folder.logs / "postgres-start.log",
    )


async def accepts_connections(at: DatabaseAddress) -> bool:
    try:
        connection = await psycopg.AsyncConnection.connect(at.libpq, connect_timeout=2)
    except psycopg.OperationalError:
        return False
    await connection.close()
    return True


async def make_database(folder: DataFolder) -> None:
    """Create the login of the application, which has no rights of its own, and the database."""
    async with await psycopg.AsyncConnection.connect(
        admin_address(folder, "postgres").libpq, autocommit=True
    ) as connection:
        if not await _exists(connection, "select 1 from pg_roles where rolname = %s", LOGIN_ROLE):
            await connection.execute(sql.SQL("create role {} login noinherit").format(sql.Identifier(LOGIN_ROLE)))
        if not await _exists(connection, "select 1 from pg_database where datname = %s", DATABASE):
            await connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))


async def _exists(connection: psycopg.AsyncConnection, query: LiteralString, name: str) -> bool:
    return await (await connection.execute(query, [name])).fetchone() is not None


def _environment() -> dict[str, str]:
    """Without the caller's PG… variables, which would redirect the server or initdb."""
    kept = ("PATH", "TMPDIR", "LD_LIBRARY_PATH")
    return {"LC_ALL": "C", "TZ": "UTC", **{name: os.environ[name] for name in kept if name in os.environ}}


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _write(path: Path, lines: list[str], account: Account) -> None:
    path.write_text("\n".join(lines) + "\n")
    if account.is_other:  # writable for us, readable for the server
        os.chown(path, -1, account.gid)
    path.chmod(0o640 if account.is_other else 0o600)
