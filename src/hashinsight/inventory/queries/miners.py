"""Machines: one, many, and their changes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.facts.models import find_model
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import ExpectedState, GroupMember, Miner, MinerChange, Rack, Site, Zone
from hashinsight.inventory.queries.places import find_site_id, get_site, zone_matches
from hashinsight.inventory.queries.scopes import in_groups, miners_within
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.paging import Page, page

_SHOWN: tuple[Any, ...] = (Miner, Site.code.label("site"), Zone.code.label("zone"), Rack.code.label("rack"))


@dataclass(frozen=True)
class LocatedMiner:
    """A machine with the codes of its site, zone and rack."""

    miner: Miner
    site: str
    zone: str | None
    rack: str | None


def filter_condition(filters: MinerFilter, *, site_id: int | None = None) -> Any:
    """A filter as one condition on `miners`; `site_id` is the id of the filter's site."""
    conditions = [Miner.state == filters.state] if filters.state != "any" else []
    if site_id is not None:
        conditions.append(Miner.site_id == site_id)
    if filters.model is not None:
        known = find_model(filters.model)
        conditions.append(Miner.model == (known.name if known else filters.model))
    if filters.firmware is not None:
        conditions.append(Miner.firmware == filters.firmware)
    if filters.owner is not None:
        conditions.append(Miner.owner == filters.owner)
    if filters.zone is not None:
        conditions.append(Miner.zone_id.in_(select(Zone.id).where(zone_matches(filters.zone))))
    if filters.rack is not None:
        conditions.append(Miner.rack_id.in_(select(Rack.id).where(Rack.code == filters.rack)))
    if filters.group_id is not None:
        conditions.append(in_groups([filters.group_id]))
    if filters.text is not None:
        columns = (Miner.miner_id, Miner.serial, Miner.mac)
        conditions.append(or_(*(func.starts_with(column, filters.text) for column in columns)))
    return and_(True, *conditions)  # noqa: FBT003 - SQLAlchemy's neutral element


async def list_miners(
    session: AsyncSession, scope: Scope, filters: MinerFilter, *, limit: int, cursor: str | None = None
) -> Page:
    query = (await _filtered(session, scope, filters)).with_only_columns(*_SHOWN)
    rows = await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)
    return Page([LocatedMiner(*row) for row in rows.rows], rows.next_cursor)


async def list_miner_nos(session: AsyncSession, scope: Scope, filters: MinerFilter) -> list[int]:
    query = (await _filtered(session, scope, filters)).with_only_columns(Miner.miner_no)
    return list((await session.execute(query)).scalars())


async def list_after(session: AsyncSession, scope: Scope, site_id: int, after: str, *, limit: int) -> Sequence[Any]:
    """The next part of an asset list, after this id; plain columns, as there are many rows."""
    query = (
        _located()
        .with_only_columns(
            Miner.miner_id,
            Miner.model,
            Miner.serial,
            Miner.mac,
            Zone.code.label("zone"),
            Rack.code.label("rack"),
            Miner.position,
            Miner.owner,
            # only the operator's figure: a derived one would be imported again as the operator's
            case((Miner.expected_source == "operator", Miner.expected_ths)).label("expected_ths"),
        )
        .where(miners_within(scope), Miner.site_id == site_id, Miner.state == "in_service", Miner.miner_id > after)
        .order_by(Miner.miner_id)
        .limit(limit)
    )
    return (await session.execute(query)).all()


async def get_miner(
    session: AsyncSession, scope: Scope, miner_id: str, site: str | int | None = None, *, lock: bool = False
) -> LocatedMiner:
    """The machine by the operator's id; 409 when more than one site in scope has it and `site` is not given."""
    query = _located().where(miners_within(scope), Miner.miner_id == miner_id)
    if site is not None:
        query = query.where(Miner.site_id == (await get_site(session, scope, site)).id)
    if lock:
        query = query.with_for_update(of=Miner, key_share=True)
    query = query.order_by(Miner.site_id).limit(10).execution_options(populate_existing=lock)
    rows = (await session.execute(query)).all()
    if not rows:
        raise NotFound("no such miner")
    if len(rows) > 1:
        raise _ambiguous([miner_id], [row.site for row in rows])
    return LocatedMiner(*rows[0])


async def list_miner_nos_by_id(
    session: AsyncSession, scope: Scope, miner_ids: Sequence[str], site_id: int | None
) -> list[int]:
    """In-service machines by the operator's ids; NotFound with the ids that are not in scope."""
    if not miner_ids:
        return []
    query = select(Miner.miner_id, Miner.miner_no).where(miners_within(scope), Miner.miner_id.in_(set(miner_ids)))
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    rows = (await session.execute(query.where(Miner.state == "in_service"))).all()
    counts = Counter(row.miner_id for row in rows)
    if len(counts) < len(rows):
        raise _ambiguous(sorted(miner_id for miner_id, count in counts.items() if count > 1)[:20], [])
    if missing := sorted(set(miner_ids) - set(counts)):
        raise NotFound("some of these miners do not exist", details={"miner_ids": missing[:100]})
    return [row.miner_no for row in rows]


async def is_within(session: AsyncSession, scope: Scope, miner_no: int) -> bool:
    query = select(Miner.miner_no).where(miners_within(scope), Miner.miner_no == miner_no)
    return (await session.execute(query)).scalar() is not None


async def list_changes(
    session: AsyncSession, scope: Scope, miner_no: int, *, limit: int, cursor: str | None = None
) -> Page:
    """A machine's changes, newest first; ids are ordered by time."""
    query = select(MinerChange).where(MinerChange.tenant_id == scope.tenant_id, MinerChange.miner_no == miner_no)
    key = [MinerChange.at, MinerChange.id]
    return await page(session, query, key, limit=limit, cursor=cursor, descending=True)


async def update_site_of_miner(session: AsyncSession, miner: Miner) -> None:
    """Group memberships and expected states follow a machine to its new site."""
    for table in (GroupMember, ExpectedState):
        await session.execute(update(table).where(table.miner_no == miner.miner_no).values(site_id=miner.site_id))


async def _filtered(session: AsyncSession, scope: Scope, filters: MinerFilter) -> Select[Any]:
    site_id = await find_site_id(session, scope, filters.site_id)
    return _located().where(miners_within(scope), filter_condition(filters, site_id=site_id))


def _located() -> Select[Any]:
    return (
        select(*_SHOWN)
        .join(Site, Site.id == Miner.site_id)
        .outerjoin(Zone, Zone.id == Miner.zone_id)
        .outerjoin(Rack, Rack.id == Miner.rack_id)
    )


def _ambiguous(miner_ids: Sequence[str], sites: Sequence[str]) -> Conflict:
    return Conflict(
        "more than one of your sites has a miner with this id: send site_id as well",
        code="AMBIGUOUS_MINER",
        details={"miner_ids": list(miner_ids), "sites": list(sites)},
    )
