"""The one door from the synchronous world (command line, jobs) into the asynchronous one."""

import asyncio
import ctypes
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(main)


def stop_on_signal() -> asyncio.Event:
    """An event that SIGTERM or Ctrl-C sets; what the process holds is then finished, not cut."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


# as in malloc.h: where threads take their memory from, what is asked of the system apart, what is given back
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
_NEVER = 2**31 - 1
_LARGEST = 32 << 20  # the most that the C library takes for this
_AT_A_TIME = 16 << 20


def keep_memory() -> bool:
    """For processes that live long and compute on arrays; before their first thread. False: this system cannot.

    The process stays as large as it was at its largest. One arena for all threads, since the others are of 64 MB each
    and go back to the system whenever one is free.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # not the GNU C library
        return False
    wanted = ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGEST), (_TRIM_THRESHOLD, _NEVER), (_TOP_PAD, _AT_A_TIME))
    return all(mallopt(name, value) == 1 for name, value in wanted)


METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
METRICS_FOLDER = "metrics"


def share_metrics(data_dir: Path) -> None:
    """Must run before anything imports prometheus_client: it reads the folder when it is loaded."""
    folder = data_dir / METRICS_FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ[METRICS_VARIABLE] = str(folder)


def clear_metrics(data_dir: Path) -> None:
    """Forget what processes of an earlier start have counted; Prometheus takes it for the restart that it is."""
    for file in (data_dir / METRICS_FOLDER).glob("*.db"):
        file.unlink(missing_ok=True)
