"""Running and planned maintenance: set on machines, and by suppressions for maintenance."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, and_, literal, null, or_, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.models import ExpectedState, Group, GroupMember, Miner, Site, Suppression, Zone
from hashinsight.inventory.queries.scopes import miners_within


async def list_maintenance(
    session: AsyncSession, scope: Scope, *, site_id: int | None, now: datetime, limit: int
) -> list[dict[str, Any]]:
    """Oldest first. A suppression is one row, however many machines it covers, if one of them is in scope."""
    rows = union_all(_set_on_machines(scope, site_id, now), _by_suppression(scope, site_id, now)).subquery()
    query = select(*(column for column in rows.c if column.name != "id")).order_by(rows.c.from_at, rows.c.id)
    return [dict(row._mapping) for row in await session.execute(query.limit(limit))]  # noqa: SLF001 - SQLAlchemy's public name


def _set_on_machines(scope: Scope, site_id: int | None, now: datetime) -> Select[Any]:
    of = ExpectedState
    columns: list[ColumnElement[Any]] = [
        of.id.expression,
        literal("miner", Text).label("kind"),
        Miner.miner_id.expression,
        null().label("zone"),
        null().label("group"),
        Site.code.label("site"),
        of.from_at.expression,
        of.until_at.expression,
        of.cause.expression,
        null().label("suppression_id"),
    ]
    query = (
        select(*columns)
        .join(Miner, Miner.miner_no == of.miner_no)
        .join(Site, Site.id == Miner.site_id)
        .where(miners_within(scope), of.state == "maintenance", or_(of.until_at.is_(None), of.until_at > now))
    )
    return query if site_id is None else query.where(Miner.site_id == site_id)


def _by_suppression(scope: Scope, site_id: int | None, now: datetime) -> Select[Any]:
    of = Suppression
    is_member = select(GroupMember.miner_no).where(
        GroupMember.group_id == of.group_id, GroupMember.miner_no == Miner.miner_no
    )
    is_covered = or_(
        of.kind == "site",
        of.miner_no == Miner.miner_no,
        of.zone_id == Miner.zone_id,
        and_(of.kind == "group", is_member.exists()),
    )
    covered = select(Miner.miner_no).where(miners_within(scope), Miner.site_id == of.site_id, is_covered)
    miner_id = select(Miner.miner_id).where(Miner.miner_no == of.miner_no).scalar_subquery()
    query = (
        select(
            of.id,
            of.kind,
            miner_id.label("miner_id"),
            Zone.code.label("zone"),
            Group.name.label("group"),
            Site.code.label("site"),
            of.from_at,
            of.until_at,
            (literal("suppressed for maintenance: ", Text) + of.reason).label("cause"),
            of.id.label("suppression_id"),
        )
        .join(Site, Site.id == of.site_id)
        .outerjoin(Zone, Zone.id == of.zone_id)
        .outerjoin(Group, Group.id == of.group_id)
        .where(
            of.maintenance,
            of.lifted_at.is_(None),
            or_(of.until_at.is_(None), of.until_at > now),
            covered.exists(),
        )
    )
    return query if site_id is None else query.where(of.site_id == site_id)
