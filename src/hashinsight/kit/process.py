"""Entry from synchronous code (command line, jobs) into asynchronous code; process-wide setup."""

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
    """An event set by SIGTERM or Ctrl-C, so that the process finishes its work before it exits."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


# from malloc.h: number of arenas, mmap threshold, trim threshold
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
_NEVER = 2**31 - 1
_LARGEST = 32 << 20  # the largest value the C library accepts
_AT_A_TIME = 16 << 20


def keep_memory() -> bool:
    """For long-lived processes that compute on arrays; call before the first thread. False: not supported here.

    The process keeps its peak memory. All threads share one arena: others have 64 MB each and return it whenever one is
    free.
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
    """Call before anything imports prometheus_client, which reads the folder at import."""
    folder = data_dir / METRICS_FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ[METRICS_VARIABLE] = str(folder)


def clear_metrics(data_dir: Path) -> None:
    """Delete metrics of an earlier start; Prometheus sees a counter reset, as for any restart."""
    for file in (data_dir / METRICS_FOLDER).glob("*.db"):
        file.unlink(missing_ok=True)
