"""Machines: list, make, show, change, retire, history."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from hashinsight.identity.access import ReadSession, Session
from hashinsight.inventory.filters import Id, MinerFilter, Word
from hashinsight.inventory.parameters import Cursor, Editor, Limit, Now, SiteQuery, ViewScope
from hashinsight.inventory.queries import expected_now, miners
from hashinsight.inventory.schemas.miners import (
    MinerChangeList,
    MinerChangeOut,
    MinerDetail,
    MinerList,
    MinerOut,
    MinerUpdate,
    NewMiner,
    RetireBody,
)
from hashinsight.inventory.service import miners as service

router = APIRouter()

MinerPath = Annotated[str, Path(max_length=64, description="The operator's own id of the machine.")]


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
    text: Annotated[Word | None, Query(description="How an id, a serial or a MAC begins.")] = None,
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


@router.get("/miners")
async def list_miners(
    chosen: Annotated[MinerFilter, Depends(_filter)],
    scope: ViewScope,
    session: ReadSession,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> MinerList:
    """The machines in scope, by id; every filter that is given must hold."""
    found = await miners.list_miners(session, scope, chosen, limit=limit, cursor=cursor)
    return MinerList(miners=[MinerOut.of(one) for one in found.rows], next_cursor=found.next_cursor)


@router.post("/miners", status_code=201)
async def create_miner(new: NewMiner, caller: Editor, session: Session, now: Now) -> MinerOut:
    """Make one machine. Its zone and rack must exist; an import makes them."""
    return MinerOut.of(await service.create_miner(session, caller, new, now=now))


@router.get("/miners/{miner_id}")
async def get_miner(
    miner_id: MinerPath, scope: ViewScope, session: ReadSession, now: Now, site_id: SiteQuery = None
) -> MinerDetail:
    """One machine, and what it is expected to be now. 409 AMBIGUOUS_MINER when two visible sites hold this id."""
    found = await miners.get_miner(session, scope, miner_id, site_id)
    return MinerDetail.of(found, await expected_now.find_expected(session, found.miner.miner_no, as_of=now))


@router.patch("/miners/{miner_id}")
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


@router.post("/miners/{miner_id}/retire")
async def retire_miner(
    *,
    miner_id: MinerPath,
    asked: RetireBody,
    caller: Editor,
    session: Session,
    now: Now,
    site_id: SiteQuery = None,
) -> MinerOut:
    """Take a machine out of service. Its record stays; a change of `state` to in_service brings it back."""
    retired = await service.retire_miner(session, caller, miner_id, site=site_id, reason=asked.reason, now=now)
    return MinerOut.of(retired)


@router.get("/miners/{miner_id}/history")
async def list_history(
    *,
    miner_id: MinerPath,
    scope: ViewScope,
    session: ReadSession,
    site_id: SiteQuery = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> MinerChangeList:
    """What the machine was before, newest first: swapped boards, moves, other names."""
    miner_no = (await miners.get_miner(session, scope, miner_id, site_id)).miner.miner_no
    found = await miners.list_changes(session, scope, miner_no, limit=limit, cursor=cursor)
    changes = [MinerChangeOut.model_validate(row) for row in found.rows]
    return MinerChangeList(miner_no=miner_no, changes=changes, next_cursor=found.next_cursor)
