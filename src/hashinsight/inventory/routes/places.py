"""Sites, zones, racks, nodes."""

from typing import Annotated

from fastapi import APIRouter

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.queries import places as queries
from hashinsight.inventory.routes.asking import Cursor, Limit, Now, Number, See, SitePath, SiteQuery, Write, body, shows
from hashinsight.inventory.schemas.places import (
    NewNode,
    NewRack,
    NewSite,
    NewZone,
    Nodes,
    NodeShown,
    Racks,
    RackShown,
    SiteChange,
    SiteDetail,
    Sites,
    SiteShown,
    ZoneChange,
    Zones,
    ZoneShown,
)
from hashinsight.inventory.service import places as service

router = APIRouter()


@router.get("/sites", responses=shows(Sites))
async def list_sites(scope: See, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> Sites:
    """The sites that the caller sees all or a part of."""
    found = await queries.list_sites(session, scope, limit=limit, cursor=cursor)
    return Sites(sites=[SiteShown.model_validate(site) for site in found.rows], next_cursor=found.next_cursor)


@router.post("/sites", status_code=201, responses=shows(SiteShown, 201))
async def create_site(new: Annotated[NewSite, body(NewSite)], rights: Write, session: Session, now: Now) -> SiteShown:
    """Make a site. Its code is unique in the installation, keeps its case and matches without it."""
    return SiteShown.model_validate(await service.create_site(session, rights, new, now=now))


@router.get("/sites/{site_id}", responses=shows(SiteDetail))
async def get_site(site_id: SitePath, scope: See, session: ReadSession) -> SiteDetail:
    """One site, with the number of its machines that the caller sees."""
    site = await queries.get_site(session, scope, site_id)
    miners = await queries.count_miners(session, scope, site.id)
    return SiteDetail(**SiteShown.model_validate(site).model_dump(), miners=miners)


@router.patch("/sites/{site_id}", responses=shows(SiteShown))
async def change_site(
    site_id: SitePath, change: Annotated[SiteChange, body(SiteChange)], rights: Write, session: Session, now: Now
) -> SiteShown:
    """Change a site's code, name or time zone. Its integer id stays."""
    return SiteShown.model_validate(await service.change_site(session, rights, site_id, change, now=now))


@router.get("/zones", responses=shows(Zones))
async def list_zones(
    scope: See, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> Zones:
    """The zones in scope, of all sites or of one."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_zones(session, scope, site, limit=limit, cursor=cursor)
    return Zones(zones=[ZoneShown.model_validate(zone) for zone in found.rows], next_cursor=found.next_cursor)


@router.post("/zones", status_code=201, responses=shows(ZoneShown, 201))
async def create_zone(new: Annotated[NewZone, body(NewZone)], rights: Write, session: Session, now: Now) -> ZoneShown:
    """Make a zone in a site."""
    return ZoneShown.model_validate(await service.create_zone(session, rights, new, now=now))


@router.get("/zones/{zone_id}", responses=shows(ZoneShown))
async def get_zone(zone_id: Number, scope: See, session: ReadSession) -> ZoneShown:
    """One zone."""
    return ZoneShown.model_validate(await queries.get_zone_by_id(session, scope, zone_id))


@router.patch("/zones/{zone_id}", responses=shows(ZoneShown))
async def change_zone(
    zone_id: Number, change: Annotated[ZoneChange, body(ZoneChange)], rights: Write, session: Session, now: Now
) -> ZoneShown:
    """Change a zone's code or name."""
    return ZoneShown.model_validate(await service.change_zone(session, rights, zone_id, change, now=now))


@router.get("/racks", responses=shows(Racks))
async def list_racks(
    scope: See, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> Racks:
    """The racks in scope, of all sites or of one."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_racks(session, scope, site, limit=limit, cursor=cursor)
    return Racks(racks=[RackShown.model_validate(rack) for rack in found.rows], next_cursor=found.next_cursor)


@router.post("/racks", status_code=201, responses=shows(RackShown, 201))
async def create_rack(new: Annotated[NewRack, body(NewRack)], rights: Write, session: Session, now: Now) -> RackShown:
    """Make a rack in a zone, or in the site itself."""
    return RackShown.model_validate(await service.create_rack(session, rights, new, now=now))


@router.get("/nodes", responses=shows(Nodes))
async def list_nodes(
    scope: See, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> Nodes:
    """Points of the power and network trees, of all sites or of one. They belong to whole sites."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_nodes(session, scope, site, limit=limit, cursor=cursor)
    return Nodes(nodes=[NodeShown.model_validate(node) for node in found.rows], next_cursor=found.next_cursor)


@router.post("/nodes", status_code=201, responses=shows(NodeShown, 201))
async def create_node(new: Annotated[NewNode, body(NewNode)], rights: Write, session: Session, now: Now) -> NodeShown:
    """Make a point of the power or network tree, below a parent or as a root."""
    return NodeShown.model_validate(await service.create_node(session, rights, new, now=now))
