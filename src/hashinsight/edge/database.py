"""How the edge keeps what must outlive it: SQLite in WAL mode, each file with one thread of its own.

A transaction is there as a whole or not at all, whenever the process is killed. Against a power cut two promises are
made: `FULL` has reached the disk before the call returns (what was done to a machine), `NORMAL` may lose the newest
seconds and never its order or its shape (samples: an fsync a second would wear out the card of a small box).
"""

import asyncio
import sqlite3
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


class StateRefused(Exception):
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
        raise StateRefused(f"{path} was written by a newer version of this program")


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
