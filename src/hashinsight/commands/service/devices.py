"""Devices that poll: one poll per site at a time, and leases from before a restart returned at once."""

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
from hashinsight.commands.service.queue import rearbitrate
from hashinsight.commands.service.sweeps import MAX_SWEPT, record_swept
from hashinsight.commands.states import State

_MAX_KNOWN = 100_000
_MAX_WAIT_SEC = 0.25


class KnownIncarnations:
    """The newest start of each device that this process has seen: a cache that saves a query per poll."""

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[UUID, str], int] = OrderedDict()

    def knows(self, collector_id: UUID, device: str, incarnation: int) -> bool:
        return self._newest.get((collector_id, device), 0) >= incarnation

    def note(self, collector_id: UUID, device: str, incarnation: int) -> None:
        """After the commit."""
        self._newest[collector_id, device] = max(incarnation, self._newest.get((collector_id, device), 0))
        if len(self._newest) > _MAX_KNOWN:
            self._newest.popitem(last=False)


class PollTurns:
    """Polls of one site are answered one after another, within this process.

    Simultaneous polls reach for the same commands: each would walk over the rows that the others have locked. The
    database alone guarantees that no command is leased twice; this only saves it work.
    """

    def __init__(self, max_wait_sec: float = _MAX_WAIT_SEC) -> None:
        self._max_wait_sec = max_wait_sec
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()  # none for sites without polls

    @asynccontextmanager
    async def of(self, site_id: int) -> AsyncIterator[None]:
        """After a while a poll goes ahead anyway: one that hangs must not hold up its site."""
        lock = self._locks.get(site_id)
        if lock is None:
            lock = self._locks[site_id] = asyncio.Lock()
        is_locked = await self._acquire(lock)
        try:
            yield
        finally:
            if is_locked:
                lock.release()

    async def _acquire(self, lock: asyncio.Lock) -> bool:
        """With a time limit also if the lock looks free: it may be promised to a waiting poll."""
        try:
            async with asyncio.timeout(self._max_wait_sec):
                return await lock.acquire()
        except TimeoutError:
            return False


async def note_incarnation(
    session: AsyncSession, holder: LeaseHolder, device: str, incarnation: int, *, now: datetime
) -> int:
    """Return the leases from before this start of the device to the queue, under their ids; returns how many.

    The incarnation is a counter on the device's disk. Every poll is noted before it is answered, so all leases that
    the device holds when a new incarnation is noted are from before.
    """
    start = queries.DeviceIncarnation(holder.tenant_id, holder.site_id, holder.collector_id, device, incarnation)
    if not await queries.update_incarnation(session, start, now=now):
        return 0
    moved = await queries.move_returned_after_restart(session, start, most=MAX_SWEPT, now=now)
    await record_swept(session, moved, now=now)
    returned = {row.command_id: row.miner_no for row in moved if row.state == State.QUEUED}
    await rearbitrate(session, SYSTEM, returned, now=now)
    return len(moved)
