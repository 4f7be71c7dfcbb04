"""Sites, zones, racks, nodes."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MAX_INT
from hashinsight.inventory.models import Miner, Node, Rack, Site, Zone
from hashinsight.inventory.queries.scopes import miners_within, nodes_within, racks_within, visible_sites, zones_within
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, page
from hashinsight.wire.sites import fold_code


async def get_site(session: AsyncSession, scope: Scope, ref: str | int) -> Site:
    """The site by integer id or code; outside the scope it does not exist."""
    site = (await session.execute(select(Site).where(visible_sites(scope), site_matches(str(ref).strip())))).scalar()
    if site is None:
        raise NotFound("no such site")
    return site


async def find_site_id(session: AsyncSession, scope: Scope, ref: str | int | None) -> int | None:
    """The id of a site that a request may name; NotFound when it names an unknown one."""
    return None if ref is None else (await get_site(session, scope, ref)).id


async def get_tenant_of_site(session: AsyncSession, ref: str) -> UUID:
    """For the server's command line: a site's code is unique in the installation."""
    tenant_id = (await session.execute(select(Site.tenant_id).where(site_matches(ref.strip())))).scalar()
    if tenant_id is None:
        raise NotFound(f"there is no site {ref}")
    return tenant_id


async def list_site_ids(session: AsyncSession, scope: Scope | None = None) -> list[int]:
    """In scope, or all that the transaction sees."""
    query = select(Site.id).order_by(Site.id)
    query = query if scope is None else query.where(visible_sites(scope))
    return list((await session.execute(query)).scalars())


async def list_site_codes(session: AsyncSession, site_ids: Collection[int]) -> dict[int, str]:
    query = select(Site.id, Site.code).where(Site.id.in_(site_ids))
    return {row.id: row.code for row in await session.execute(query)}


async def lock_sites_shared(session: AsyncSession, site_ids: Collection[int]) -> None:
    """Before a machine is written: imports of these sites wait until the transaction ends, other writers do not."""
    query = select(Site.id).where(Site.id.in_(site_ids)).order_by(Site.id).with_for_update(read=True)
    if len((await session.execute(query)).all()) != len(site_ids):
        raise NotFound("no such site")


async def list_site_tenants(session: AsyncSession, site_ids: Collection[int]) -> list[tuple[int, UUID]]:
    """Pairs of site and tenant, as far as the transaction sees them."""
    query = select(Site.id, Site.tenant_id).where(Site.id.in_(site_ids)).order_by(Site.id)
    return [(row.id, row.tenant_id) for row in await session.execute(query)]


async def list_site_names(session: AsyncSession, scope: Scope, site_ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """Code and name of each of these sites."""
    query = select(Site.id, Site.code, Site.name).where(visible_sites(scope), Site.id.in_(site_ids))
    return {row.id: (row.code, row.name) for row in await session.execute(query)}


async def list_sites(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    return await page(session, select(Site).where(visible_sites(scope)), [Site.id], limit=limit, cursor=cursor)


async def list_all_sites(session: AsyncSession) -> list[Site]:
    """Of all tenants, for the installation's metrics."""
    return list((await session.execute(select(Site).order_by(Site.code))).scalars())


async def count_miners(session: AsyncSession, scope: Scope, site_id: int) -> int:
    query = select(func.count()).where(miners_within(scope), Miner.site_id == site_id, Miner.state == "in_service")
    return (await session.execute(query)).scalar_one()


async def get_zone(session: AsyncSession, scope: Scope, site_id: int, code: str) -> Zone:
    zone = (
        await session.execute(select(Zone).where(zones_within(scope), Zone.site_id == site_id, zone_matches(code)))
    ).scalar()
    if zone is None:
        raise NotFound("no such zone at this site")
    return zone


async def find_zone_alike(session: AsyncSession, site_id: int, code: str, *, besides: int | None = None) -> Zone | None:
    """Another zone of the site than `besides` whose code is the same in any case."""
    query = select(Zone).where(
        Zone.site_id == site_id, Zone.code_key == fold_code(code), Zone.id.is_distinct_from(besides)
    )
    return (await session.execute(query.order_by(Zone.id).limit(1))).scalar()


async def get_zone_by_id(session: AsyncSession, scope: Scope, zone_id: int) -> Zone:
    zone = (await session.execute(select(Zone).where(zones_within(scope), Zone.id == zone_id))).scalar()
    if zone is None:
        raise NotFound("no such zone")
    return zone


async def list_zones(
    session: AsyncSession, scope: Scope, site_id: int | None, *, limit: int, cursor: str | None = None
) -> Page:
    query = select(Zone).where(zones_within(scope))
    query = query if site_id is None else query.where(Zone.site_id == site_id)
    return await page(session, query, [Zone.id], limit=limit, cursor=cursor)


async def find_rack(session: AsyncSession, site_id: int, zone_id: int | None, code: str) -> Rack | None:
    return (
        await session.execute(
            select(Rack).where(Rack.site_id == site_id, Rack.zone_id.is_not_distinct_from(zone_id), Rack.code == code)
        )
    ).scalar()


async def list_racks(
    session: AsyncSession, scope: Scope, site_id: int | None, *, limit: int, cursor: str | None = None
) -> Page:
    query = select(Rack).where(racks_within(scope))
    query = query if site_id is None else query.where(Rack.site_id == site_id)
    return await page(session, query, [Rack.id], limit=limit, cursor=cursor)


async def get_node(session: AsyncSession, scope: Scope, site_id: int, node_id: int) -> Node:
    query = select(Node).where(nodes_within(scope), Node.site_id == site_id, Node.id == node_id)
    node = (await session.execute(query)).scalar()
    if node is None:
        raise NotFound("no such node at this site")
    return node


async def list_nodes(
    session: AsyncSession, scope: Scope, site_id: int | None, *, limit: int, cursor: str | None = None
) -> Page:
    query = select(Node).where(nodes_within(scope))
    query = query if site_id is None else query.where(Node.site_id == site_id)
    return await page(session, query, [Node.id], limit=limit, cursor=cursor)


def site_matches(ref: str) -> ColumnElement[bool]:
    """Digits are an id: no code is digits only. A code matches in any case."""
    if ref.isascii() and ref.isdecimal():
        return Site.id == min(int(ref[:12]), MAX_INT)
    return Site.code_key == fold_code(ref)


def zone_matches(code: str) -> ColumnElement[bool]:
    """The zone with exactly this code; if the site has none, the only one that differs in case."""
    exact, alike = aliased(Zone), aliased(Zone)
    has_exact = exists(select(exact.id).where(exact.site_id == Zone.site_id, exact.code == code))
    is_only = ~exists(
        select(alike.id).where(alike.site_id == Zone.site_id, alike.code_key == fold_code(code), alike.id != Zone.id)
    )
    return or_(Zone.code == code, and_(Zone.code_key == fold_code(code), ~has_exact, is_only))
