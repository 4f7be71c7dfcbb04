"""Expected states at a time: by a machine's own intervals, else by a suppression for maintenance.

The one place that joins both. A suppression counts while it is in force, for the machines that it covers now: nothing
is copied that would have to be ended when it is lifted or expires.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Select, Text, and_, case, func, literal, or_, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.inventory.models import ExpectedState, GroupMember, Miner, Suppression

_WHEN = DateTime(timezone=True)


@dataclass(frozen=True)
class ExpectedNow:
    """Columns for a query over machines, once `join` has been called on it."""

    state: ColumnElement[str | None]
    ended_at: ColumnElement[datetime | None]  # when the last state ended, if after the given time
    joined: Sequence[tuple[Any, ColumnElement[bool]]]

    def join(self, query: Select[Any]) -> Select[Any]:
        for part, on in self.joined:
            query = query.outerjoin(part, on)
        return query


def expected_now(as_of: datetime, *, ended_after: datetime) -> ExpectedNow:
    """Joins on `Miner`, which the query must select from."""
    own = _own(as_of, ended_after).subquery("expected")
    ends_at = _ends_at()
    in_force = (
        select(*(getattr(Suppression, name) for name in ("kind", "miner_no", "zone_id", "group_id", "site_id")))
        .add_columns(ends_at.label("ends_at"))
        .where(
            Suppression.maintenance,
            Suppression.from_at <= as_of,
            or_(ends_at.is_(None), and_(ends_at > ended_after, ends_at > Suppression.from_at)),
        )
        .cte("maintenance")
    )
    single = select(in_force.c.miner_no, in_force.c.site_id, in_force.c.ends_at).where(in_force.c.kind == "miner")
    grouped = (
        select(GroupMember.miner_no, in_force.c.site_id, in_force.c.ends_at)
        .join(in_force, and_(in_force.c.group_id == GroupMember.group_id, in_force.c.site_id == GroupMember.site_id))
        .where(in_force.c.kind == "group")
    )
    machines = union_all(single, grouped).subquery("maintained")
    of_machine = _widest(machines, "miner_no", "site_id", as_of=as_of).subquery("maintained_machines")
    of_zone = _widest(in_force, "zone_id", as_of=as_of).where(in_force.c.kind == "zone").subquery("maintained_zones")
    of_site = _widest(in_force, "site_id", as_of=as_of).where(in_force.c.kind == "site").subquery("maintained_sites")
    wider = (of_machine, of_zone, of_site)
    is_maintained = or_(*(part.c.holds for part in wider))
    return ExpectedNow(
        state=func.coalesce(own.c.state, case((is_maintained, literal("maintenance", Text)))),
        ended_at=func.greatest(own.c.ended_at, *(part.c.ended_at for part in wider), type_=_WHEN),
        joined=(
            (own, own.c.miner_no == Miner.miner_no),
            (of_machine, and_(of_machine.c.miner_no == Miner.miner_no, of_machine.c.site_id == Miner.site_id)),
            (of_zone, of_zone.c.zone_id == Miner.zone_id),
            (of_site, of_site.c.site_id == Miner.site_id),
        ),
    )


def _own(as_of: datetime, ended_after: datetime) -> Select[Any]:
    """Of the intervals that cover the time the one created last; if none does, the last to end."""
    of = ExpectedState
    holds = or_(of.until_at.is_(None), of.until_at > as_of)
    ended_at = case((~holds, of.until_at))
    return (
        select(of.miner_no, case((holds, of.state)).label("state"), ended_at.label("ended_at"))
        .where(of.from_at <= as_of, or_(of.until_at.is_(None), of.until_at > ended_after))
        .ext(distinct_on(of.miner_no))
        .order_by(of.miner_no, holds.desc(), ended_at.desc(), of.created_at.desc(), of.id.desc())
    )


def _widest(rows: Any, *keys: str, as_of: datetime) -> Select[Any]:
    """By key whether any suppression is in force, and when the last of the others ended."""
    columns = [rows.c[name] for name in keys]
    ends_at = rows.c.ends_at
    return select(
        *columns,
        func.bool_or(or_(ends_at.is_(None), ends_at > as_of)).label("holds"),
        func.max(ends_at).filter(ends_at <= as_of).label("ended_at"),
    ).group_by(*columns)


def _ends_at() -> ColumnElement[datetime | None]:
    return func.least(Suppression.until_at, Suppression.lifted_at, type_=_WHEN)


def covers_miner(miner_no: int) -> ColumnElement[bool]:
    """Whether a suppression is for this machine, or for its zone, its site or a group that it is in."""
    member = select(GroupMember.group_id).where(GroupMember.miner_no == miner_no)
    zone, site = (
        select(column).where(Miner.miner_no == miner_no).scalar_subquery() for column in (Miner.zone_id, Miner.site_id)
    )
    of = Suppression
    is_covered = or_(of.kind == "site", of.miner_no == miner_no, of.zone_id == zone, of.group_id.in_(member))
    return and_(of.site_id == site, is_covered)


async def find_expected(session: AsyncSession, miner_no: int, *, as_of: datetime) -> ExpectedState | None:
    """The expected state of one machine: from when, until when and why."""
    of = ExpectedState
    own = (
        select(of)
        .where(of.miner_no == miner_no, of.from_at <= as_of, or_(of.until_at.is_(None), of.until_at > as_of))
        .order_by(of.created_at.desc(), of.id.desc())
        .limit(1)
    )
    return (await session.execute(own)).scalar() or await _find_maintenance(session, miner_no, as_of=as_of)


async def _find_maintenance(session: AsyncSession, miner_no: int, *, as_of: datetime) -> ExpectedState | None:
    of, ends_at = Suppression, _ends_at()
    query = (
        select(of.from_at, ends_at.label("until_at"), of.reason)
        .where(of.maintenance, of.from_at <= as_of, or_(ends_at.is_(None), ends_at > as_of), covers_miner(miner_no))
        .order_by(of.created_at.desc(), of.id.desc())
        .limit(1)
    )
    row = (await session.execute(query)).one_or_none()
    if row is None:
        return None
    cause = f"suppressed for maintenance: {row.reason}"
    return ExpectedState(state="maintenance", from_at=row.from_at, until_at=row.until_at, cause=cause)
