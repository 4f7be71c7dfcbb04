"""The one door from the synchronous world (command line, jobs) into the asynchronous one."""

import asyncio
import signal
from collections.abc import Coroutine
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
