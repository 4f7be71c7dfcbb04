"""Suppressions: which machines they reach at a moment, and the suppressions as people see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, and_, false, func, insert, or_, select, text, true
from sqlalchemy import update as update_of
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.expected_now import covers_miner
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.inventory.queries.tables import Group, GroupMember, Miner, Site, Zone
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, page
from hashinsight.problems.models import SUPPRESSED, SUPPRESSIONS

# Each kind has its own join to the machines: one for all would visit every machine for every suppression.
_REACHED = """
with held as materialized (
    -- the suppressions in force
    select
        site_id, kind, miner_no, zone_id, group_id, maintenance,
        coalesce(extract(epoch from until_at)::float8, 'Infinity') as until
    from suppressions
    where lifted_at is null
        and from_at <= :as_of
        and (until_at is null or until_at > :as_of)
        and {sites}
), reached as (
    -- the machines that each of them reaches
    select m.miner_no, h.until, h.maintenance
    from held h
    join miners m on m.site_id = h.site_id
    where h.kind = 'site' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance
    from held h
    join miners m on m.zone_id = h.zone_id and m.site_id = h.site_id
    where h.kind = 'zone' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance
    from held h
    join group_members g on g.group_id = h.group_id
    join miners m on m.miner_no = g.miner_no and m.site_id = h.site_id
    where h.kind = 'group' and {machines}
    union all
    select m.miner_no, h.until, h.maintenance
    from held h
    join miners m on m.miner_no = h.miner_no and m.site_id = h.site_id
    where h.kind = 'miner' and {machines}
), widest as (
    -- each machine once, with the latest end
    select miner_no, max(until) as until, bool_or(maintenance) as maintenance
    from reached
    group by miner_no
)
select
    coalesce(array_agg(miner_no order by miner_no), '{{}}') as miner_no,
    coalesce(array_agg(until order by miner_no), '{{}}') as until,
    coalesce(array_agg(maintenance order by miner_no), '{{}}') as maintenance
from widest
"""
_AT_SITE = text(_REACHED.format(sites="site_id = :site_id", machines="m.state = 'in_service'"))
_OF_SOME = text(_REACHED.format(sites="site_id = any (:site_ids)", machines="m.miner_no = any (:miner_nos)"))


@dataclass(frozen=True)
class SuppressedMiners:
    """Machines in order, each with the latest end of its suppressions: seconds since 1970, or infinity."""

    miner_no: NDArray[np.int64]
    until: NDArray[np.float64]
    maintenance: NDArray[np.bool_]


async def list_suppressed_at_site(session: AsyncSession, site_id: int, *, as_of: datetime) -> SuppressedMiners:
    """The suppressed machines of a site."""
    row = (await session.execute(_AT_SITE, {"site_id": site_id, "as_of": as_of})).one()
    return _read(row)


async def list_suppressed(
    session: AsyncSession, site_ids: Sequence[int], miner_nos: Sequence[int], *, as_of: datetime
) -> SuppressedMiners:
    """Which of these machines are suppressed."""
    values = {"site_ids": list(site_ids), "miner_nos": list(miner_nos), "as_of": as_of}
    return _read((await session.execute(_OF_SOME, values)).one())


def _read(row: Any) -> SuppressedMiners:
    return SuppressedMiners(
        np.asarray(row.miner_no, dtype=np.int64),
        np.asarray(row.until, dtype=np.float64),
        np.asarray(row.maintenance, dtype=np.bool_),
    )


_S = SUPPRESSIONS.c


def _within(scope: Scope) -> ColumnElement[bool]:
    """All of a site for those who hold it; otherwise those of the caller's machines, zones and groups."""
    own = _S.tenant_id == scope.tenant_id
    if scope.whole_sites is None:
        return own
    parts = [
        _S.site_id.in_(scope.whole_sites) if scope.whole_sites else false(),
        _S.zone_id.in_(scope.zones) if scope.zones else false(),
        _S.group_id.in_(scope.groups) if scope.groups else false(),
        and_(_S.miner_no.is_not(None), miners_within(scope)),  # of the machine that is joined to it
    ]
    return and_(own, or_(*parts))


def in_force(now: datetime) -> ColumnElement[bool]:
    return and_(_S.lifted_at.is_(None), _S.from_at <= now, or_(_S.until_at.is_(None), _S.until_at > now))


