"""Maintenance of machines."""

from fastapi import APIRouter

from hashinsight.identity.access import AuthenticateFirst, ReadSession, Session
from hashinsight.inventory.parameters import Editor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import maintenance as queries
from hashinsight.inventory.queries import places
from hashinsight.inventory.schemas.miners import (
    EndMaintenance,
    MachineCount,
    MaintenanceList,
    MaintenanceShown,
    SetMaintenance,
)
from hashinsight.inventory.service import expected_states as service

router = APIRouter(route_class=AuthenticateFirst)


@router.get("/miners/maintenance")
async def list_maintenance(
    scope: ViewScope, session: ReadSession, now: Now, site_id: SiteQuery = None, limit: Limit = 100
) -> MaintenanceList:
    """Maintenance that runs or is planned, the oldest first; `more` when `limit` cut the list.

    A suppression with `maintenance` is one entry, of its machine, zone, group or site; it ends when it is lifted.
    """
    site = None if site_id is None else (await places.get_site(session, scope, site_id)).id
    rows = await queries.list_maintenance(session, scope, site_id=site, now=now, limit=limit + 1)
    shown = [MaintenanceShown.model_validate(row) for row in rows[:limit]]
    return MaintenanceList(maintenance=shown, more=len(rows) > limit)


@router.post("/miners/maintenance", status_code=201)
async def set_maintenance(asked: SetMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """Say that machines are worked on, until a time or until it is ended: they are then not offline, but expected."""
    return MachineCount(machines=len(await service.set_maintenance(session, caller, asked, now=now)))


@router.post("/miners/maintenance/end")
async def end_maintenance(asked: EndMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """End the maintenance of machines now, and take back what was planned."""
    return MachineCount(machines=len(await service.end_maintenance(session, caller, asked, now=now)))
