"""What a killed PostgreSQL leaves behind, and when it is safe to take it away.

PostgreSQL clears its own lock file when the process that it names is gone. It cannot when another process has that
number by now, which is common in containers. So the kernel keeps a lock for us: every server process inherits a
descriptor on which the supervisor took a lock, and only when the last of them is gone can the next start take it.
Whoever holds it knows that no server works in the folder, whatever numbers, namespaces or links there are.
"""

import asyncio
import contextlib
import fcntl
import os
import signal
import time
from pathlib import Path

import psutil

from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.errors import OperatorError

_PATIENCE_SECONDS = 30.0


async def take_over(folder: DataFolder) -> tuple[int, ...]:
    """Wait until no server works in the folder, clear what it left, and give the locked descriptor for the next."""
    descriptor = os.open(folder.server_lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        await _lock(descriptor, folder)
        (folder.postgres / "postmaster.pid").unlink(missing_ok=True)
        folder.postgres_socket.unlink(missing_ok=True)
        folder.postgres_socket.with_name(".s.PGSQL.5432.lock").unlink(missing_ok=True)
    except BaseException:
        os.close(descriptor)
        raise
    return (descriptor,)


async def _lock(descriptor: int, folder: DataFolder) -> None:
    """A server whose supervisor was killed is shutting down by itself; backends without one are told to leave."""
    begun = time.monotonic()
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        waited = time.monotonic() - begun
        if waited > 2 * _PATIENCE_SECONDS:
            raise OperatorError(
                f"a database server from an earlier start still works in {folder.postgres} and does not end: end it."
            )
        if waited > 1:
            await asyncio.to_thread(_ask_to_leave, folder.postgres, patient=waited < _PATIENCE_SECONDS)
        await asyncio.sleep(0.1)


def _ask_to_leave(data: Path, *, patient: bool) -> None:
    """SIGQUIT: leave at once, recover at the next start. While patient, only those that lost their postmaster."""
    processes = _processes_in(data)
    postmaster = _named_in_lock_file(data)
    if patient and any(process.pid == postmaster for process in processes):
        return
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(signal.SIGQUIT)


def _named_in_lock_file(data: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((data / "postmaster.pid").read_text().splitlines()[0])
    return None


def _processes_in(data: Path) -> list[psutil.Process]:
    """Those that we can see: every PostgreSQL process stands in its data folder, and nothing of ours does."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name().startswith("postgres") and Path(process.cwd()) == data.resolve():
                found.append(process)
    return found
