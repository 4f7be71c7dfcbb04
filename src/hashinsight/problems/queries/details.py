"""One problem: its row, its predecessors, its machine, and how similar ones were resolved."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Double, Select, Uuid, cast, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries.scopes import miners_within
from hashinsight.inventory.queries.tables import Miner, Rack, Zone
from hashinsight.problems.errors import problem_not_found
from hashinsight.problems.models import ENDED_BY_PEOPLE, EVENTS, RUNS, SITES
from hashinsight.problems.queries.lists import list_rows, problems_within
from hashinsight.telemetry.models import LIVE

MAX_PREDECESSORS = 10
_SIMILAR_READ, _MAX_RESOLUTIONS = 500, 10
# The chain is followed by primary key, one row per step, and never leaves its site.
_BEFORE = text("""
with recursive chain as (
    select id, predecessor_id, site_id, 0 as n
    from problem_events
    where id = :id
    union all
    select e.id, e.predecessor_id, e.site_id, c.n + 1
    from chain c
    join problem_events e on e.id = c.predecessor_id and e.site_id = c.site_id
    where c.n < :most
)
select
    e.id,
    e.severity,
    e.status,
    e.start_ts,
    e.last_seen_ts,
    e.resolved_ts,
    e.recurrence_count,
    e.resolved_by,
    e.resolution_cause,
    e.resolution_action
from chain c
join problem_events e on e.id = c.id
where c.n > 0
order by c.n
""")


async def find_tenant_of_problem(session: AsyncSession, problem_id: UUID) -> UUID | None:
    """For the command line, which sees all tenants."""
    return (await session.execute(select(EVENTS.c.tenant_id).where(EVENTS.c.id == problem_id))).scalar()


async def list_visible(session: AsyncSession, scope: Scope, ids: Sequence[UUID]) -> set[UUID]:
    named = EVENTS.c.id == literal(list(ids), ARRAY(Uuid)).any_()
    return set((await session.execute(select(EVENTS.c.id).where(problems_within(scope), named))).scalars())


async def get_problem(session: AsyncSession, scope: Scope, problem_id: UUID) -> dict[str, Any]:
    rows = await list_rows(session, scope, [problem_id])
    if not rows:
        raise problem_not_found()
    return rows[0]


async def list_predecessors(session: AsyncSession, problem_id: UUID) -> list[dict[str, Any]]:
    return await _rows(session, _BEFORE, {"id": problem_id, "most": MAX_PREDECESSORS})


def similar_query(scope: Scope, problem: dict[str, Any]) -> Select[Any]:
    """Reads the newest 500 of the site and model, however many there are."""
    e = EVENTS.c
    newest = (
        select(e.id, e.resolution_cause, e.resolution_action, e.resolved_ts, e.start_ts)
        .add_columns(e.tenant_id, e.site_id, e.zone_id, e.miner_no)
        .where(text(ENDED_BY_PEOPLE), *(e[name] == problem[name] for name in ("site_id", "issue_code")))
        .where(e.model.is_(None) if problem["model"] is None else e.model == problem["model"])
        .order_by(e.resolved_ts.desc())
        .limit(_SIMILAR_READ)
        .subquery()
    )
    of, times, last = newest.c, func.count().label("times"), func.max(newest.c.resolved_ts).label("last_resolved_ts")
    lasted = func.percentile_cont(0.5).within_group(func.extract("epoch", of.resolved_ts - of.start_ts))
    return (
        select(of.resolution_cause, of.resolution_action, times, last, cast(lasted, Double).label("median_sec"))
        .where(problems_within(scope, newest), of.id != problem["id"])
        .group_by(of.resolution_cause, of.resolution_action)
        .order_by(times.desc(), last.desc(), of.resolution_cause)
        .limit(_MAX_RESOLUTIONS)
    )


async def list_similar(session: AsyncSession, scope: Scope, problem: dict[str, Any]) -> list[dict[str, Any]]:
    """How people resolved the same issue on the same model at this site, within the caller's scope.

    Only of the newest ones: what helped three years ago on another firmware is of no use.
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
    """Each machine's condition at the newest scan, packed; and the site's machines in the scope."""
    packed = await session.execute(select(SITES.c.standing).where(SITES.c.site_id == site_id))
    within = select(Miner.miner_no).where(miners_within(scope), Miner.site_id == site_id)
    return packed.scalar_one_or_none(), list((await session.execute(within)).scalars())


async def _rows(session: AsyncSession, query: Any, values: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await session.execute(query, values)]  # noqa: SLF001
