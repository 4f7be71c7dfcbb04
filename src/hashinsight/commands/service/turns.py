"""Turns: of the polls that one process answers, those of one site go one after another.

Polls at the same time reach for the same commands: each walks over all that the others have locked and will have taken,
looks up its machine for nothing, and keeps the server from clearing away what is gone. What keeps two of them from one
command is the database alone, across processes and here; this only spares it the work.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

_PATIENCE_SECONDS = 0.25


class Turns:
    def __init__(self, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._of: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()  # a site without polls has none

    @asynccontextmanager
    async def of(self, site_id: int) -> AsyncIterator[None]:
        """Whoever has waited for long goes anyway: one poll that hangs must not hold up a site."""
        turn = self._of.get(site_id)
        if turn is None:
            turn = self._of[site_id] = asyncio.Lock()
        has_turn = await self._taken(turn)
        try:
            yield
        finally:
            if has_turn:
                turn.release()

    async def _taken(self, turn: asyncio.Lock) -> bool:
        """Patience also for one that looks free: it may be on its way to somebody who waited."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                return await turn.acquire()
        except TimeoutError:
            return False
