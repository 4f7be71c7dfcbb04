"""Who is suppressed at a moment."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_SUPPRESSED = text(
    "select distinct m.miner_no from suppressions s join miners m on m.site_id = s.site_id"
    " and (s.kind = 'site' or m.miner_no = s.miner_no or m.zone_id = s.zone_id or exists ("
    "  select from group_members g where g.group_id = s.group_id and g.miner_no = m.miner_no))"
    " where s.site_id = :site and s.lifted_at is null and s.from_at <= :at and (s.until_at is null or s.until_at > :at)"
)


async def suppressed_miners(session: AsyncSession, site_id: int, *, as_of: datetime) -> Sequence[int]:
    return list((await session.execute(_SUPPRESSED, {"site": site_id, "at": as_of})).scalars())
