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

router = APIRouter(route_class=AuthenticateFirst)


@router.get("/groups")
async def list_groups(scope: ViewScope, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> GroupList:
    """The groups that a machine in scope belongs to, with the number of their machines that the caller sees."""
    found = await queries.list_groups(session, scope, limit=limit, cursor=cursor)
    counted = await queries.count_members(session, scope, [group.id for group in found.rows])
    shown = [GroupOut.of(group, counted.get(group.id, 0), is_whole=scope.is_whole) for group in found.rows]
    return GroupList(groups=shown, next_cursor=found.next_cursor)


@router.post("/groups", status_code=201)
async def create_group(new: NewGroup, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Make a group of listed machines, or of those that a filter finds."""
    return await _shown(session, caller.seen, await service.create_group(session, caller, new, now=now))


@router.get("/groups/{group_id}")
async def get_group(group_id: IdPath, scope: ViewScope, session: ReadSession) -> GroupOut:
    """One group; its machines are listed by `/miners?group_id=`."""
    return await _shown(session, scope, await queries.get_group(session, scope, group_id))


@router.patch("/groups/{group_id}")
async def change_group(group_id: IdPath, change: GroupChange, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Change a group's name, its filter, or the machines on its list.

    While somebody's rights rest on it: by those who give rights in the whole tenant, with a step-up (403
    `STEP_UP_REQUIRED`, for an API key `PERSON_REQUIRED`).
    """
    return await _shown(session, caller.seen, await service.change_group(session, caller, group_id, change, now=now))


@router.post("/groups/{group_id}/refresh")
async def refresh_group(group_id: IdPath, caller: Editor, session: Session, now: Now) -> GroupOut:
    """Make the members of a filter group what its filter finds now.

    It happens by itself every five minutes, unless somebody's rights rest on the group: then only those who give rights
    in the whole tenant refresh it, with a step-up (403 `STEP_UP_REQUIRED`, for an API key `PERSON_REQUIRED`).
    """
    return await _shown(session, caller.seen, await service.refresh_group(session, caller, group_id, now=now))


@router.delete("/groups/{group_id}", status_code=204)
async def delete_group(group_id: IdPath, caller: Editor, session: Session, now: Now) -> None:
    """Delete a group; refused while somebody's rights rest on it. Its machines stay."""
    await service.delete_group(session, caller, group_id, now=now)


async def _shown(session: AsyncSession, scope: Scope, group: Group) -> GroupOut:
    counted = await queries.count_members(session, scope, [group.id])
    await session.refresh(group)
    return GroupOut.of(group, counted.get(group.id, 0), is_whole=scope.is_whole)
