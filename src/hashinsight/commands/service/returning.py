"""Meet: a device that says which of its lives polls. What a former life was given comes back at once, under its old id.

A life is a number that the device counts up on its own disk. Every poll of a life is met before it is answered, so that
whatever the device holds when a later life is met belongs to a former one.
"""

from collections import OrderedDict
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.commands.queries import returning as queries
from hashinsight.commands.service.leasing import Holder
from hashinsight.commands.service.superseding import weigh_returned
from hashinsight.commands.service.sweeping import MOST, record_moved
from hashinsight.commands.states import State

_MOST_MET = 100_000


class Met:
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


async def meet(session: AsyncSession, holder: Holder, device: str, incarnation: int, *, now: datetime) -> int:
    """How many leases came back."""
    life = queries.Life(holder.tenant_id, holder.site_id, holder.collector_id, device, incarnation)
    if not await queries.move_incarnation(session, life, now=now):
        return 0
    moved = await queries.move_last_life(session, life, most=MOST, now=now)
    await record_moved(session, moved, now=now)
    returned = {row.command_id: row.miner_no for row in moved if row.state == State.QUEUED}
    await weigh_returned(session, SYSTEM, returned, now=now)
    return len(moved)
