"""The machines of a request: selected within a scope, locked, with power and hashrate."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Integer, Text, and_, case, column, func, literal, select, table, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.limits import FRESH_SAMPLE
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.queries.miners import filter_condition
from hashinsight.inventory.queries.scopes import in_groups, miners_within
from hashinsight.inventory.queries.tables import Miner
from hashinsight.telemetry.models import LIVE

# the registry of problems: known here by its table only, neighbours do not import each other
_PROBLEMS = table("problem_events", column("miner_no"), column("issue_code"), column("status"))
SHOWN = ("open", "ack", "in_progress")  # as `problems.codes.SHOWN_STATUSES`, which is not imported either
# in one order for all: requests for the same machines wait for each other, and the later one sees the earlier one's
_LOCK = text("""
select miner_no, site_id, zone_id, state
from miners
where miner_no = any (cast(:nos as int[]))
order by miner_no
for no key update
""")


def has_id(miner_ids: Sequence[str]) -> ColumnElement[bool]:
    return Miner.miner_id == literal(sorted(set(miner_ids)), ARRAY(Text)).any_()


def in_group(group_id: int) -> ColumnElement[bool]:
    return in_groups([group_id])


def matches_filter(
    miner_filter: MinerFilter, site_id: int | None, *, online: bool | None, issue_code: str | None
) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = filter_condition(miner_filter, site_id=site_id)
    if online is not None:
        condition = and_(condition, Miner.miner_no.in_(select(LIVE.c.miner_no).where(LIVE.c.online.is_(online))))
    if issue_code is not None:
        p = _PROBLEMS.c
        affected = select(p.miner_no).where(p.issue_code == issue_code, p.status.in_(SHOWN), p.miner_no.is_not(None))
        condition = and_(condition, Miner.miner_no.in_(affected))
    return condition


async def list_targets(
    session: AsyncSession,
    scope: Scope,
    condition: ColumnElement[bool],
    *,
    site_id: int | None,
    allowed: Scope | None,
    most: int,
) -> Sequence[Any]:
    """Selected machines within the scope; `is_allowed`: whether each is within the `allowed` scope too."""
    is_allowed = literal(False) if allowed is None else miners_within(allowed)  # noqa: FBT003 - SQL's
    query = (
        select(
            Miner.miner_no, Miner.miner_id, Miner.site_id, Miner.zone_id, Miner.state, is_allowed.label("is_allowed")
        )
        .where(miners_within(scope), condition)
        .order_by(Miner.miner_no)
        .limit(most)
    )
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    return (await session.execute(query)).all()


async def lock_machines(session: AsyncSession, miner_nos: Sequence[int]) -> dict[int, tuple[int, int | None, str]]:
    """Site, zone and state of each, locked."""
    rows = await session.execute(_LOCK, {"nos": list(miner_nos)})
    return {row.miner_no: (row.site_id, row.zone_id, row.state) for row in rows}


async def sum_power(session: AsyncSession, miner_nos: Sequence[int], *, now: datetime) -> Sequence[Any]:
    """Machines, power and hashrate by model and by whether a fresh sample has the power.

    For machines without one, the caller takes the rated power of the model.
    """
    is_measured = _has_power(now).label("is_measured")
    # an offline machine's mean is from its last report: it counts with its expected hashrate, like one never seen
    ths = func.coalesce(case((LIVE.c.online, LIVE.c.hashrate_5min_ths)), Miner.expected_ths)
    query = (
        select(
            Miner.model,
            is_measured,
            func.count().label("machines"),
            func.coalesce(func.sum(LIVE.c.power_w), 0).label("power_w"),
            func.coalesce(func.sum(ths), 0).label("ths"),
            func.count().filter(ths.is_(None)).label("unknown_ths"),
        )
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .where(Miner.miner_no == literal(list(miner_nos), ARRAY(Integer)).any_())
        .group_by(Miner.model, is_measured)
    )
    return (await session.execute(query)).all()


async def list_power(session: AsyncSession, miner_nos: Sequence[int], *, now: datetime) -> Sequence[Any]:
    """Per machine; `power_w` is null without a fresh sample."""
    query = (
        select(Miner.miner_no, Miner.model, case((_has_power(now), LIVE.c.power_w)).label("power_w"))
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .where(Miner.miner_no == literal(list(miner_nos), ARRAY(Integer)).any_())
    )
    return (await session.execute(query)).all()


def _has_power(now: datetime) -> ColumnElement[bool]:
    fresh: ColumnElement[bool] = func.coalesce(and_(LIVE.c.ts > now - FRESH_SAMPLE, LIVE.c.power_w > 0), False)
    return fresh


async def count_in_service(session: AsyncSession, site_id: int) -> int:
    query = select(func.count()).where(Miner.site_id == site_id, Miner.state == "in_service")
    return (await session.execute(query)).scalar_one()
