"""Extend: the time that a command waits for its site's own limits is not taken from its TTL.

What restarts machines waits for others to be back, or for the rate: that ends by itself, and a batch that somebody
approved is then done to its end. A stop waits until somebody starts machines, perhaps tomorrow: it keeps its TTL. So
does what no collector would fetch.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import limits
from hashinsight.commands.catalogue import RESTARTS
from hashinsight.commands.queries import extensions as queries
from hashinsight.commands.queries import leasing, outages, reading
from hashinsight.inventory.service import read_settings

NEAR_END = timedelta(minutes=1)  # some sweeps, and a poll
STEP_SEC = limits.TTL_SEC
BOUND_SEC = 24 * 3600


async def extend_held(session: AsyncSession, *, most: int, now: datetime) -> int:
    """Says how many were given more time."""
    rows = await queries.lock_ending(session, RESTARTS, before=now + NEAR_END, bound_sec=BOUND_SEC, most=most, now=now)
    held: list[UUID] = []
    for tenant_id in dict.fromkeys(row.tenant_id for row in rows):
        held += await _list_held(session, tenant_id, [row for row in rows if row.tenant_id == tenant_id], now=now)
    if held:
        await queries.extend(session, held, step_sec=STEP_SEC, bound_sec=BOUND_SEC, now=now)
    return len(held)


async def _list_held(session: AsyncSession, tenant_id: UUID, rows: Sequence[Any], *, now: datetime) -> list[UUID]:
    """All of a site where there are more than it has room for: those that go out now need no more time."""
    sites = sorted({row.site_id for row in rows})
    thresholds = (await read_settings(session, tenant_id)).settings.thresholds
    machines = await outages.count_machines(session, sites)
    down = await outages.list_down(session, sites, [row.miner_no for row in rows], now=now)
    limited = limits.limited(thresholds.reboots_per_site_5min)
    used = await leasing.list_used(session, sites, list(limited), since=now - limits.RATE_WINDOW)
    served = await reading.list_served(session, sites)
    taking_room = [row for row in rows if row.miner_no not in down.get(row.site_id, outages.NOBODY_DOWN).among]
    adds = Counter(row.site_id for row in taking_room)
    of_type = Counter((row.site_id, row.command_type) for row in rows)

    def is_held(row: Any) -> bool:
        site_id, kind = row.site_id, row.command_type
        cap = limits.most_down(thresholds.max_share_of_site_down, machines.get(site_id, 0))
        over_cap = down.get(site_id, outages.NOBODY_DOWN).in_transition + adds[site_id] > cap
        over_rate = kind in limited and used.get((site_id, kind), 0) + of_type[site_id, kind] > limited[kind]
        return (over_cap or over_rate) and bool({(site_id, None), (site_id, row.zone_id)} & served)

    return [row.command_id for row in rows if is_held(row)]
