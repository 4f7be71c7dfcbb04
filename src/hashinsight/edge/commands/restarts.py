"""Restarts that were begun: a machine that was stopped to be started again is started, whatever ended in between.

Written down before the stop, so that it outlives a kill of everything and a power cut. Not for ever: after a while
somebody may have stopped the machine for a reason of his own.
"""

import time
from collections.abc import Callable
from typing import Protocol

LONGEST_SEC = 1800.0


class Book(Protocol):
    """On disk when it returns; `list` is asked once, at the start."""

    async def begin_restart(self, miner_id: str, *, now: float) -> None: ...

    async def end_restart(self, miner_id: str) -> None: ...

    def list_restarts(self) -> dict[str, float]: ...


class Restarts:
    def __init__(self, book: Book, *, clock: Callable[[], float] = time.time) -> None:
        self._book, self._clock = book, clock
        self._open = book.list_restarts()

    async def begin(self, miner_id: str) -> None:
        now = self._clock()
        await self._book.begin_restart(miner_id, now=now)
        self._open[miner_id] = now

    async def end(self, miner_id: str) -> None:
        """It was told to start, or people decided otherwise. A disk that takes nothing does not open it again."""
        if self._open.pop(miner_id, None) is not None:
            await self._book.end_restart(miner_id)

    def is_open(self, miner_id: str) -> bool:
        return miner_id in self._open

    def is_late(self, miner_id: str) -> bool:
        return not 0 <= self._clock() - self._open.get(miner_id, 0.0) <= LONGEST_SEC
