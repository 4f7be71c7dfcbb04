"""Machines that nobody has listed join the inventory of the collector that reports them: a few at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service import record
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.collectors.kinds import REGISTRATION_LIMIT
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import events
from hashinsight.collectors.service.events import tell
from hashinsight.inventory.service.seen import Newcomers, count_registered, register_seen

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class RegistrationLimits:
    """How many machines a collector may register; beyond that somebody has to list them."""

    per_call: int = 1000
    per_day: int = 5000


async def register_reported(
    session: AsyncSession,
    caller: CollectorCaller,
    miner_ids: Sequence[str],
    limits: RegistrationLimits,
    *,
    now: datetime,
) -> int:
    """Register the first of them, as many as the limits leave room for; says how many were taken.

    One call of a collector at a time, or each would find the same room.
    """
    done = await count_registered(session, caller.site_id, caller.collector_no, since=now - _DAY)
    room = max(min(limits.per_call, limits.per_day - done), 0)
    chosen = list(miner_ids)[:room]
    if chosen:
        new = Newcomers(caller.tenant_id, caller.site_id, caller.stands_in, caller.collector_no, chosen)
        await register_seen(session, caller.actor, new, now=now)
    if len(chosen) < len(miner_ids):
        which = "per_day" if room < limits.per_call else "per_call"
        most = limits.per_day if which == "per_day" else limits.per_call
        await _tell_limit(session, caller, which, most, refused=len(miner_ids) - len(chosen), now=now)
    return len(chosen)


async def _tell_limit(
    session: AsyncSession,
    caller: CollectorCaller,
    which: str,
    most: int,
    *,
    refused: int,
    now: datetime,
) -> None:
    """Once a day and limit, however often it is met: an event for the operator, and an audit entry."""
    if await events.was_told(session, caller.collector_id, REGISTRATION_LIMIT, "limit", which, since=now - _DAY):
        return
    collector = await session.get_one(Collector, caller.collector_id)
    details = {"limit": which, "machines": most, "refused": refused}
    words = "in one call" if which == "per_call" else "in 24 hours"
    await tell(
        session,
        collector,
        REGISTRATION_LIMIT,
        f"collector {collector.name} reports more than {most} unknown machines {words}",
        message=f"{refused} were not registered, and their samples were rejected. If these machines are yours, import "
        f"the asset list or raise HASHINSIGHT_REGISTER_{which.upper()}; if not, revoke the collector's token.",
        details=details,
        now=now,
    )
    await record(
        session,
        caller.actor,
        Action.REGISTRATION_LIMITED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after=details,
        now=now,
    )
