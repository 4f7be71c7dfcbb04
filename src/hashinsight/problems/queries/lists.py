"""Lists of problems: a page finds its ids in the index alone, and reads whole rows only of those that it shows.

Each index has one site's problems in the order of a list, either the shown or the resolved ones. A page of several
sites or of both kinds is merged from the first rows of each.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import reduce
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Select,
    Text,
    Uuid,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    true,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from hashinsight.facts.models import find_model
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.inventory.queries.tables import GroupMember, Site, Zone
from hashinsight.problems.codes import CAUSES_FIRST, SHOWN_STATUSES
from hashinsight.problems.models import EVENTS, PULSE
from hashinsight.wire.sites import fold_code


def problems_within(scope: Scope, table: Any = EVENTS) -> ColumnElement[bool]:
    """By site, zone or group of the machine. A collector's problem is for those who hold its whole site."""

    def in_groups(groups: Sequence[int]) -> ColumnElement[bool]:
        member = GroupMember
        return exists(select(member.miner_no).where(member.miner_no == table.c.miner_no, member.group_id.in_(groups)))

    return within(scope, Columns(table.c.tenant_id, site=table.c.site_id, zone=table.c.zone_id, in_groups=in_groups))


_BY_INDEX = (SHOWN_STATUSES, ("resolved",), ("pending",))  # statuses, by the index that has them
DOCUMENTS = ("evidence_json", "actions_json", "peer_metrics_json", "ml_json", "health_json")
_HIDDEN = ("tenant_id", "seen")
_PLAIN = tuple(column.name for column in EVENTS.c if column.name not in (*_HIDDEN, *DOCUMENTS))


Span = tuple[datetime | None, datetime | None]  # after the first, until the second; None: open


class ProblemSort(StrEnum):
    SEVERITY = "severity"  # then risk, then last seen: the order of the registry
    RISK = "p_fail_24h"
    LAST_SEEN = "last_seen_ts"
    START = "start_ts"
    LOSS = "loss_ths"
    MINER = "miner_id"


@dataclass(frozen=True)
class ProblemFilter:
    """The filter of a list. Without statuses: open, ack and in_progress."""

    site_id: int | None = None
    severity: tuple[str, ...] = ()
    issue_code: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    site: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    firmware: tuple[str, ...] = ()
    zone: tuple[str, ...] = ()
    started: tuple[Span, ...] = ()  # within any of them
    miner_no: int | None = None
    text: str | None = None
    assigned_to: str | None = None
    with_symptoms: bool = True
    sort: ProblemSort = ProblemSort.SEVERITY
    is_reversed: bool = False

    def conditions(self) -> list[ColumnElement[bool]]:
        c = EVENTS.c
        conditions: list[ColumnElement[bool]] = [c.status.in_(self.status or SHOWN_STATUSES)]
        equal = ("site_id", "miner_no", "assigned_to")
        conditions += [c[name] == getattr(self, name) for name in equal if getattr(self, name) is not None]
        several = ("severity", "issue_code", "firmware")
        conditions += [c[name].in_(getattr(self, name)) for name in several if getattr(self, name)]
        if self.model:
            known = [(find_model(name), name) for name in self.model]
            conditions.append(c.model.in_([name if model is None else model.name for model, name in known]))
        if self.site:
            conditions.append(c.site_id.in_(select(Site.id).where(Site.code_key.in_(self.site_keys()))))
        if self.zone:
            conditions.append(c.zone_id.in_(select(Zone.id).where(Zone.code.in_(self.zone))))
        if self.started:
            conditions.append(or_(*(_within(span) for span in self.started)))
        if self.text is not None:
            conditions.append(func.starts_with(c.miner_id, self.text))
        if not self.with_symptoms:
            conditions.append(c.symptom.is_(False))
        return conditions

    def site_keys(self) -> list[str]:
        return [fold_code(code) for code in self.site]

    def by_index(self) -> list["ProblemFilter"]:
        """The same filter in parts that one index has each. A machine has few problems, and an index of its own."""
        if self.miner_no is not None:
            return [self]
        chosen = self.status or SHOWN_STATUSES
        parts = [tuple(status for status in indexed if status in chosen) for indexed in _BY_INDEX]
        return [replace(self, status=part) for part in parts if part]

    def order(self, columns: Any = EVENTS.c) -> list[ColumnElement[Any]]:
        """Every order ends with the registry's own and the id, so that pages neither repeat nor skip a row."""
        ordered = [_ordered(columns[name], EVENTS.c[name], *how) for name, *how in self.order_names()]
        return ordered if self.miner_no is None else [ordered[0], _cause_place(), *ordered[1:]]

    def order_names(self) -> list[tuple[str, bool, bool]]:
        """Columns, whether each is descending, and whether the usual order is reversed."""
        usual = [("severity", False), ("p_fail_24h", True), ("seen", True), ("last_seen_ts", True), ("id", False)]
        if self.sort is ProblemSort.LAST_SEEN:
            usual = [*usual[2:4], *usual[:2], usual[4]]
        elif self.sort is not ProblemSort.SEVERITY:
            usual = [(self.sort.value, self.sort is not ProblemSort.MINER), *usual]
        return [(name, descending != self.is_reversed, self.is_reversed) for name, descending in usual]


