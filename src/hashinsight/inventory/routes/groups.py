"""Groups of machines."""

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.access import AuthenticateFirst, ReadSession, Session
from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import Group
from hashinsight.inventory.parameters import Cursor, Editor, IdPath, Limit, Now, ViewScope
from hashinsight.inventory.queries import groups as queries
from hashinsight.inventory.schemas.groups import GroupChange, GroupList, GroupOut, NewGroup
from hashinsight.inventory.service import groups as service
from hashinsight.kit.web.responses import errors

router = APIRouter(route_class=AuthenticateFirst)


@router.get("/groups")
async def list_groups(scope: ViewScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> GroupList:
    """Groups that a machine in scope belongs to, with the number of their machines that the caller sees."""
    page = await queries.list_groups(session, scope, limit=limit, cursor=cursor)
    counts = await queries.count_members(session, scope, [group.id for group in page.rows])
    groups = [GroupOut.of(group, counts.get(group.id, 0), is_whole=scope.is_whole) for group in page.rows]
    return GroupList(groups=groups, next_cursor=page.next_cursor)


@router.post("/groups", status_code=201, responses=errors(404, 409))
async def create_group(new: NewGroup, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Create a group of listed machines, or of those that match a filter."""
    return await _group_out(session, caller.seen, await service.create_group(session, caller, new, now=now))


@router.get("/groups/{group_id}", responses=errors(404))
async def get_group(group_id: IdPath, scope: ViewScope, session: ReadSession) -> GroupOut:
    """One group; `/miners?group_id=` lists its machines."""
    return await _group_out(session, scope, await queries.get_group(session, scope, group_id))


@router.patch("/groups/{group_id}", responses=errors(404, 409))
async def change_group(group_id: IdPath, change: GroupChange, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Change a group's name, its filter, or its listed machines.

    While a grant is over the group: only by an owner of the whole tenant, after a step-up (403 `STEP_UP_REQUIRED`, for
    an API key `PERSON_REQUIRED`).
    """
    return await _group_out(
        session, caller.seen, await service.change_group(session, caller, group_id, change, now=now)
    )


@router.post("/groups/{group_id}/refresh", responses=errors(404, 409))
async def refresh_group(group_id: IdPath, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Update the members of a filter group to what its filter matches now.

    This happens every five minutes, unless a grant is over the group: then only an owner of the whole tenant refreshes
    it, after a step-up (403 `STEP_UP_REQUIRED`, for an API key `PERSON_REQUIRED`).
    """
    return await _group_out(session, caller.seen, await service.refresh_group(session, caller, group_id, now=now))


@router.delete("/groups/{group_id}", status_code=204, responses=errors(404, 409))
async def delete_group(group_id: IdPath, caller: Editor, session: Session, now: Now) -> None:
    """Delete a group; 409 while a grant is over it. Its machines stay."""
    await service.delete_group(session, caller, group_id, now=now)


async def _group_out(session: AsyncSession, scope: Scope, group: Group) -> GroupOut:
    counts = await queries.count_members(session, scope, [group.id])
    await session.refresh(group)
    return GroupOut.of(group, counts.get(group.id, 0), is_whole=scope.is_whole)
