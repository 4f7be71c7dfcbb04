"""Machines: one, many, their changes, and what a bulk write needs to know."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, and_, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.facts.models import find_model
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import Miner, MinerChange, Rack, Site, Zone
from hashinsight.inventory.queries.places import get_site, zone_matches
from hashinsight.inventory.queries.scopes import in_groups, miners_within
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.paging import Page, page

_SHOWN: tuple[Any, ...] = (Miner, Site.code.label("site"), Zone.code.label("zone"), Rack.code.label("rack"))


@dataclass(frozen=True)
class LocatedMiner:
    """A machine with the codes of where it stands."""

    miner: Miner
    site: str
    zone: str | None
    rack: str | None


def filter_condition(chosen: MinerFilter, *, site_id: int | None = None) -> Any:
    """A filter as one condition on `miners`; `site_id` is the filter's site, looked up."""
    conditions = [Miner.state == chosen.state] if chosen.state != "any" else []
    if site_id is not None:
        conditions.append(Miner.site_id == site_id)
    if chosen.model is not None:
        known = find_model(chosen.model)
        conditions.append(Miner.model == (known.name if known else chosen.model))
    if chosen.firmware is not None:
        conditions.append(Miner.firmware == chosen.firmware)
    if chosen.owner is not None:
        conditions.append(Miner.owner == chosen.owner)
    if chosen.zone is not None:
        conditions.append(Miner.zone_id.in_(select(Zone.id).where(zone_matches(chosen.zone))))
    if chosen.rack is not None:
        conditions.append(Miner.rack_id.in_(select(Rack.id).where(Rack.code == chosen.rack)))
    if chosen.group_id is not None:
        conditions.append(in_groups([chosen.group_id]))
    if chosen.text is not None:
        columns = (Miner.miner_id, Miner.serial, Miner.mac)
        conditions.append(or_(*(func.starts_with(column, chosen.text) for column in columns)))
    return and_(True, *conditions)  # noqa: FBT003 - SQLAlchemy's neutral element


async def list_miners(
    session: AsyncSession, scope: Scope, chosen: MinerFilter, *, limit: int, cursor: str | None = None
) -> Page:
    query = (await _chosen(session, scope, chosen)).with_only_columns(*_SHOWN)
    found = await page(session, query, [Miner.miner_id, Miner.miner_no], limit=limit, cursor=cursor)
    return Page([LocatedMiner(*row) for row in found.rows], found.next_cursor)


async def list_miner_nos(session: AsyncSession, scope: Scope, chosen: MinerFilter) -> list[int]:
    query = (await _chosen(session, scope, chosen)).with_only_columns(Miner.miner_no)
    return list((await session.execute(query)).scalars())


async def list_after(
    session: AsyncSession, scope: Scope, site_id: int, after: str, *, limit: int
) -> Sequence[Row[Any]]:
    """The next part of an asset list, behind this id; plain columns, because there are many."""
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
            # only the operator's own figure: one that we derived would come back as the operator's
            case((Miner.expected_source == "operator", Miner.expected_ths)).label("expected_ths"),
        )
        .where(miners_within(scope), Miner.site_id == site_id, Miner.state == "in_service", Miner.miner_id > after)
        .order_by(Miner.miner_id)
        .limit(limit)
    )
    rows: Any = (await session.execute(query)).all()
    found: Sequence[Row[Any]] = rows
    return found


async def get_miner(
    session: AsyncSession, scope: Scope, miner_id: str, site: str | int | None = None, *, lock: bool = False
) -> LocatedMiner:
    """The machine by the operator's id; 409 when two sites of the scope hold it and none is named."""
    query = _located().where(miners_within(scope), Miner.miner_id == miner_id)
    if site is not None:
        query = query.where(Miner.site_id == (await get_site(session, scope, site)).id)
    if lock:
        query = query.with_for_update(of=Miner, key_share=True)
    query = query.order_by(Miner.site_id).limit(10).execution_options(populate_existing=lock)
    rows = (await session.execute(query)).all()
    if not rows:
        raise NotFound("there is no such miner")
    if len(rows) > 1:
        raise _ambiguous([miner_id], [row.site for row in rows])
    return LocatedMiner(*rows[0])


async def resolve_miners(
    session: AsyncSession, scope: Scope, miner_ids: Sequence[str], site_id: int | None
) -> tuple[dict[str, int], list[str]]:
    """Many ids at once: their `miner_no` by id, and the ids that are nobody's in this scope."""
    query = select(Miner.miner_id, Miner.miner_no).where(miners_within(scope), Miner.miner_id.in_(set(miner_ids)))
    query = query if site_id is None else query.where(Miner.site_id == site_id)
    rows = (await session.execute(query.where(Miner.state == "in_service"))).all()
    found = {row.miner_id: row.miner_no for row in rows}
    if len(found) < len(rows):
        counted = Counter(row.miner_id for row in rows)
        raise _ambiguous(sorted(one for one, times in counted.items() if times > 1)[:20], [])
    return found, sorted(set(miner_ids) - set(found))


async def is_within(session: AsyncSession, scope: Scope, miner_no: int) -> bool:
    query = select(Miner.miner_no).where(miners_within(scope), Miner.miner_no == miner_no)
    return (await session.execute(query)).scalar() is not None


async def list_changes(
    session: AsyncSession, scope: Scope, miner_no: int, *, limit: int, cursor: str | None = None
) -> Page:
    """A machine's changes, newest first. Ids are ordered by time."""
    query = select(MinerChange).where(MinerChange.tenant_id == scope.tenant_id, MinerChange.miner_no == miner_no)
    key = [MinerChange.at, MinerChange.id]
    return await page(session, query, key, limit=limit, cursor=cursor, descending=True)


async def _chosen(session: AsyncSession, scope: Scope, chosen: MinerFilter) -> Select[Any]:
    site_id = None if chosen.site_id is None else (await get_site(session, scope, chosen.site_id)).id
    return _located().where(miners_within(scope), filter_condition(chosen, site_id=site_id))


def _located() -> Select[Any]:
    return (
        select(*_SHOWN)
        .join(Site, Site.id == Miner.site_id)
        .outerjoin(Zone, Zone.id == Miner.zone_id)
        .outerjoin(Rack, Rack.id == Miner.rack_id)
    )


def _ambiguous(miner_ids: Sequence[str], sites: Sequence[str]) -> Conflict:
    return Conflict(
        "more than one of your sites has a miner of this id: say site_id, too",
        code="AMBIGUOUS_MINER",
        details={"miner_ids": list(miner_ids), "sites": list(sites)},
    )