def _within(span: Span) -> ColumnElement[bool]:
    start, (after, until) = EVENTS.c.start_ts, span
    ends = [start > after] if after is not None else []
    return and_(*ends, *([start <= until] if until is not None else []))


def _cause_place() -> ColumnElement[int]:
    """Only for lists of one machine: others are read from an index, which does not know causes."""
    places = {issue.code: place for place, issue in enumerate(CAUSES_FIRST)}
    is_over = EVENTS.c.status == "resolved"
    return case((is_over, len(places) + 1), else_=case(places, value=EVENTS.c.issue_code, else_=len(places)))


def _ordered(column: Any, stored: Any, descending: bool, is_reversed: bool) -> ColumnElement[Any]:  # noqa: FBT001
    """Unknown values come last, and first when the order is reversed."""
    ordered: ColumnElement[Any] = column.desc() if descending else column.asc()
    if not stored.nullable:
        return ordered
    return ordered.nulls_first() if is_reversed else ordered.nulls_last()


async def use_custom_plans(session: AsyncSession) -> None:
    """For this transaction: a filter that matches nothing and one that matches half need different plans."""
    await session.execute(text("set local plan_cache_mode = force_custom_plan"))


def ids_query(scope: Scope, wanted: ProblemFilter, *, limit: int, offset: int = 0) -> Select[Any]:
    parts = wanted.by_index()
    of_one_site = wanted.miner_no is not None or (wanted.site_id is not None and not wanted.site)
    if of_one_site and len(parts) == 1:
        query = select(EVENTS.c.id).where(problems_within(scope), *wanted.conditions()).order_by(*wanted.order())
        return query.limit(limit).offset(offset)
    first = _first_of_a_site if of_one_site else _first_of_each_site
    either = union_all(*(first(scope, part, limit + offset) for part in parts)).subquery()
    return select(either.c.id).order_by(*wanted.order(either.c)).limit(limit).offset(offset)


def _first_of_a_site(scope: Scope, wanted: ProblemFilter, most: int) -> Select[Any]:
    return select(_first(scope, wanted, most).subquery())


def _first_of_each_site(scope: Scope, wanted: ProblemFilter, most: int) -> Select[Any]:
    at = aliased(Site)
    first = _first(scope, replace(wanted, site=()), most).where(EVENTS.c.site_id == at.id).lateral()
    query = select(first).select_from(at).join(first, true())
    return query.where(at.code_key.in_(wanted.site_keys())) if wanted.site else query


def _first(scope: Scope, wanted: ProblemFilter, most: int) -> Select[Any]:
    named = [EVENTS.c[name] for name, *_ in wanted.order_names()]
    return select(*named).where(problems_within(scope), *wanted.conditions()).order_by(*wanted.order()).limit(most)


def count_query(scope: Scope, wanted: ProblemFilter) -> Select[Any]:
    def of(part: ProblemFilter) -> Select[Any]:
        return select(func.count()).select_from(EVENTS).where(problems_within(scope), *part.conditions())

    parts = wanted.by_index()
    return (
        of(wanted) if len(parts) == 1 else select(reduce(operator.add, (of(part).scalar_subquery() for part in parts)))
    )


async def list_ids(
    session: AsyncSession, scope: Scope, wanted: ProblemFilter, *, limit: int, offset: int = 0
) -> list[UUID]:
    return list((await session.execute(ids_query(scope, wanted, limit=limit, offset=offset))).scalars())


async def count_problems(session: AsyncSession, scope: Scope, wanted: ProblemFilter) -> int:
    return int((await session.execute(count_query(scope, wanted))).scalar_one())


def rows_query(scope: Scope, ids: Sequence[UUID]) -> Select[Any]:
    """Whole rows, with the newer values of the pulse; documents as text."""
    named = [column for column in _PLAIN if column not in ("last_seen_ts", "recurrence_count")]
    shown = [EVENTS.c[name] for name in named]
    documents = [cast(EVENTS.c[name], Text).label(name) for name in DOCUMENTS]
    seen = func.greatest(EVENTS.c.last_seen_ts, func.to_timestamp(PULSE.c.last_seen_ts)).label("last_seen_ts")
    counted = [
        func.coalesce(PULSE.c.recurrences, EVENTS.c.recurrence_count).label("recurrence_count"),
        func.coalesce(PULSE.c.consecutive_ok, 0).label("consecutive_ok"),
        func.coalesce(PULSE.c.consecutive_fail, 0).label("consecutive_fail"),
    ]
    return (
        select(*shown, seen, *counted, *documents, Zone.code.label("zone"))
        .outerjoin(PULSE, PULSE.c.problem_id == EVENTS.c.id)
        .outerjoin(Zone, Zone.id == EVENTS.c.zone_id)
        .where(problems_within(scope), EVENTS.c.id == literal(list(ids), ARRAY(Uuid)).any_())
    )


async def list_rows(session: AsyncSession, scope: Scope, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """In the order of the ids; one deleted meanwhile is left out."""
    if not ids:
        return []
    # on the connection: the session would inspect every row for objects to track
    result = await (await session.connection()).execute(rows_query(scope, ids))
    names = tuple(result.keys())
    rows = {row.id: dict(zip(names, row, strict=True)) for row in result}
    return [rows[problem_id] for problem_id in ids if problem_id in rows]
