"""A site's machines as an upload needs them: the number of each, and for which zone's collectors it is."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from hashinsight.collectors.models import Collector
from hashinsight.inventory.queries.tables import Miner
from hashinsight.telemetry.models import LIVE
from hashinsight.telemetry.site_machines import WHOLE_SITE, SiteMachines

_LAST, _CLAIMER = aliased(Collector), aliased(Collector)
# a machine's own zone; without one, the zone that brought its last sample, that has claimed it, or the whole site
_HOLDER = func.coalesce(
    Miner.zone_id,
    _LAST.zone_id,
    _CLAIMER.zone_id,
    case((or_(_LAST.id.is_not(None), _CLAIMER.id.is_not(None)), WHOLE_SITE)),
)
_ONE_CLAIM = text("select pg_advisory_xact_lock(hashtext('machines claimed at'), :site_id)")


async def list_machines(session: AsyncSession, site_id: int, *, zoned: bool) -> SiteMachines:
    """With `zoned`, also for whom each is."""
    if not zoned:
        rows = await session.execute(select(Miner.miner_id, Miner.miner_no).where(Miner.site_id == site_id))
        return SiteMachines({miner_id: miner_no for miner_id, miner_no in rows})  # noqa: C416 - rows are no pairs
    columns = (Miner.miner_id, Miner.miner_no, _HOLDER, Miner.zone_id.is_(None))
    held_rows: Sequence[Any] = (await session.execute(_held(select(*columns)).where(Miner.site_id == site_id))).all()
    return SiteMachines(
        {miner_id: miner_no for miner_id, miner_no, _, _ in held_rows},
        {miner_id: holder for miner_id, _, holder, _ in held_rows if holder is not None},
        frozenset(miner_id for miner_id, _, holder, is_unzoned in held_rows if is_unzoned and holder is not None),
        frozenset(miner_id for miner_id, _, holder, _ in held_rows if holder is None),
    )


async def update_claimed(
    session: AsyncSession, site_id: int, collector_no: int, miner_ids: Collection[str]
) -> list[str]:
    """Those of these machines that nobody held, which are this collector's now. One claim of a site at a time."""
    await session.execute(_ONE_CLAIM, {"site_id": site_id})
    free = _held(select(Miner.miner_no)).where(
        Miner.site_id == site_id, Miner.miner_id.in_(miner_ids), _HOLDER.is_(None)
    )
    numbers = list((await session.execute(free)).scalars())
    claimed = (
        update(Miner)
        .where(Miner.miner_no.in_(numbers), Miner.zone_id.is_(None))
        .values(claimed_by=collector_no)
        .returning(Miner.miner_id)
        .execution_options(synchronize_session=False)
    )
    return sorted((await session.execute(claimed)).scalars())


def _held(query: Any) -> Any:
    """With the collectors that hold machines without a zone; a disabled one holds none."""
    brought_by = func.coalesce(LIVE.c.collector_no, Miner.registered_by)
    return (
        query.outerjoin(LIVE, and_(Miner.zone_id.is_(None), LIVE.c.miner_no == Miner.miner_no))
        .outerjoin(_LAST, and_(Miner.zone_id.is_(None), _LAST.number == brought_by, _is_there(_LAST)))
        .outerjoin(_CLAIMER, and_(Miner.zone_id.is_(None), _CLAIMER.number == Miner.claimed_by, _is_there(_CLAIMER)))
    )


def _is_there(collector: type[Collector]) -> ColumnElement[bool]:
    return and_(collector.site_id == Miner.site_id, collector.status != "disabled")
