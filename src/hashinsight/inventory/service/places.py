"""Create and change sites, zones, racks and nodes."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import Caller
from hashinsight.inventory.errors import conflict_errors
from hashinsight.inventory.models import Node, Rack, Site, Zone
from hashinsight.inventory.queries import places
from hashinsight.inventory.queries.asset_lists import lock_site
from hashinsight.inventory.schemas.places import NewNode, NewRack, NewSite, NewZone, SiteChange, ZoneChange
from hashinsight.inventory.service.edit_scope import check_place, check_whole_tenant, get_site_to_edit
from hashinsight.kit.errors import Conflict


async def create_site(session: AsyncSession, caller: Caller, new: NewSite, *, now: datetime) -> Site:
    check_whole_tenant(caller, "creating a site")
    site = Site(tenant_id=caller.tenant_id, created_at=now, **new.model_dump())
    await _add(session, caller, site, Action.SITE_CREATED, after=new.model_dump(), now=now)
    return site


async def change_site(
    session: AsyncSession, caller: Caller, ref: str | int, change: SiteChange, *, now: datetime
) -> Site:
    site = await get_site_to_edit(session, caller, ref)
    await _change(session, caller, site, Action.SITE_CHANGED, values=change.model_dump(exclude_none=True), now=now)
    return site


async def create_zone(session: AsyncSession, caller: Caller, new: NewZone, *, now: datetime) -> Zone:
    site = await get_site_to_edit(session, caller, new.site_id)
    await _check_zone_code(session, site.id, new.code)
    zone = Zone(tenant_id=site.tenant_id, site_id=site.id, code=new.code, name=new.name or new.code)
    after = {"site": site.code, "code": zone.code, "name": zone.name}
    await _add(session, caller, zone, Action.ZONE_CREATED, after=after, now=now)
    return zone


async def change_zone(
    session: AsyncSession, caller: Caller, zone_id: int, change: ZoneChange, *, now: datetime
) -> Zone:
    zone = await places.get_zone_by_id(session, caller.seen, zone_id)
    await get_site_to_edit(session, caller, zone.site_id)
    if change.code is not None:
        await _check_zone_code(session, zone.site_id, change.code, besides=zone.id)
    await _change(session, caller, zone, Action.ZONE_CHANGED, values=change.model_dump(exclude_none=True), now=now)
    return zone


async def _check_zone_code(session: AsyncSession, site_id: int, code: str, *, besides: int | None = None) -> None:
    """Zones whose codes differ only in case would be mistaken for each other."""
    await lock_site(session, site_id)  # concurrent calls take turns: no constraint ignores case
    existing = await places.find_zone_alike(session, site_id, code, besides=besides)
    if existing is not None:
        raise Conflict(f"the site already has the zone {existing.code}", code="ZONE_EXISTS")


async def create_rack(session: AsyncSession, caller: Caller, new: NewRack, *, now: datetime) -> Rack:
    site = await places.get_site(session, caller.seen, new.site_id)
    zone = None if new.zone is None else await places.get_zone(session, caller.seen, site.id, new.zone)
    check_place(caller, site.id, zone.id if zone else None)
    rack = Rack(tenant_id=site.tenant_id, site_id=site.id, zone_id=zone.id if zone else None, code=new.code)
    after = {"site": site.code, "zone": new.zone, "code": new.code}
    await _add(session, caller, rack, Action.RACK_CREATED, after=after, now=now)
    return rack


async def create_node(session: AsyncSession, caller: Caller, new: NewNode, *, now: datetime) -> Node:
    site = await get_site_to_edit(session, caller, new.site_id)
    if new.parent_id is not None:
        await places.get_node(session, caller.seen, site.id, new.parent_id)
    node = Node(tenant_id=site.tenant_id, site_id=site.id, kind=new.kind, code=new.code, parent_id=new.parent_id)
    after = {"site": site.code, "kind": new.kind, "code": new.code, "parent_id": new.parent_id}
    await _add(session, caller, node, Action.NODE_CREATED, after=after, now=now)
    return node


async def _add(
    session: AsyncSession,
    caller: Caller,
    place: Site | Zone | Rack | Node,
    action: Action,
    *,
    after: dict[str, Any],
    now: datetime,
) -> None:
    session.add(place)
    with conflict_errors():
        await session.flush()
    kind = type(place).__name__.lower()
    await record(session, caller.actor, action, kind, place.id, tenant_id=place.tenant_id, after=after, now=now)


async def _change(
    session: AsyncSession,
    caller: Caller,
    place: Site | Zone,
    action: Action,
    *,
    values: dict[str, Any],
    now: datetime,
) -> None:
    before = {name: getattr(place, name) for name, value in values.items() if getattr(place, name) != value}
    if not before:
        return
    for name in before:
        setattr(place, name, values[name])
    with conflict_errors():
        await session.flush()
    after = {name: values[name] for name in before}
    kind = type(place).__name__.lower()
    await record(
        session, caller.actor, action, kind, place.id, tenant_id=place.tenant_id, before=before, after=after, now=now
    )
