"""What a killed PostgreSQL leaves behind, and when it is safe to take it away.

PostgreSQL clears its own lock file when the process that it names is gone. It cannot when another process has that
number by now, which is common in containers. We hold the data folder's lock, so we may look closer: only if no
process at all works in the data folder is the file taken away.
"""

import contextlib
import time
from pathlib import Path

import psutil

from hashinsight.kit.embedded.folder import DataFolder
from hashinsight.kit.errors import Refusal

_PATIENCE_SECONDS = 30.0


def clear_stale_lock(folder: DataFolder) -> None:
    pid_file = folder.postgres / "postmaster.pid"
    if not pid_file.exists():
        return
    _end_orphans(folder.postgres)
    pid_file.unlink(missing_ok=True)
    folder.postgres_socket.unlink(missing_ok=True)
    folder.postgres_socket.with_name(".s.PGSQL.5432.lock").unlink(missing_ok=True)


def _end_orphans(data: Path) -> None:
    """Wait for servers that still work here: one whose supervisor was killed is shutting down by itself."""
    begun = time.monotonic()
    asked = False
    while processes := _processes_in(data):
        waited = time.monotonic() - begun
        if waited > 2 * _PATIENCE_SECONDS:
            numbers = ", ".join(str(process.pid) for process in processes)
            raise Refusal(
                f"a database server from an earlier start still works in {data} (processes {numbers}): end it."
            )
        if waited > _PATIENCE_SECONDS and not asked:
            asked = True
            for process in processes:
                with contextlib.suppress(psutil.Error):
                    process.send_signal(3)  # SIGQUIT: leave at once, recover at the next start
        time.sleep(0.1)


def _processes_in(data: Path) -> list[psutil.Process]:
    """Every PostgreSQL process stands in its data folder; nothing of ours does."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name().startswith("postgres") and Path(process.cwd()) == data:
                found.append(process)
    return found