def _not_over(now: datetime) -> ColumnElement[bool]:
    """In force, or planned."""
    return and_(_S.lifted_at.is_(None), or_(_S.until_at.is_(None), _S.until_at > now))


def _shown() -> Select[Any]:
    columns = [column for column in SUPPRESSIONS.c if column.name != "tenant_id"]
    named = [Site.code.label("site"), Miner.miner_id, Zone.code.label("zone"), Group.name.label("group")]
    return (
        select(*columns, *named)
        .join(Site, Site.id == _S.site_id)
        .outerjoin(Miner, Miner.miner_no == _S.miner_no)
        .outerjoin(Zone, Zone.id == _S.zone_id)
        .outerjoin(Group, Group.id == _S.group_id)
    )


async def list_suppressions(
    session: AsyncSession,
    scope: Scope,
    *,
    site_id: int | None,
    miner_no: int | None,
    kind: str | None,
    everything: bool,
    limit: int,
    cursor: str | None,
    now: datetime,
) -> Page:
    """Newest first; ended ones only with `everything`."""
    conditions = [_within(scope), true() if everything else _not_over(now)]
    for column, value in ((_S.site_id, site_id), (_S.miner_no, miner_no), (_S.kind, kind)):
        if value is not None:
            conditions.append(column == value)
    key = [_S.created_at, _S.id]
    rows = await page(session, _shown().where(*conditions), key, limit=limit, cursor=cursor, descending=True)
    return Page([_row(row) for row in rows.rows], rows.next_cursor)


async def list_by_ids(session: AsyncSession, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """Just created or lifted by the caller."""
    rows = (await session.execute(_shown().where(_S.id.in_(ids)).order_by(_S.site_id))).all()
    return [_row(tuple(row)) for row in rows]


async def list_reaching(session: AsyncSession, site_id: int, miner_no: int, *, now: datetime) -> list[dict[str, Any]]:
    """In force for one machine, of whatever kind."""
    query = (
        _shown()
        .where(_S.site_id == site_id, in_force(now), covers_miner(miner_no))
        .order_by(_S.created_at, _S.id)
        .limit(50)
    )
    return [_row(tuple(row)) for row in (await session.execute(query)).all()]


async def list_detections(session: AsyncSession, miner_no: int, *, since: datetime) -> list[dict[str, Any]]:
    """Hits on a machine that opened no problem because it was suppressed."""
    columns = [SUPPRESSED.c[name] for name in ("issue_code", "severity", "first_seen_ts", "last_seen_ts", "detections")]
    query = select(*columns).where(SUPPRESSED.c.miner_no == miner_no, SUPPRESSED.c.last_seen_ts >= since)
    rows = await session.execute(query.order_by(SUPPRESSED.c.severity, SUPPRESSED.c.issue_code))
    return [dict(row) for row in rows.mappings()]


async def get_suppression(session: AsyncSession, scope: Scope, suppression_id: UUID) -> dict[str, Any]:
    rows = (await session.execute(_shown().where(_within(scope), _S.id == suppression_id))).all()
    if not rows:
        raise NotFound("no such suppression")
    return _row(tuple(rows[0]))


_NAMES = (
    *(column.name for column in SUPPRESSIONS.c if column.name != "tenant_id"),
    "site",
    "miner_id",
    "zone",
    "group",
)


def _row(values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_NAMES, values, strict=True))


async def insert_suppressions(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> None:
    await session.execute(insert(SUPPRESSIONS), list(rows))


async def move_lifted(
    session: AsyncSession,
    *,
    by: str | None,
    now: datetime,
    suppression_id: UUID | None = None,
    miner_no: int | None = None,
) -> list[UUID]:
    """One, or all of a machine itself. Ended or lifted ones stay as they are."""
    meant = _S.id == suppression_id if suppression_id is not None else _S.miner_no == miner_no
    moved = update_of(SUPPRESSIONS).where(meant, _not_over(now)).values(lifted_at=now, lifted_by=by).returning(_S.id)
    return list((await session.execute(moved)).scalars())


async def list_sites_of_group(session: AsyncSession, group_id: int) -> list[int]:
    """The sites of its members that the transaction sees."""
    query = select(func.distinct(GroupMember.site_id)).where(GroupMember.group_id == group_id)
    return sorted((await session.execute(query)).scalars())
