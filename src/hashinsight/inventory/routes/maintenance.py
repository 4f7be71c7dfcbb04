"""Maintenance of machines."""

from fastapi import APIRouter

from hashinsight.identity.access import AuthenticateFirst, Session
from hashinsight.inventory.parameters import Editor, Now
from hashinsight.inventory.schemas.miners import EndMaintenance, MachineCount, SetMaintenance
from hashinsight.inventory.service import expected_states as service

router = APIRouter(route_class=AuthenticateFirst)


@router.post("/miners/maintenance", status_code=201)
async def set_maintenance(asked: SetMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """Say that machines are worked on, until a time or until it is ended: they are then not offline, but expected."""
    return MachineCount(machines=len(await service.set_maintenance(session, caller, asked, now=now)))


@router.post("/miners/maintenance/end")
async def end_maintenance(asked: EndMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """End the maintenance of machines now, and take back what was planned."""
    return MachineCount(machines=len(await service.end_maintenance(session, caller, asked, now=now)))
