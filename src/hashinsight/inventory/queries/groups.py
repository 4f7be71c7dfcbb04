"""Groups and their members, which are materialised."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, any_, delete, exists, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import Grant
from hashinsight.identity.scope import Scope
from hashinsight.inventory.filters import MinerFilter
from hashinsight.inventory.models import Group, GroupMember, Miner
from hashinsight.inventory.queries.miners import filter_condition
from hashinsight.inventory.queries.scopes import miners_within, visible_groups
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, page


async def get_group(session: AsyncSession, scope: Scope, group_id: int, *, lock: bool = False) -> Group:
    query = select(Group).where(visible_groups(scope), Group.id == group_id)
    group = (await session.execute(query.with_for_update(key_share=True) if lock else query)).scalar()
    if group is None:
        raise NotFound("there is no such group")
    return group


async def list_groups(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    return await page(session, select(Group).where(visible_groups(scope)), [Group.id], limit=limit, cursor=cursor)


async def count_members(session: AsyncSession, scope: Scope, group_ids: Sequence[int]) -> dict[int, int]:
    """How many machines of the scope each group has."""
    query = (
        select(GroupMember.group_id, func.count())
        .join(Miner, Miner.miner_no == GroupMember.miner_no)
        .where(GroupMember.group_id.in_(group_ids), miners_within(scope))
        .group_by(GroupMember.group_id)
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def list_filter_groups(session: AsyncSession) -> Sequence[tuple[Group, bool]]:
    """All of them, in every tenant that the transaction sees, and whether rights rest on each: for the tick."""
    is_granted = exists(select(Grant.id).where(Group.id == any_(Grant.group_ids)))
    found = await session.execute(select(Group, is_granted).where(Group.kind == "filter").order_by(Group.id))
    return [(group, granted) for group, granted in found]


async def add_members(session: AsyncSession, group: Group, miner_nos: Sequence[int]) -> int:
    chosen = select(literal(group.id), Miner.miner_no, Miner.tenant_id, Miner.site_id).where(
        Miner.tenant_id == group.tenant_id, Miner.miner_no.in_(miner_nos)
    )
    return await _insert_members(session, chosen)


async def remove_members(session: AsyncSession, group: Group, miner_nos: Sequence[int]) -> int:
    gone = await session.execute(
        delete(GroupMember)
        .where(GroupMember.group_id == group.id, GroupMember.miner_no.in_(miner_nos))
        .returning(GroupMember.miner_no)
    )
    return len(gone.all())


async def refresh_members(
    session: AsyncSession, group: Group, chosen: MinerFilter, *, now: datetime
) -> tuple[int, int]:
    """Make the members what the filter says now: how many came, how many went."""
    meant = _meant(group, chosen)
    gone = await session.execute(
        delete(GroupMember)
        .where(GroupMember.group_id == group.id, GroupMember.miner_no.not_in(select(Miner.miner_no).where(meant)))
        .returning(GroupMember.miner_no)
    )
    came = await _insert_members(
        session, select(literal(group.id), Miner.miner_no, Miner.tenant_id, Miner.site_id).where(meant)
    )
    values = {"refreshed_at": now, "to_join": None, "to_leave": None}
    await session.execute(update(Group).where(Group.id == group.id).values(**values))
    return came, len(gone.all())


async def note_difference(session: AsyncSession, group: Group, chosen: MinerFilter) -> None:
    """Count what a refresh would change, and change nothing."""
    found = select(Miner.miner_no).where(_meant(group, chosen))
    members = select(GroupMember.miner_no).where(GroupMember.group_id == group.id)
    to_join = select(func.count()).select_from(found.except_(members).subquery()).scalar_subquery()
    to_leave = select(func.count()).select_from(members.except_(found).subquery()).scalar_subquery()
    await session.execute(update(Group).where(Group.id == group.id).values(to_join=to_join, to_leave=to_leave))


def _meant(group: Group, chosen: MinerFilter) -> ColumnElement[bool]:
    site_id = int(chosen.site_id) if chosen.site_id is not None else None  # stored as a number
    meant: ColumnElement[bool] = (Miner.tenant_id == group.tenant_id) & filter_condition(chosen, site_id=site_id)
    return meant


async def delete_group(session: AsyncSession, group_id: int) -> None:
    await session.execute(delete(GroupMember).where(GroupMember.group_id == group_id))
    await session.execute(delete(Group).where(Group.id == group_id))


async def carries_rights(session: AsyncSession, group_id: int) -> bool:
    """Whether somebody's rights rest on this group, or on one whose filter names it."""
    by_filter = exists(
        select(Group.id).where(Group.filter["group_id"].as_integer() == group_id, Group.id == any_(Grant.group_ids))
    )
    query = select(Grant.id).where(or_(literal(group_id) == any_(Grant.group_ids), by_filter)).limit(1)
    return (await session.execute(query)).scalar() is not None


async def _insert_members(session: AsyncSession, chosen: object) -> int:
    columns = ["group_id", "miner_no", "tenant_id", "site_id"]
    statement = upsert(GroupMember).from_select(columns, chosen)  # type: ignore[arg-type]
    came = await session.execute(statement.on_conflict_do_nothing().returning(GroupMember.miner_no))
    return len(came.all())
