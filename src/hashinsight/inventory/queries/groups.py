"""Groups and their members; members of filter groups are stored too."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, exists, func, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.queries.accounts import is_group_granted
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
        raise NotFound("no such group")
    return group


async def list_groups(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    return await page(session, select(Group).where(visible_groups(scope)), [Group.id], limit=limit, cursor=cursor)


async def count_members(session: AsyncSession, scope: Scope, group_ids: Sequence[int]) -> dict[int, int]:
    """Machines in scope by group."""
    query = (
        select(GroupMember.group_id, func.count())
        .join(Miner, Miner.miner_no == GroupMember.miner_no)
        .where(GroupMember.group_id.in_(group_ids), miners_within(scope))
        .group_by(GroupMember.group_id)
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def list_filter_groups(session: AsyncSession) -> Sequence[tuple[Group, bool]]:
    """For the tick: all filter groups that the transaction sees, and whether a grant is over each."""
    query = select(Group, is_group_granted(Group.id)).where(Group.kind == "filter").order_by(Group.id)
    return [(group, granted) for group, granted in await session.execute(query)]


async def insert_members(session: AsyncSession, group: Group, miner_nos: Sequence[int]) -> int:
    members = select(literal(group.id), Miner.miner_no, Miner.tenant_id, Miner.site_id).where(
        Miner.tenant_id == group.tenant_id, Miner.miner_no.in_(miner_nos)
    )
    return await _insert_members(session, members)


async def delete_members(session: AsyncSession, group: Group, miner_nos: Sequence[int]) -> int:
    left = await session.execute(
        delete(GroupMember)
        .where(GroupMember.group_id == group.id, GroupMember.miner_no.in_(miner_nos))
        .returning(GroupMember.miner_no)
    )
    return len(left.all())


async def update_members(
    session: AsyncSession, group: Group, filters: MinerFilter, *, now: datetime
) -> tuple[int, int]:
    """Update the members to what the filter matches now; returns how many joined and left."""
    matches = _matches(group, filters)
    left = await session.execute(
        delete(GroupMember)
        .where(GroupMember.group_id == group.id, GroupMember.miner_no.not_in(select(Miner.miner_no).where(matches)))
        .returning(GroupMember.miner_no)
    )
    joined = await _insert_members(
        session, select(literal(group.id), Miner.miner_no, Miner.tenant_id, Miner.site_id).where(matches)
    )
    values = {"refreshed_at": now, "to_join": None, "to_leave": None}
    await session.execute(update(Group).where(Group.id == group.id).values(**values))
    return joined, len(left.all())


async def update_pending_counts(session: AsyncSession, group: Group, filters: MinerFilter) -> None:
    """Count what a refresh would change, without changing it."""
    matching = select(Miner.miner_no).where(_matches(group, filters))
    members = select(GroupMember.miner_no).where(GroupMember.group_id == group.id)
    to_join = select(func.count()).select_from(matching.except_(members).subquery()).scalar_subquery()
    to_leave = select(func.count()).select_from(members.except_(matching).subquery()).scalar_subquery()
    await session.execute(update(Group).where(Group.id == group.id).values(to_join=to_join, to_leave=to_leave))


def _matches(group: Group, filters: MinerFilter) -> ColumnElement[bool]:
    site_id = int(filters.site_id) if filters.site_id is not None else None  # stored as a number
    return and_(Miner.tenant_id == group.tenant_id, filter_condition(filters, site_id=site_id))


async def delete_group(session: AsyncSession, group_id: int) -> None:
    await session.execute(delete(GroupMember).where(GroupMember.group_id == group_id))
    await session.execute(delete(Group).where(Group.id == group_id))


async def has_grants(session: AsyncSession, group_id: int) -> bool:
    """Whether a grant is over this group, or over one whose filter uses it."""
    by_filter = exists(
        select(Group.id).where(Group.filter["group_id"].as_integer() == group_id, is_group_granted(Group.id))
    )
    return bool((await session.execute(select(or_(is_group_granted(literal(group_id)), by_filter)))).scalar())


async def _insert_members(session: AsyncSession, members: object) -> int:
    columns = ["group_id", "miner_no", "tenant_id", "site_id"]
    statement = upsert(GroupMember).from_select(columns, members)  # type: ignore[arg-type]
    inserted = await session.execute(statement.on_conflict_do_nothing().returning(GroupMember.miner_no))
    return len(inserted.all())
