"""One problem: its row, what happened to it, what it was before, and how others of its kind ended."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Double, Select, Uuid, cast, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import User
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.inventory.queries.tables import Miner, Rack, Zone
from hashinsight.problems.errors import problem_not_found
from hashinsight.problems.models import ENDED_BY_PEOPLE, EVENTS, RUNS, SITES
from hashinsight.problems.queries.lists import list_rows, problems_within
from hashinsight.telemetry.models import LIVE

MOST_PREDECESSORS = 10
_SIMILAR_LOOKED_AT, _MOST_WAYS = 500, 10
# the chain is walked by the primary key, a step a row; it never leaves the site that it began at
_BEFORE = text("""
with recursive chain as (
    select id, predecessor_id, site_id, 0 as n from problem_events where id = :id
    union all
    select e.id, e.predecessor_id, e.site_id, c.n + 1 from chain c
        join problem_events e on e.id = c.predecessor_id and e.site_id = c.site_id where c.n < :most
)
select e.id, e.severity, e.status, e.start_ts, e.last_seen_ts, e.resolved_ts, e.recurrence_count, e.resolved_by,
    e.resolution_cause, e.resolution_action
from chain c join problem_events e on e.id = c.id where c.n > 0 order by c.n
""")


async def list_visible(session: AsyncSession, scope: Scope, ids: Sequence[UUID]) -> set[UUID]:
    named = EVENTS.c.id == literal(list(ids), ARRAY(Uuid)).any_()
    return set((await session.execute(select(EVENTS.c.id).where(problems_within(scope), named))).scalars())


async def get_problem(session: AsyncSession, scope: Scope, problem_id: UUID) -> dict[str, Any]:
    found = await list_rows(session, scope, [problem_id])
    if not found:
        raise problem_not_found()
    return found[0]


async def list_predecessors(session: AsyncSession, problem_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, _BEFORE, {"id": problem_id, "most": MOST_PREDECESSORS})


def similar_query(scope: Scope, problem: dict[str, Any]) -> Select[Any]:
    """Looked at are the newest 500 of the site and model, however many years of them there are."""
    e = EVENTS.c
    newest = (
        select(e.id, e.resolution_cause, e.resolution_action, e.resolved_ts, e.start_ts)
        .add_columns(e.tenant_id, e.site_id, e.zone_id, e.miner_no)
        .where(text(ENDED_BY_PEOPLE), *(e[name] == problem[name] for name in ("site_id", "issue_code")))
        .where(e.model.is_(None) if problem["model"] is None else e.model == problem["model"])
        .order_by(e.resolved_ts.desc())
        .limit(_SIMILAR_LOOKED_AT)
        .subquery()
    )
    of, times, last = newest.c, func.count().label("times"), func.max(newest.c.resolved_ts).label("last_resolved_ts")
    lasted = func.percentile_cont(0.5).within_group(func.extract("epoch", of.resolved_ts - of.start_ts))
    return (
        select(of.resolution_cause, of.resolution_action, times, last, cast(lasted, Double).label("median_sec"))
        .where(problems_within(scope, newest), of.id != problem["id"])
        .group_by(of.resolution_cause, of.resolution_action)
        .order_by(times.desc(), last.desc(), of.resolution_cause)
        .limit(_MOST_WAYS)
    )


async def list_similar(session: AsyncSession, scope: Scope, problem: dict[str, Any]) -> list[dict[str, Any]]:
    """How people ended the same problem on machines of the same model at this site, as far as the scope reaches.

    Of the newest ones only: what helped three years ago on another firmware is of no use, and a look has its price.
    """
    return await _rows(session, similar_query(scope, problem), {})


async def find_machine(session: AsyncSession, scope: Scope, miner_no: int | None) -> dict[str, Any] | None:
    """What the machine is and where it stands; None where it has left the scope that its problem is still in.

    Its state and what it should hash are the live layer's to say (`telemetry.service.reading.read_machine_state`).
    """
    query = (
        select(Miner.miner_no, Miner.miner_id, Miner.site_id, Miner.model, Miner.firmware, Miner.serial, Miner.owner)
        .add_columns(Miner.position, Miner.state, Zone.code.label("zone"), Rack.code.label("rack"))
        .add_columns(LIVE.c.overall_health, LIVE.c.ts.label("sample_at"), LIVE.c.last_seen_at)
        .outerjoin(Zone, Zone.id == Miner.zone_id)
        .outerjoin(Rack, Rack.id == Miner.rack_id)
        .outerjoin(LIVE, LIVE.c.miner_no == Miner.miner_no)
        .where(miners_within(scope), Miner.miner_no == miner_no)
    )
    row = None if miner_no is None else (await session.execute(query)).one_or_none()
    return None if row is None else dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's name for it


async def find_last_scan(session: AsyncSession, site_id: int) -> Any | None:
    """The newest run of a site."""
    query = select(RUNS).where(RUNS.c.site_id == site_id).order_by(RUNS.c.period.desc()).limit(1)
    return (await session.execute(query)).one_or_none()


async def find_conditions(session: AsyncSession, scope: Scope, site_id: int) -> tuple[bytes | None, list[int]]:
    """How each machine of a site stood at its newest scan, packed; and which of its machines lie in the scope."""
    packed = await session.execute(select(SITES.c.standing).where(SITES.c.site_id == site_id))
    within = select(Miner.miner_no).where(miners_within(scope), Miner.site_id == site_id)
    return packed.scalar_one_or_none(), list((await session.execute(within)).scalars())


async def list_names(session: AsyncSession, ids: set[str]) -> dict[str, str]:
    """Whoever is a user among these, by name or e-mail: a story of ids is none."""
    shown = func.coalesce(func.nullif(User.name, ""), User.email)
    query = select(User.id, shown).where(User.id.in_(sorted(_uuids(ids))))
    return {str(key): name for key, name in (await session.execute(query)).all()}


def _uuids(ids: set[str]) -> set[UUID]:
    found = set()
    for one in ids:
        try:
            found.add(UUID(one))
        except ValueError:
            continue
    return found


async def _rows(session: AsyncSession, query: Any, values: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await session.execute(query, values)]  # noqa: SLF001
