"""Sites, zones, racks, nodes."""

from fastapi import APIRouter

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.parameters import (
    Cursor,
    Editor,
    IdPath,
    Limit,
    Now,
    SitePath,
    SiteQuery,
    ViewScope,
)
from hashinsight.inventory.queries import places as queries
from hashinsight.inventory.schemas.places import (
    NewNode,
    NewRack,
    NewSite,
    NewZone,
    NodeList,
    NodeOut,
    RackList,
    RackOut,
    SiteChange,
    SiteDetail,
    SiteList,
    SiteOut,
    ZoneChange,
    ZoneList,
    ZoneOut,
)
from hashinsight.inventory.service import places as service

router = APIRouter()


@router.get("/sites")
async def list_sites(scope: ViewScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> SiteList:
    """The sites that the caller sees all or a part of."""
    found = await queries.list_sites(session, scope, limit=limit, cursor=cursor)
    return SiteList(sites=[SiteOut.model_validate(site) for site in found.rows], next_cursor=found.next_cursor)


@router.post("/sites", status_code=201)
async def create_site(new: NewSite, caller: Editor, session: Session, now: Now) -> SiteOut:
    """Make a site. Its code is unique in the installation, keeps its case and matches without it."""
    return SiteOut.model_validate(await service.create_site(session, caller, new, now=now))


@router.get("/sites/{site_id}")
async def get_site(site_id: SitePath, scope: ViewScope, session: ReadSession) -> SiteDetail:
    """One site, with the number of its machines that the caller sees."""
    site = await queries.get_site(session, scope, site_id)
    miners = await queries.count_miners(session, scope, site.id)
    return SiteDetail(**SiteOut.model_validate(site).model_dump(), miners=miners)


@router.patch("/sites/{site_id}")
async def change_site(site_id: SitePath, change: SiteChange, caller: Editor, session: Session, now: Now) -> SiteOut:
    """Change a site's code, name or time zone. Its integer id stays."""
    return SiteOut.model_validate(await service.change_site(session, caller, site_id, change, now=now))


@router.get("/zones")
async def list_zones(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> ZoneList:
    """The zones in scope, of all sites or of one."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_zones(session, scope, site, limit=limit, cursor=cursor)
    return ZoneList(zones=[ZoneOut.model_validate(zone) for zone in found.rows], next_cursor=found.next_cursor)


@router.post("/zones", status_code=201)
async def create_zone(new: NewZone, caller: Editor, session: Session, now: Now) -> ZoneOut:
    """Make a zone in a site."""
    return ZoneOut.model_validate(await service.create_zone(session, caller, new, now=now))


@router.get("/zones/{zone_id}")
async def get_zone(zone_id: IdPath, scope: ViewScope, session: ReadSession) -> ZoneOut:
    """One zone."""
    return ZoneOut.model_validate(await queries.get_zone_by_id(session, scope, zone_id))


@router.patch("/zones/{zone_id}")
async def change_zone(zone_id: IdPath, change: ZoneChange, caller: Editor, session: Session, now: Now) -> ZoneOut:
    """Change a zone's code or name."""
    return ZoneOut.model_validate(await service.change_zone(session, caller, zone_id, change, now=now))


@router.get("/racks")
async def list_racks(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> RackList:
    """The racks in scope, of all sites or of one."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_racks(session, scope, site, limit=limit, cursor=cursor)
    return RackList(racks=[RackOut.model_validate(rack) for rack in found.rows], next_cursor=found.next_cursor)


@router.post("/racks", status_code=201)
async def create_rack(new: NewRack, caller: Editor, session: Session, now: Now) -> RackOut:
    """Make a rack in a zone, or in the site itself."""
    return RackOut.model_validate(await service.create_rack(session, caller, new, now=now))


@router.get("/nodes")
async def list_nodes(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> NodeList:
    """Points of the power and network trees, of all sites or of one. They belong to whole sites."""
    site = None if site_id is None else (await queries.get_site(session, scope, site_id)).id
    found = await queries.list_nodes(session, scope, site, limit=limit, cursor=cursor)
    return NodeList(nodes=[NodeOut.model_validate(node) for node in found.rows], next_cursor=found.next_cursor)


@router.post("/nodes", status_code=201)
async def create_node(new: NewNode, caller: Editor, session: Session, now: Now) -> NodeOut:
    """Make a point of the power or network tree, below a parent or as a root."""
    return NodeOut.model_validate(await service.create_node(session, caller, new, now=now))
