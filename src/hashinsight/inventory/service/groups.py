"""Make, change, refresh and delete groups. Rights may rest on a group, so its members are written with care."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import Caller
from hashinsight.inventory.errors import conflict_errors
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import Group
from hashinsight.inventory.queries import groups as queries
from hashinsight.inventory.queries import miners, places
from hashinsight.inventory.schemas.groups import GroupChange, NewGroup
from hashinsight.inventory.service.edit_scope import check_whole_tenant, edit_scope
from hashinsight.kit.errors import Conflict, Forbidden, NotFound, ValidationFailed


async def create_group(session: AsyncSession, caller: Caller, new: NewGroup, *, now: datetime) -> Group:
    chosen = None if new.filter is None else await _stored_filter(session, caller, new.filter)
    if chosen is None:
        _check_holds_a_site(caller)
    group = Group(
        tenant_id=caller.tenant_id,
        name=new.name,
        kind="listed" if chosen is None else "filter",
        filter=chosen,
        created_at=now,
    )
    session.add(group)
    with conflict_errors():
        await session.flush()
    if chosen is None:
        members = await _resolve(session, caller, new.miner_ids or [], new.site_id)
        came = await queries.add_members(session, group, members)
    else:
        came, _ = await queries.refresh_members(session, group, MinerFilter(**chosen), now=now)
    await _record(
        session, caller, Action.GROUP_CREATED, group, {"name": group.name, "filter": chosen, "members": came}, now=now
    )
    return group


async def change_group(
    session: AsyncSession, caller: Caller, group_id: int, change: GroupChange, *, now: datetime
) -> Group:
    """Add and remove listed members, or set another filter or name."""
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    changes_members = bool(change.filter is not None or change.add or change.remove)
    await _check_granted(session, caller, group, changes_members=changes_members, now=now)
    done: dict[str, Any] = {}
    if change.name is not None and change.name != group.name:
        check_whole_tenant(caller, "renaming a group")
        done["name"] = group.name = change.name
    if change.filter is not None:
        done["filter"] = await _set_filter(session, caller, group, change.filter)
    with conflict_errors():
        await session.flush()
    if change.filter is not None:
        done["came"], done["went"] = await queries.refresh_members(
            session, group, MinerFilter(**(group.filter or {})), now=now
        )
    if change.add or change.remove:
        if group.kind != "listed":
            raise Conflict("the members of this group follow from its filter", code="GROUP_BY_FILTER")
        _check_holds_a_site(caller)
        added = await _resolve(session, caller, change.add or [], change.site_id)
        removed = await _resolve(session, caller, change.remove or [], change.site_id)
        done["came"] = await queries.add_members(session, group, added)
        done["went"] = await queries.remove_members(session, group, removed)
    if done:
        await _record(session, caller, Action.GROUP_CHANGED, group, done, now=now)
    return group


async def refresh_group(session: AsyncSession, caller: Caller, group_id: int, *, now: datetime) -> Group:
    """Make the members of a filter group what its filter says now."""
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    if group.filter is None:
        raise Conflict("this group is listed: it has no filter to follow", code="GROUP_LISTED")
    chosen = MinerFilter(**group.filter)
    _check_filter_rights(caller, chosen)
    await _check_granted(session, caller, group, changes_members=True, now=now)
    came, went = await queries.refresh_members(session, group, chosen, now=now)
    await _record(session, caller, Action.GROUP_REFRESHED, group, {"came": came, "went": went}, now=now)
    return group


async def refresh_groups(session: AsyncSession, *, now: datetime) -> int:
    """For the tick: every filter group that the transaction sees; says how many memberships changed.

    One that rights rest on stays as it is: telemetry and whoever keeps the inventory would move machines into
    somebody's sight. What its filter finds meanwhile is counted, for those who give rights.
    """
    changed = 0
    for group, is_granted in await queries.list_filter_groups(session):
        chosen = MinerFilter(**(group.filter or {}))
        if is_granted:
            await queries.note_difference(session, group, chosen)
            continue
        came, went = await queries.refresh_members(session, group, chosen, now=now)
        changed += came + went
    return changed


async def delete_group(session: AsyncSession, caller: Caller, group_id: int, *, now: datetime) -> None:
    check_whole_tenant(caller, "deleting a group")
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    if await queries.carries_rights(session, group.id):
        caller.check_step_up(now=now)
        raise Conflict("somebody's rights rest on this group: take that grant back first", code="GROUP_IN_USE")
    await queries.delete_group(session, group.id)
    await _record(session, caller, Action.GROUP_DELETED, group, {"name": group.name}, now=now)


async def _set_filter(session: AsyncSession, caller: Caller, group: Group, new: MinerFilter) -> dict[str, object]:
    if group.filter is None:
        raise Conflict("this group is listed: it takes no filter", code="GROUP_LISTED")
    _check_filter_rights(caller, MinerFilter(**group.filter))
    group.filter = await _stored_filter(session, caller, new)
    return group.filter


async def _stored_filter(session: AsyncSession, caller: Caller, chosen: MinerFilter) -> dict[str, object]:
    """As it is stored: the site as a number, and no group whose members follow from a filter themselves."""
    if chosen.site_id is not None:
        chosen = chosen.model_copy(update={"site_id": (await places.get_site(session, caller.seen, chosen.site_id)).id})
    if chosen.group_id is not None:
        inner = await queries.get_group(session, caller.seen, chosen.group_id)
        if inner.kind != "listed":
            raise ValidationFailed("a group's filter may name a listed group only")
    _check_filter_rights(caller, chosen)
    stored = chosen.given()
    if not stored:
        raise ValidationFailed("the filter is empty: every machine would be a member")
    return stored


def _check_filter_rights(caller: Caller, chosen: MinerFilter) -> None:
    if edit_scope(caller).is_whole:
        return
    if chosen.site_id is None or not edit_scope(caller).holds_site(int(chosen.site_id)):
        raise Forbidden("a filter that reaches beyond your sites is for those whose scope is the whole tenant")


def _check_holds_a_site(caller: Caller) -> None:
    """Who holds a zone or a group alone writes no groups: it would widen scopes, perhaps the own one."""
    if not edit_scope(caller).is_whole and not edit_scope(caller).whole_sites:
        raise Forbidden("groups are made by those whose scope has a whole site")


async def _check_granted(
    session: AsyncSession, caller: Caller, group: Group, *, changes_members: bool, now: datetime
) -> None:
    """Who changes the members of a granted group changes somebody's rights: the same step-up as for a grant."""
    if not await queries.carries_rights(session, group.id):
        return
    if changes_members and not caller.is_tenant_admin:
        raise Forbidden("somebody's rights rest on this group: it is changed by those who give rights in the tenant")
    caller.check_step_up(now=now)


async def _resolve(
    session: AsyncSession, caller: Caller, miner_ids: Sequence[str], site: str | int | None
) -> list[int]:
    if not miner_ids:
        return []
    site_id = None if site is None else (await places.get_site(session, caller.seen, site)).id
    found, missing = await miners.resolve_miners(session, edit_scope(caller), miner_ids, site_id)
    if missing:
        raise NotFound("some of these miners do not exist", details={"miner_ids": missing[:100]})
    return list(found.values())


async def _record(
    session: AsyncSession, caller: Caller, action: Action, group: Group, after: dict[str, Any], *, now: datetime
) -> None:
    await record(session, caller.actor, action, "group", group.id, tenant_id=group.tenant_id, after=after, now=now)
