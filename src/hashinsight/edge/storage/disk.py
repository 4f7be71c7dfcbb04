"""How the edge keeps what must outlive it: SQLite in WAL mode, each file with one thread of its own.

A transaction is there as a whole or not at all, whenever the process is killed. Against a power cut two promises are
made: `FULL` has reached the disk before the call returns (what was done to a machine), `NORMAL` may lose the newest
seconds and never its order or its shape (samples: an fsync a second would wear out the card of a small box).
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
Promise = Literal["FULL", "NORMAL"]
VERSION = 1
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_LOW_BYTE = 0xFF


class StateError(Exception):
    """The state folder cannot be used: one sentence."""


class Worker:
    """The one thread that touches a file, so that neither the event loop waits nor two writers meet."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def __call__(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What was asked for is done also when the caller is cancelled: samples that it held are nowhere else."""
        begun = asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args, **kwargs))
        return await asyncio.shield(begun)  # else what still waits for the thread would be dropped with its caller

    def close(self) -> None:
        self._pool.shutdown(wait=True)


def open_store(path: Path, schema: str, promise: Promise) -> sqlite3.Connection:
    """Made if it is missing. A damaged one raises sqlite3.DatabaseError: `is_broken` tells it from a full disk."""
    path.touch(mode=0o600, exist_ok=True)
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("pragma auto_vacuum = incremental")
        connection.execute("pragma journal_mode = wal")
        connection.execute(f"pragma synchronous = {promise}")
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


def read_only(path: Path) -> "closing[sqlite3.Connection]":
    """For looking from outside, also while the edge writes."""
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


def is_broken(problem: sqlite3.Error) -> bool:
    """Damaged beyond use, as against full, locked or read-only, which pass."""
    return (getattr(problem, "sqlite_errorcode", 0) & _LOW_BYTE) in _BROKEN


def set_aside(path: Path, now: float) -> Path:
    """A damaged file is kept for whoever wants to look, and makes room for a new one."""
    kept = path.with_name(f"{path.name}.damaged-{int(now)}")
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(kept.with_name(kept.name + ending))
    return kept


_TRIES, _TRY_SEC = 20, 0.05


class StateFolderInUse(Exception):
    """Another edge holds this state folder."""


def write_whole(path: Path, content: bytes, *, durably: bool = False) -> None:
    """`durably`: also after a power cut it is the new one; costs a trip to the disk."""
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


def write_durably(path: Path, content: bytes) -> None:
    write_whole(path, content, durably=True)


class FolderLock:
    """One edge for a state folder. The kernel lets go of it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "lock").open("a+b")
        if not self._taken():
            self._file.seek(0)
            holder = self._file.read(20).decode(errors="replace").strip()
            self._file.close()
            raise StateFolderInUse(f"another edge uses {folder} (process {holder or 'unknown'})") from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def _taken(self) -> bool:
        """Some tries: `edge status` holds it for an instant, and that is no second edge."""
        for _ in range(_TRIES):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_TRY_SEC)
            else:
                return True
        return False

    def release(self) -> None:
        self._file.close()


def is_locked(folder: Path) -> bool:
    """Whether an edge runs on this folder now."""
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
