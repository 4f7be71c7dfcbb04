"""Maintenance of machines."""

from typing import Annotated

from fastapi import APIRouter

from hashinsight.identity.access import Session
from hashinsight.identity.known_first import KnownFirst
from hashinsight.inventory.routes.asking import Now, Write, body, shows
from hashinsight.inventory.schemas.maintenance import EndMaintenance, SetMaintenance, Touched
from hashinsight.inventory.service import maintenance as service

router = APIRouter(route_class=KnownFirst)


@router.post("/miners/maintenance", status_code=201, responses=shows(Touched, 201))
async def set_maintenance(
    asked: Annotated[SetMaintenance, body(SetMaintenance)], rights: Write, session: Session, now: Now
) -> Touched:
    """Say that machines are worked on, until a time or until it is ended: they are then not offline, but expected."""
    return Touched(machines=len(await service.set_maintenance(session, rights, asked, now=now)))


@router.post("/miners/maintenance/end", responses=shows(Touched))
async def end_maintenance(
    asked: Annotated[EndMaintenance, body(EndMaintenance)], rights: Write, session: Session, now: Now
) -> Touched:
    """End the maintenance of machines now, and take back what was planned."""
    return Touched(machines=len(await service.end_maintenance(session, rights, asked, now=now)))
