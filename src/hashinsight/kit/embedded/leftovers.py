"""Cleans up after a killed PostgreSQL, once it is safe.

PostgreSQL removes its own lock file if the process named in it is gone, but not if another process has that pid by now,
which is common in containers. So each server process inherits a descriptor that the supervisor has locked; the next
start gets the lock only after the last of them is gone. Its holder knows that no server is using the folder.
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
    """Wait until no server uses the folder, clean up, and return the locked descriptor for the next server."""
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
    """A server whose supervisor was killed shuts down by itself; backends without a postmaster are told to quit."""
    began = time.monotonic()
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        waited = time.monotonic() - began
        if waited > 2 * _PATIENCE_SECONDS:
            raise OperatorError(
                f"a database server of an earlier start still uses {folder.postgres} and does not exit: stop it."
            )
        if waited > 1:
            await asyncio.to_thread(_send_quit, folder.postgres, patient=waited < _PATIENCE_SECONDS)
        await asyncio.sleep(0.1)


def _send_quit(data: Path, *, patient: bool) -> None:
    """SIGQUIT: exit at once, recover at the next start. While patient, only processes without a postmaster."""
    processes = _processes_in(data)
    postmaster = _postmaster_pid(data)
    if patient and any(process.pid == postmaster for process in processes):
        return
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(signal.SIGQUIT)


def _postmaster_pid(data: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((data / "postmaster.pid").read_text().splitlines()[0])
    return None


def _processes_in(data: Path) -> list[psutil.Process]:
    """PostgreSQL processes whose working directory is this data folder."""
    processes = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name().startswith("postgres") and Path(process.cwd()) == data.resolve():
                processes.append(process)
    return processes
