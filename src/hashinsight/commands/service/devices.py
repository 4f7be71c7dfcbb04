"""Meet: a device that says which of its lives polls. What a former life was given comes back at once, under its old id.

A life is a number that the device counts up on its own disk. Every poll of a life is met before it is answered, so that
whatever the device holds when a later life is met belongs to a former one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.commands.queries import devices as queries
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.commands.service.superseding import weigh_returned
from hashinsight.commands.service.sweeps import MAX_SWEPT, record_moved
from hashinsight.commands.states import State

_MOST_MET = 100_000


class KnownIncarnations:
    """The lives that this process has met, so that a poll costs nothing more. It only forgets what is asked again."""

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[UUID, str], int] = OrderedDict()

    def knows(self, collector_id: UUID, device: str, incarnation: int) -> bool:
        return self._newest.get((collector_id, device), 0) >= incarnation

    def note(self, collector_id: UUID, device: str, incarnation: int) -> None:
        """Once it is committed."""
        self._newest[collector_id, device] = max(incarnation, self._newest.get((collector_id, device), 0))
        if len(self._newest) > _MOST_MET:
            self._newest.popitem(last=False)


async def note_incarnation(
    session: AsyncSession, holder: LeaseHolder, device: str, incarnation: int, *, now: datetime
) -> int:
    """How many leases came back."""
    life = queries.DeviceIncarnation(holder.tenant_id, holder.site_id, holder.collector_id, device, incarnation)
    if not await queries.move_incarnation(session, life, now=now):
        return 0
    moved = await queries.move_last_life(session, life, most=MAX_SWEPT, now=now)
    await record_moved(session, moved, now=now)
    returned = {row.command_id: row.miner_no for row in moved if row.state == State.QUEUED}
    await weigh_returned(session, SYSTEM, returned, now=now)
    return len(moved)


_PATIENCE_SECONDS = 0.25


class PollTurns:
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
