"""Who is suppressed at a moment, whatever it was said of: the machine, its zone, a group, the site."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

# Each kind by its own way to the machines: one join for all would look at every machine for every suppression.
_REACHED = """
with held as materialized (
    select site_id, kind, miner_no, zone_id, group_id, maintenance,
        coalesce(extract(epoch from until_at)::float8, 'Infinity') as until
    from suppressions
    where lifted_at is null and from_at <= :as_of and (until_at is null or until_at > :as_of) and {sites}
), reached as (
    select m.miner_no, h.until, h.maintenance from held h
        join miners m on m.site_id = h.site_id where h.kind = 'site' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance from held h
        join miners m on m.zone_id = h.zone_id and m.site_id = h.site_id where h.kind = 'zone' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance from held h
        join group_members g on g.group_id = h.group_id
        join miners m on m.miner_no = g.miner_no and m.site_id = h.site_id where h.kind = 'group' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance from held h
        join miners m on m.miner_no = h.miner_no and m.site_id = h.site_id where h.kind = 'miner' and {machines}
), widest as (
    select miner_no, max(until) as until, bool_or(maintenance) as maintenance from reached group by miner_no
)
select coalesce(array_agg(miner_no order by miner_no), '{{}}') as miner_no,
    coalesce(array_agg(until order by miner_no), '{{}}') as until,
    coalesce(array_agg(maintenance order by miner_no), '{{}}') as maintenance
from widest
"""
_AT_SITE = text(_REACHED.format(sites="site_id = :site_id", machines="m.state = 'in_service'"))
_OF_SOME = text(_REACHED.format(sites="site_id = any (:site_ids)", machines="m.miner_no = any (:miner_nos)"))


@dataclass(frozen=True)
class Suppressed:
    """Machines in order, each with the latest end of what suppresses it: seconds since 1970, or infinite."""

    miner_no: NDArray[np.int64]
    until: NDArray[np.float64]
    maintenance: NDArray[np.bool_]


async def suppressed_miners(session: AsyncSession, site_id: int, *, as_of: datetime) -> Suppressed:
    """The machines of a site that nothing new is to be told of."""
    row = (await session.execute(_AT_SITE, {"site_id": site_id, "as_of": as_of})).one()
    return _read(row)


async def find_suppressed(
    session: AsyncSession, site_ids: Sequence[int], miner_nos: Sequence[int], *, as_of: datetime
) -> Suppressed:
    """The same of these machines."""
    values = {"site_ids": list(site_ids), "miner_nos": list(miner_nos), "as_of": as_of}
    return _read((await session.execute(_OF_SOME, values)).one())


def _read(row: Any) -> Suppressed:
    return Suppressed(
        np.asarray(row.miner_no, dtype=np.int64),
        np.asarray(row.until, dtype=np.float64),
        np.asarray(row.maintenance, dtype=np.bool_),
    )
