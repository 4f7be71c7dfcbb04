"""A site's machines as an upload needs them: the number of each, and for which zone's collectors it is."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.collectors.models import Collector
from hashinsight.inventory.models import Miner
from hashinsight.telemetry.models import LIVE
from hashinsight.telemetry.numbers import WHOLE_SITE, SiteMachines

# so long after its last sample a machine without a zone is its collector's, and no other zone's
SPOKEN_FOR = timedelta(minutes=15)


async def list_machines(session: AsyncSession, site_id: int, *, zoned: bool, now: datetime) -> SiteMachines:
    """With `zoned`, also for whom each is: its own zone's collectors; without a zone, those of who brought it last."""
    if not zoned:
        rows = await session.execute(select(Miner.miner_id, Miner.miner_no).where(Miner.site_id == site_id))
        return SiteMachines({miner_id: miner_no for miner_id, miner_no in rows})  # noqa: C416 - rows are no pairs
    spoken = case((Collector.id.is_not(None), func.coalesce(Collector.zone_id, WHOLE_SITE)))
    is_recent = and_(Miner.zone_id.is_(None), LIVE.c.miner_no == Miner.miner_no, LIVE.c.ts > now - SPOKEN_FOR)
    query = (
        select(Miner.miner_id, Miner.miner_no, func.coalesce(Miner.zone_id, spoken))
        .outerjoin(LIVE, is_recent)
        .outerjoin(Collector, and_(Collector.number == LIVE.c.collector_no, Collector.status != "disabled"))
        .where(Miner.site_id == site_id)
    )
    found: Sequence[Any] = (await session.execute(query)).all()
    return SiteMachines(
        {miner_id: miner_no for miner_id, miner_no, _ in found},
        {miner_id: zone_id for miner_id, _, zone_id in found if zone_id is not None},
    )
