"""Sites, zones, racks, nodes."""

from fastapi import APIRouter

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.parameters import Cursor, Editor, IdPath, Limit, Now, SitePath, SiteQuery, ViewScope
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
from hashinsight.kit.web.responses import errors

router = APIRouter()


@router.get("/sites")
async def list_sites(scope: ViewScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> SiteList:
    """Sites that the caller sees, whole or in part."""
    page = await queries.list_sites(session, scope, limit=limit, cursor=cursor)
    return SiteList(sites=[SiteOut.model_validate(site) for site in page.rows], next_cursor=page.next_cursor)


@router.post("/sites", status_code=201, responses=errors(409))
async def create_site(new: NewSite, caller: Editor, session: Session, now: Now) -> SiteOut:
    """Create a site. Its code is unique in the installation, keeps its case and matches in any case."""
    return SiteOut.model_validate(await service.create_site(session, caller, new, now=now))


@router.get("/sites/{site_id}", responses=errors(404))
async def get_site(site_id: SitePath, scope: ViewScope, session: ReadSession) -> SiteDetail:
    """One site, with the number of its machines that the caller sees."""
    site = await queries.get_site(session, scope, site_id)
    miners = await queries.count_miners(session, scope, site.id)
    return SiteDetail(**SiteOut.model_validate(site).model_dump(), miners=miners)


@router.patch("/sites/{site_id}", responses=errors(404, 409))
async def change_site(site_id: SitePath, change: SiteChange, caller: Editor, session: Session, now: Now) -> SiteOut:
    """Change a site's code, name or time zone. Its integer id stays."""
    return SiteOut.model_validate(await service.change_site(session, caller, site_id, change, now=now))


@router.get("/zones", responses=errors(404))
async def list_zones(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> ZoneList:
    """Zones in scope, of all sites or of one."""
    site = await queries.find_site_id(session, scope, site_id)
    page = await queries.list_zones(session, scope, site, limit=limit, cursor=cursor)
    return ZoneList(zones=[ZoneOut.model_validate(zone) for zone in page.rows], next_cursor=page.next_cursor)


@router.post("/zones", status_code=201, responses=errors(404, 409))
async def create_zone(new: NewZone, caller: Editor, session: Session, now: Now) -> ZoneOut:
    """Create a zone in a site."""
    return ZoneOut.model_validate(await service.create_zone(session, caller, new, now=now))


@router.get("/zones/{zone_id}", responses=errors(404))
async def get_zone(zone_id: IdPath, scope: ViewScope, session: ReadSession) -> ZoneOut:
    """One zone."""
    return ZoneOut.model_validate(await queries.get_zone_by_id(session, scope, zone_id))


@router.patch("/zones/{zone_id}", responses=errors(404, 409))
async def change_zone(zone_id: IdPath, change: ZoneChange, caller: Editor, session: Session, now: Now) -> ZoneOut:
    """Change a zone's code or name."""
    return ZoneOut.model_validate(await service.change_zone(session, caller, zone_id, change, now=now))


@router.get("/racks", responses=errors(404))
async def list_racks(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> RackList:
    """Racks in scope, of all sites or of one."""
    site = await queries.find_site_id(session, scope, site_id)
    page = await queries.list_racks(session, scope, site, limit=limit, cursor=cursor)
    return RackList(racks=[RackOut.model_validate(rack) for rack in page.rows], next_cursor=page.next_cursor)


@router.post("/racks", status_code=201, responses=errors(404, 409))
async def create_rack(new: NewRack, caller: Editor, session: Session, now: Now) -> RackOut:
    """Create a rack in a zone, or in the site itself."""
    return RackOut.model_validate(await service.create_rack(session, caller, new, now=now))


@router.get("/nodes", responses=errors(404))
async def list_nodes(
    scope: ViewScope, session: ReadSession, site_id: SiteQuery = None, limit: Limit = 100, cursor: Cursor = None
) -> NodeList:
    """Points of the power and network trees, of all sites or of one; only for callers with the whole site."""
    site = await queries.find_site_id(session, scope, site_id)
    page = await queries.list_nodes(session, scope, site, limit=limit, cursor=cursor)
    return NodeList(nodes=[NodeOut.model_validate(node) for node in page.rows], next_cursor=page.next_cursor)


@router.post("/nodes", status_code=201, responses=errors(404, 409))
async def create_node(new: NewNode, caller: Editor, session: Session, now: Now) -> NodeOut:
    """Create a point of the power or network tree, below a parent or as a root."""
    return NodeOut.model_validate(await service.create_node(session, caller, new, now=now))
