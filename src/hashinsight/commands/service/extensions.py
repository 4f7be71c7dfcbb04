"""Extend: the time that a command waits for its site's own limits is not taken from its TTL.

What restarts machines waits for others to be back, or for the rate: that ends by itself, and a batch that somebody
approved is then done to its end. A stop waits until somebody starts machines, perhaps tomorrow: it keeps its TTL. So
does what no collector fetches: only a poll since a command was due shows that a limit holds it.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import limits
from hashinsight.commands.catalogue import RESTARTS
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.queries import extensions as queries
from hashinsight.commands.queries import leases, outages
from hashinsight.inventory.service import get_settings

NEAR_END = timedelta(minutes=1)  # some sweeps, and a poll
POLLED_WITHIN = timedelta(minutes=2)  # some polls
STEP_SEC = limits.DEFAULT_TTL_SEC
BOUND_SEC = 24 * 3600


async def extend_held(session: AsyncSession, *, most: int, now: datetime) -> int:
    """Says how many were given more time."""
    rows = await queries.lock_ending(session, RESTARTS, before=now + NEAR_END, bound_sec=BOUND_SEC, most=most, now=now)
    held: dict[UUID, str] = {}
    for tenant_id in dict.fromkeys(row.tenant_id for row in rows):
        held |= await _list_held(session, tenant_id, [row for row in rows if row.tenant_id == tenant_id], now=now)
    if held:
        await queries.extend(session, held, step_sec=STEP_SEC, bound_sec=BOUND_SEC, now=now)
    return len(held)


async def _list_held(session: AsyncSession, tenant_id: UUID, rows: Sequence[Any], *, now: datetime) -> dict[UUID, str]:
    """Those that a limit holds, with its name: all of a site where some took room and more wait than there is left.

    Those that go out next need no more time. But a place that came free a moment ago must not end those behind it.
    """
    sites = sorted({row.site_id for row in rows})
    thresholds = (await get_settings(session, tenant_id)).settings.thresholds
    machines = await outages.count_machines(session, sites, now=now)
    down = await outages.list_down(session, sites, [row.miner_no for row in rows], now=now)
    limited = limits.rate_limits(thresholds.reboots_per_site_5min)
    used = await leases.list_used(session, sites, list(limited), since=now - limits.RATE_WINDOW)
    polled = await queries.list_polled(session, sites, since=now - POLLED_WITHIN)
    taking_room = [row for row in rows if row.miner_no not in down.get(row.site_id, outages.NO_OUTAGES).among]
    adds = Counter(row.site_id for row in taking_room)
    of_type = Counter((row.site_id, row.command_type) for row in rows)

    def reason(row: Any) -> WaitReason | None:
        site_id, kind = row.site_id, row.command_type
        spent, in_transition = used.get((site_id, kind), 0), down.get(site_id, outages.NO_OUTAGES).in_transition
        cap = limits.outage_cap(thresholds.max_share_of_site_down, machines.get(site_id, 0))
        if kind in limited and spent and spent + of_type[site_id, kind] > limited[kind]:
            return WaitReason.RATE_LIMITED
        return WaitReason.BLAST_RADIUS if in_transition and in_transition + adds[site_id] > cap else None

    def was_passed_by(row: Any) -> bool:
        """A poll is noted once in a while: the newest note may be that much older."""
        last = [polled[key] for key in ((row.site_id, None), (row.site_id, row.zone_id)) if key in polled]
        return bool(last) and max(last) > row.due_at - leases.HEARD_EVERY

    return {row.command_id: why.value for row in rows if was_passed_by(row) and (why := reason(row)) is not None}
