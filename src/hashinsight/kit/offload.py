"""Work that takes longer than 20 ms, done beside the event loop so that nobody else waits for it.

One caller has one turn at a time: whoever sends much waits for what it sent itself, and not the others for it.
"""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_THREADS = ThreadPoolExecutor(2, thread_name_prefix="offload")  # more would only fight for the interpreter's lock
_turns: "WeakValueDictionary[Hashable, asyncio.Lock]" = WeakValueDictionary()


async def offload(caller: Hashable, work: Callable[[], T]) -> T:
    """Hold no database connection meanwhile: whoever waits for a turn would keep it from others."""
    async with lock_for_caller(caller):
        return await asyncio.get_running_loop().run_in_executor(_THREADS, work)


def lock_for_caller(caller: Hashable) -> asyncio.Lock:
    turn = _turns.get(caller)
    if turn is None:
        turn = _turns[caller] = asyncio.Lock()
    return turn
