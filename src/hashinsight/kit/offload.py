"""Runs work of more than 20 ms in threads, off the event loop.

Each caller has one turn at a time, so a caller that sends much waits only for its own work.
"""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_THREADS = ThreadPoolExecutor(2, thread_name_prefix="offload")  # more threads would only compete for the GIL
_turns: "WeakValueDictionary[Hashable, asyncio.Lock]" = WeakValueDictionary()


async def offload(caller: Hashable, work: Callable[[], T]) -> T:
    """Hold no database connection while waiting for a turn."""
    async with lock_for_caller(caller):
        return await asyncio.get_running_loop().run_in_executor(_THREADS, work)


def lock_for_caller(caller: Hashable) -> asyncio.Lock:
    turn = _turns.get(caller)
    if turn is None:
        turn = _turns[caller] = asyncio.Lock()
    return turn
