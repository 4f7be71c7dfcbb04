"""Which machines a request means, what they draw and hash, and their locks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Integer, Text, and_, case, column, func, literal, select, table, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.queries.miners import filter_condition
from hashinsight.inventory.queries.scopes import in_groups, miners_within
from hashinsight.inventory.queries.tables import Miner
from hashinsight.telemetry.models import LIVE

# of the registry beside us, which we know by its rows and not by its code
_PROBLEMS = table("problem_events", column("miner_no"), column("issue_code"), column("status"))
_PRESENT = ("open", "ack", "in_progress")
_FRESH = timedelta(minutes=15)
# in one order for all: requests for the same machines take turns, and what the one made, the next one weighs
_LOCK = text(
    "select miner_no, site_id, zone_id, state from miners where miner_no = any (cast(:nos as int[]))"
    " order by miner_no for no key update"
)


def by_ids(miner_ids: Sequence[str]) -> ColumnElement[bool]:
    return Miner.miner_id == literal(sorted(set(miner_ids)), ARRAY(Text)).any_()


def by_group(group_id: int) -> ColumnElement[bool]:
    return in_groups([group_id])


def by_filter(
    chosen: MinerFilter, site_id: int | None, *, online: bool | None, issue_code: str | None
) -> ColumnElement[bool]:
    narrow: ColumnElement[bool] = filter_condition(chosen, site_id=site_id)
    if online is not None:
        narrow = and_(narrow, Miner.miner_no.in_(select(LIVE.c.miner_no).where(LIVE.c.online.is_(online))))
    if issue_code is not None:
        p = _PROBLEMS.c
        has_it = select(p.miner_no).where(p.issue_code == issue_code, p.status.in_(_PRESENT), p.miner_no.is_not(None))
        narrow = and_(narrow, Miner.miner_no.in_(has_it))
    return narrow


async def list_targets(
    session: AsyncSession, seen: Scope, meant: ColumnElement[bool], *, site_id: int | None, may: Scope | None, most: int
) -> Sequence[Any]:
    """The machines that are meant and seen; `is_allowed` says whether the caller may act on each."""
    allowed = literal(False) if may is None else miners_within(may)  # noqa: FBT003 - SQL's
    query = (
        select(Miner.miner_no, Miner.miner_id, Miner.site_id, Miner.zone_id, Miner.state, allowed.label("is_allowed"))
        .where(miners_within(seen), meant)
        .order_by(Miner.miner_no)
        .limit(most)
    )
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    return (await session.execute(query)).all()


async def lock_machines(session: AsyncSession, miner_nos: Sequence[int]) -> dict[int, tuple[int, int | None, str]]:
    """Where each stands now, by site and zone, and in which state."""
    rows = await session.execute(_LOCK, {"nos": list(miner_nos)})
    return {row.miner_no: (row.site_id, row.zone_id, row.state) for row in rows}


async def list_draws(session: AsyncSession, miner_nos: Sequence[int], *, now: datetime) -> Sequence[Any]:
    """By model, and by whether a fresh sample says what they draw: machines, power, hashrate.

    What no sample says is asked of the catalogue of models, outside of here.
    """
    says = _says_power(now).label("says")
    # of one that is offline the mean is what it last reported: it counts with its rating, as one never seen does
    ths = func.coalesce(case((LIVE.c.online, LIVE.c.hashrate_5min_ths)), Miner.expected_ths)
    query = (
        select(
            Miner.model,
            says,
            func.count().label("machines"),
            func.coalesce(func.sum(LIVE.c.power_w), 0).label("power_w"),
            func.coalesce(func.sum(ths), 0).label("ths"),
            func.count().filter(ths.is_(None)).label("unknown_ths"),
        )
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .where(Miner.miner_no == literal(list(miner_nos), ARRAY(Integer)).any_())
        .group_by(Miner.model, says)
    )
    return (await session.execute(query)).all()


async def list_each_draw(session: AsyncSession, miner_nos: Sequence[int], *, now: datetime) -> Sequence[Any]:
    """Machine by machine; `power_w` is null where no fresh sample says it."""
    query = (
        select(Miner.miner_no, Miner.model, case((_says_power(now), LIVE.c.power_w)).label("power_w"))
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .where(Miner.miner_no == literal(list(miner_nos), ARRAY(Integer)).any_())
    )
    return (await session.execute(query)).all()


def _says_power(now: datetime) -> ColumnElement[bool]:
    fresh: ColumnElement[bool] = func.coalesce(and_(LIVE.c.ts > now - _FRESH, LIVE.c.power_w > 0), False)
    return fresh


async def count_in_service(session: AsyncSession, site_id: int) -> int:
    query = select(func.count()).where(Miner.site_id == site_id, Miner.state == "in_service")
    return (await session.execute(query)).scalar_one()
