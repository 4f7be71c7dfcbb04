"""Create, change, refresh and delete groups. A grant can be over a group, so changing members can change rights."""

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
from hashinsight.kit.errors import Conflict, Forbidden, ValidationFailed


async def create_group(session: AsyncSession, caller: Caller, new: NewGroup, *, now: datetime) -> Group:
    stored = None if new.filter is None else await _stored_filter(session, caller, new.filter)
    if stored is None:
        _check_has_whole_site(caller)
    group = Group(
        tenant_id=caller.tenant_id,
        name=new.name,
        kind="listed" if stored is None else "filter",
        filter=stored,
        created_at=now,
    )
    session.add(group)
    with conflict_errors():
        await session.flush()
    if stored is None:
        members = await _resolve(session, caller, new.miner_ids or [], new.site_id)
        joined = await queries.insert_members(session, group, members)
    else:
        joined, _ = await queries.update_members(session, group, MinerFilter(**stored), now=now)
    after = {"name": group.name, "filter": stored, "members": joined}
    await _record(session, caller, Action.GROUP_CREATED, group, after, now=now)
    return group


async def change_group(
    session: AsyncSession, caller: Caller, group_id: int, change: GroupChange, *, now: datetime
) -> Group:
    """Add and remove listed members, or set another filter or name."""
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    changes_members = bool(change.filter is not None or change.add or change.remove)
    await _check_grants(session, caller, group, changes_members=changes_members, now=now)
    after: dict[str, Any] = {}
    if change.name is not None and change.name != group.name:
        check_whole_tenant(caller, "renaming a group")
        after["name"] = group.name = change.name
    if change.filter is not None:
        after["filter"] = await _set_filter(session, caller, group, change.filter)
    with conflict_errors():
        await session.flush()
    if change.filter is not None:
        after["came"], after["went"] = await queries.update_members(
            session, group, MinerFilter(**(group.filter or {})), now=now
        )
    if change.add or change.remove:
        if group.kind != "listed":
            raise Conflict("this group's members are set by its filter", code="GROUP_BY_FILTER")
        _check_has_whole_site(caller)
        added = await _resolve(session, caller, change.add or [], change.site_id)
        removed = await _resolve(session, caller, change.remove or [], change.site_id)
        after["came"] = await queries.insert_members(session, group, added)
        after["went"] = await queries.delete_members(session, group, removed)
    if after:
        await _record(session, caller, Action.GROUP_CHANGED, group, after, now=now)
    return group


async def refresh_group(session: AsyncSession, caller: Caller, group_id: int, *, now: datetime) -> Group:
    """Update the members of a filter group to what its filter matches now."""
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    if group.filter is None:
        raise Conflict("this group has a fixed list of members, no filter", code="GROUP_LISTED")
    filters = MinerFilter(**group.filter)
    _check_filter_scope(caller, filters)
    await _check_grants(session, caller, group, changes_members=True, now=now)
    joined, left = await queries.update_members(session, group, filters, now=now)
    await _record(session, caller, Action.GROUP_REFRESHED, group, {"came": joined, "went": left}, now=now)
    return group


async def refresh_groups(session: AsyncSession, *, now: datetime) -> int:
    """For the tick: every filter group that the transaction sees; returns how many memberships changed.

    A group with a grant over it is only counted: otherwise telemetry, or whoever edits the inventory, could move
    machines into somebody's scope. An owner refreshes it.
    """
    changed = 0
    for group, is_granted in await queries.list_filter_groups(session):
        filters = MinerFilter(**(group.filter or {}))
        if is_granted:
            await queries.update_pending_counts(session, group, filters)
            continue
        changed += sum(await queries.update_members(session, group, filters, now=now))
    return changed


async def delete_group(session: AsyncSession, caller: Caller, group_id: int, *, now: datetime) -> None:
    check_whole_tenant(caller, "deleting a group")
    group = await queries.get_group(session, caller.seen, group_id, lock=True)
    if await queries.has_grants(session, group.id):
        caller.check_step_up(now=now)
        raise Conflict("a grant uses this group: remove the grant first", code="GROUP_IN_USE")
    await queries.delete_group(session, group.id)
    await _record(session, caller, Action.GROUP_DELETED, group, {"name": group.name}, now=now)


async def _set_filter(session: AsyncSession, caller: Caller, group: Group, new: MinerFilter) -> dict[str, object]:
    if group.filter is None:
        raise Conflict("this group has a fixed list of members and takes no filter", code="GROUP_LISTED")
    _check_filter_scope(caller, MinerFilter(**group.filter))
    group.filter = await _stored_filter(session, caller, new)
    return group.filter


async def _stored_filter(session: AsyncSession, caller: Caller, filters: MinerFilter) -> dict[str, object]:
    """As stored: the site by its integer id; another group only if it is listed."""
    site_id = await places.find_site_id(session, caller.seen, filters.site_id)
    filters = filters.model_copy(update={"site_id": site_id})
    if filters.group_id is not None:
        inner = await queries.get_group(session, caller.seen, filters.group_id)
        if inner.kind != "listed":
            raise ValidationFailed("a group's filter can only refer to a group with a fixed list")
    _check_filter_scope(caller, filters)
    stored = filters.given()
    if not stored:
        raise ValidationFailed("the filter is empty: every machine would be a member")
    return stored


def _check_filter_scope(caller: Caller, filters: MinerFilter) -> None:
    scope = edit_scope(caller)
    if scope.is_whole:
        return
    if filters.site_id is None or not scope.holds_site(int(filters.site_id)):
        raise Forbidden("a filter beyond your sites needs a role for the whole tenant")


def _check_has_whole_site(caller: Caller) -> None:
    """A caller with a zone or a group only must not edit groups: that would widen scopes, perhaps their own."""
    scope = edit_scope(caller)
    if not scope.is_whole and not scope.whole_sites:
        raise Forbidden("editing groups needs a role for the whole site")


async def _check_grants(
    session: AsyncSession, caller: Caller, group: Group, *, changes_members: bool, now: datetime
) -> None:
    """Changing members of a group with a grant over it changes somebody's rights: it needs what a grant needs."""
    if not await queries.has_grants(session, group.id):
        return
    if changes_members and not caller.is_tenant_admin:
        raise Forbidden("a grant uses this group: only an owner of the whole tenant changes its members")
    caller.check_step_up(now=now)


async def _resolve(
    session: AsyncSession, caller: Caller, miner_ids: Sequence[str], site: str | int | None
) -> list[int]:
    site_id = await places.find_site_id(session, caller.seen, site)
    return await miners.list_miner_nos_by_id(session, edit_scope(caller), miner_ids, site_id)


async def _record(
    session: AsyncSession, caller: Caller, action: Action, group: Group, after: dict[str, Any], *, now: datetime
) -> None:
    await record(session, caller.actor, action, "group", group.id, tenant_id=group.tenant_id, after=after, now=now)
