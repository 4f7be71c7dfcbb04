"""Machines: list, create, show, change, retire, history, maintenance."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from hashinsight.identity.access import AuthenticateFirst, ReadSession, Session
from hashinsight.inventory.fields import MINER_ID_CHARS
from hashinsight.inventory.filters import Id, MinerFilter, Word
from hashinsight.inventory.parameters import Cursor, Editor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import expected_now, maintenance, miners, places
from hashinsight.inventory.schemas.miners import (
    EndMaintenance,
    MachineCount,
    MaintenanceList,
    MaintenanceOut,
    MinerChangeList,
    MinerChangeOut,
    MinerDetail,
    MinerList,
    MinerOut,
    MinerUpdate,
    NewMiner,
    RetireBody,
    SetMaintenance,
)
from hashinsight.inventory.service import expected_states
from hashinsight.inventory.service import miners as service
from hashinsight.kit.web.responses import errors

router = APIRouter(route_class=AuthenticateFirst)

MinerPath = Annotated[str, Path(max_length=MINER_ID_CHARS, description="The operator's own id of the machine.")]


def _filter(
    *,
    site_id: SiteQuery = None,
    model: Annotated[Word | None, Query(description="In any spelling that the catalogue knows.")] = None,
    firmware: Annotated[Word | None, Query()] = None,
    zone: Annotated[Word | None, Query(description="The zone's code.")] = None,
    rack: Annotated[Word | None, Query(description="The rack's code.")] = None,
    owner: Annotated[Word | None, Query()] = None,
    group_id: Annotated[Id | None, Query()] = None,
    state: Annotated[Literal["in_service", "retired", "any"], Query()] = "in_service",
    text: Annotated[Word | None, Query(description="Prefix of an id, serial or MAC.")] = None,
) -> MinerFilter:
    return MinerFilter(
        site_id=site_id,
        model=model,
        firmware=firmware,
        zone=zone,
        rack=rack,
        owner=owner,
        group_id=group_id,
        state=state,
        text=text,
    )


@router.get("/miners", responses=errors(404))
async def list_miners(
    filters: Annotated[MinerFilter, Depends(_filter)],
    scope: ViewScope,
    session: ReadSession,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> MinerList:
    """Machines in scope by id; every filter that is given must match."""
    page = await miners.list_miners(session, scope, filters, limit=limit, cursor=cursor)
    return MinerList(miners=[MinerOut.of(located) for located in page.rows], next_cursor=page.next_cursor)


@router.post("/miners", status_code=201, responses=errors(404, 409))
async def create_miner(new: NewMiner, caller: Editor, session: Session, now: Now) -> MinerOut:
    """Create one machine. Its zone and rack must exist; an import creates them."""
    return MinerOut.of(await service.create_miner(session, caller, new, now=now))


@router.get("/miners/maintenance", responses=errors(404))
async def list_maintenance(
    scope: ViewScope, session: ReadSession, now: Now, site_id: SiteQuery = None, limit: Limit = 100
) -> MaintenanceList:
    """Running and planned maintenance, oldest first.

    A suppression with `maintenance` is one entry for its machine, zone, group or site.
    """
    site = await places.find_site_id(session, scope, site_id)
    rows = await maintenance.list_maintenance(session, scope, site_id=site, now=now, limit=limit + 1)
    shown = [MaintenanceOut.model_validate(row) for row in rows[:limit]]
    return MaintenanceList(maintenance=shown, more=len(rows) > limit)


@router.post("/miners/maintenance", status_code=201, responses=errors(404, 409))
async def set_maintenance(body: SetMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """Put machines in maintenance, until a time or until it is ended: they are expected to be off, not offline."""
    return MachineCount(machines=len(await expected_states.set_maintenance(session, caller, body, now=now)))


@router.post("/miners/maintenance/end", responses=errors(404, 409))
async def end_maintenance(body: EndMaintenance, caller: Editor, session: Session, now: Now) -> MachineCount:
    """End the maintenance of machines now, and cancel what is planned."""
    return MachineCount(machines=len(await expected_states.end_maintenance(session, caller, body, now=now)))


@router.get("/miners/{miner_id}", responses=errors(404, 409))
async def get_miner(
    miner_id: MinerPath, scope: ViewScope, session: ReadSession, now: Now, site_id: SiteQuery = None
) -> MinerDetail:
    """One machine and its expected state now. 409 AMBIGUOUS_MINER when more than one visible site has this id."""
    located = await miners.get_miner(session, scope, miner_id, site_id)
    return MinerDetail.of(located, await expected_now.find_expected(session, located.miner.miner_no, as_of=now))


@router.patch("/miners/{miner_id}", responses=errors(404, 409))
async def change_miner(
    *,
    miner_id: MinerPath,
    change: MinerUpdate,
    caller: Editor,
    session: Session,
    now: Now,
    site_id: SiteQuery = None,
) -> MinerOut:
    """Change a machine. It keeps its number, also with another MAC, another id or at another site."""
    return MinerOut.of(await service.change_miner(session, caller, miner_id, change, site=site_id, now=now))


@router.post("/miners/{miner_id}/retire", responses=errors(404, 409))
async def retire_miner(
    *,
    miner_id: MinerPath,
    body: RetireBody,
    caller: Editor,
    session: Session,
    now: Now,
    site_id: SiteQuery = None,
) -> MinerOut:
    """Take a machine out of service. Its record stays; changing `state` to in_service brings it back."""
    return MinerOut.of(await service.retire_miner(session, caller, miner_id, site=site_id, reason=body.reason, now=now))


@router.get("/miners/{miner_id}/history", responses=errors(404, 409))
async def list_miner_history(
    *,
    miner_id: MinerPath,
    scope: ViewScope,
    session: ReadSession,
    site_id: SiteQuery = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> MinerChangeList:
    """A machine's changes, newest first: swapped boards, moves, other ids."""
    miner_no = (await miners.get_miner(session, scope, miner_id, site_id)).miner.miner_no
    page = await miners.list_changes(session, scope, miner_no, limit=limit, cursor=cursor)
    changes = [MinerChangeOut.model_validate(change) for change in page.rows]
    return MinerChangeList(miner_no=miner_no, changes=changes, next_cursor=page.next_cursor)
