"""State on disk: SQLite files with one thread each, small files that are replaced whole, and the folder lock.

A transaction is complete or absent, whenever the process is killed. For a power cut there are two levels: `FULL` is on
the disk before the call returns (what was done to a machine), `NORMAL` may lose the newest seconds but never the order
or the file (samples: one fsync a second would wear out the card of a small box).
"""

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Durability = Literal["FULL", "NORMAL"]
VERSION = 1
_CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_LOW_BYTE = 0xFF
_LOCK_TRIES, _LOCK_RETRY_SEC = 20, 0.05


class StateError(Exception):
    """The state folder cannot be used: one sentence."""


class StateFolderInUse(Exception):
    """Another collector runs on this state folder."""


class FileThread:
    """The only thread that touches a database file: the event loop never waits, and two writers never meet."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def __call__(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The work is done even if the caller is cancelled: the samples it was given exist nowhere else."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args, **kwargs))
        return await asyncio.shield(future)  # without it, work still in the queue would be dropped with its caller

    def close(self) -> None:
        self._pool.shutdown(wait=True)


def open_database(path: Path, schema: str, durability: Durability) -> sqlite3.Connection:
    """Created if missing. A damaged file raises sqlite3.DatabaseError; `is_corrupt` tells it from a full disk."""
    path.touch(mode=0o600, exist_ok=True)
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("pragma auto_vacuum = incremental")
        connection.execute("pragma journal_mode = wal")
        connection.execute(f"pragma synchronous = {durability}")
        connection.execute("pragma journal_size_limit = 33554432")
        connection.execute("pragma cache_size = -4096")
        _check_version(connection, path)
        with transaction(connection):
            for statement in schema.split(";\n"):
                connection.execute(statement)
            connection.execute(f"pragma user_version = {VERSION}")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("pragma user_version").fetchone()
    if version > VERSION:
        raise StateError(f"{path} was written by a newer version of this program")


def open_read_only(path: Path) -> "closing[sqlite3.Connection]":
    """For other processes, also while the collector writes."""
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5, isolation_level=None))


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("begin immediate")
    try:
        yield connection
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def is_corrupt(error: sqlite3.Error) -> bool:
    """Damaged for good; a full, locked or read-only file recovers."""
    return (getattr(error, "sqlite_errorcode", 0) & _LOW_BYTE) in _CORRUPT


def set_aside(path: Path, now: float) -> Path:
    """Rename a damaged file, so that it can be inspected and a new one can be made."""
    renamed = path.with_name(f"{path.name}.damaged-{int(now)}")
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(renamed.with_name(renamed.name + ending))
    return renamed


def replace_file(path: Path, content: bytes, *, durably: bool = False) -> None:
    """Readers see the old file or the new one, never half. `durably`: the new one also survives a power cut."""
    draft = path.with_name(f".{path.name}.new")
    with draft.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        if durably:
            file.flush()
            os.fsync(file.fileno())
    draft.replace(path)
    if durably:
        _sync_folder(path.parent)


class FolderLock:
    """One collector per state folder. The kernel releases the lock when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "lock").open("a+b")
        if not self._try_lock():
            self._file.seek(0)
            holder = self._file.read(20).decode(errors="replace").strip()
            self._file.close()
            raise StateFolderInUse(f"another collector uses {folder} (process {holder or 'unknown'})") from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def _try_lock(self) -> bool:
        """Several tries: `edge status` holds the lock for an instant and is not a second collector."""
        for _ in range(_LOCK_TRIES):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_LOCK_RETRY_SEC)
            else:
                return True
        return False

    def release(self) -> None:
        self._file.close()


def is_locked(folder: Path) -> bool:
    """Whether a collector runs on this folder now."""
    try:
        with (folder / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
