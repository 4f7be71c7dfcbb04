"""All SQL of the ticks. Every update is guarded by the state; zero rows mean that another worker was first."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, exists, or_, select, text, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from hashinsight.kit.ticks.models import TickRunRow
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickHealth, TickRun, gives_up, retry_delay


async def list_newest_periods(
    session: AsyncSession, tick: str, sites: Sequence[int], *, now: datetime
) -> Mapping[int, datetime]:
    """The newest planned period of each site. Periods in the future, planned by a wrong clock, do not count."""
    rows = await session.execute(
        text(
            "select site_id, (select max(period) from tick_runs r where r.tick = :tick and r.site_id = s.site_id"
            " and r.period <= :now)"
            " from unnest(cast(:sites as int[])) as s(site_id)"
        ),
        {"tick": tick, "sites": list(sites), "now": now},
    )
    return {site: newest for site, newest in rows if newest is not None}


async def upsert_tick(session: AsyncSession, tick: Tick, *, now: datetime) -> None:
    await session.execute(
        text(
            "insert into ticks (name, length, planned_at) values (:name, :length, :now)"
            " on conflict (name) do update set length = excluded.length, planned_at = excluded.planned_at"
        ),
        {"name": tick.name, "length": tick.length, "now": now},
    )


async def insert_due(session: AsyncSession, tick: Tick, first: Mapping[int, datetime], newest: datetime) -> int:
    """Every period from `first` to `newest`, for each site; existing ones stay as they are."""
    result = await session.execute(
        text(
            "insert into tick_runs (tick, site_id, period)"
            " select :tick, s.site_id, p.period"
            " from unnest(cast(:sites as int[]), cast(:firsts as timestamptz[])) as s(site_id, first)"
            " cross join lateral generate_series(s.first, cast(:newest as timestamptz), :length) as p(period)"
            " on conflict do nothing"
        ),
        {
            "tick": tick.name,
            "sites": list(first),
            "firsts": list(first.values()),
            "newest": newest,
            "length": tick.length,
        },
    )
    return int(result.rowcount)  # type: ignore[attr-defined] # an insert has one


async def claim(session: AsyncSession, tick: Tick, *, now: datetime) -> TickRun | None:
    """Lock one due run for this transaction: at most one at a time per tick and site, in the tick's own order.

    Nothing is written: if the worker dies, its transaction ends, the locks go, and the run is due as before.
    """
    for site_id, period in await _list_candidates(session, tick, now):
        if not await _take_turn(session, tick, site_id):
            continue
        run = TickRunRow
        # with the site locked: is the run still due and still next?
        row = await session.execute(
            select(run.attempts)
            .where(run.tick == tick.name, run.site_id == site_id, run.period == period, run.state == "due")
            .where(~exists().where(_goes_before(tick, run, now)))
            .with_for_update(skip_locked=True)
        )
        attempts = row.scalar()
        if attempts is not None:
            return TickRun(tick.name, site_id, period, now, attempts + 1)
    return None


async def move_done(session: AsyncSession, tick: Tick, run: TickRun, *, worker: str, finished_at: datetime) -> None:
    """In the transaction of the work; for a `latest` tick, older due periods are skipped with it."""
    done = await session.execute(
        text(
            "update tick_runs set state = 'done', attempts = :attempt, started_at = :started, finished_at = :finished,"
            " worker = :worker, retry_at = null, last_error = null"
            " where tick = :tick and site_id = :site and period = :period and state = 'due'"
        ),
        {**_key(run), "attempt": run.attempt, "started": run.now, "finished": finished_at, "worker": worker},
    )
    if done.rowcount != 1:  # type: ignore[attr-defined] # an update has one
        raise RuntimeError(f"run {run.tick}/{run.site_id}/{run.period} was moved under its lock")
    if tick.catch_up is CatchUp.LATEST:
        await session.execute(
            text(
                "update tick_runs set state = 'skipped', finished_at = :finished"
                " where tick = :tick and site_id = :site and period < :period and state = 'due'"
            ),
            {**_key(run), "finished": finished_at},
        )


async def move_retry(session: AsyncSession, run: TickRun, *, error: str, worker: str, now: datetime) -> None:
    """After the failed work was rolled back: schedule the next try, or mark the run failed."""
    await session.execute(
        text(
            "update tick_runs set state = :state, attempts = :attempt, retry_at = :retry_at, last_error = :error,"
            " worker = :worker, started_at = :started, finished_at = :finished"
            " where tick = :tick and site_id = :site and period = :period and state = 'due'"
        ),
        {
            **_key(run),
            "state": "failed" if gives_up(run.attempt) else "due",
            "attempt": run.attempt,
            "retry_at": now + retry_delay(run.attempt),
            "error": error[:2000],
            "worker": worker,
            "started": run.now,
            "finished": now if gives_up(run.attempt) else None,
        },
    )


async def list_health(session: AsyncSession, *, now: datetime) -> Sequence[TickHealth]:
    """State of each tick: due runs, runs given up in the last day, last run done."""
    rows = await session.execute(
        text(
            "select t.name, t.length, t.planned_at, o.due, o.failed, o.oldest_due, o.last_error, d.finished_at"
            " from ticks t"
            " cross join lateral (select count(*) filter (where state = 'due') as due,"
            "   count(*) filter (where state = 'failed' and finished_at > :lately) as failed,"
            "   min(period) filter (where state = 'due') as oldest_due,"
            "   (array_agg(last_error order by period desc) filter (where last_error is not null))[1] as last_error"
            "   from tick_runs where tick = t.name and state in ('due', 'failed')) as o"
            " left join lateral (select finished_at from tick_runs where tick = t.name and state = 'done'"
            "   order by period desc limit 1) as d on true"
            " order by t.name"
        ),
        {"lately": now - timedelta(days=1)},
    )
    return [TickHealth(*row) for row in rows]


async def prune(session: AsyncSession, *, now: datetime, keep: timedelta) -> int:
    """Delete old runs, but never the newest of a tick and site: catching up starts after it."""
    result = await session.execute(
        text(
            "delete from tick_runs r where period < :before and state <> 'due' and exists"
            " (select 1 from tick_runs n where n.tick = r.tick and n.site_id = r.site_id and n.period > r.period)"
        ),
        {"before": now - keep},
    )
    await session.execute(text("delete from ticks where planned_at < :before"), {"before": now - timedelta(days=1)})
    return int(result.rowcount)  # type: ignore[attr-defined] # a delete has one


async def _list_candidates(session: AsyncSession, tick: Tick, now: datetime) -> Sequence[tuple[int, datetime]]:
    run = TickRunRow
    order = run.period.desc() if tick.catch_up is CatchUp.LATEST else run.period
    head = (
        select(run.site_id, run.period, run.retry_at)
        .where(run.tick == tick.name, run.state == "due", run.period <= now)
        .where(~exists().where(_goes_before(tick, run, now)))
        .ext(distinct_on(run.site_id))
        .order_by(run.site_id, order)
        .subquery()
    )
    rows = await session.execute(
        select(head.c.site_id, head.c.period)
        .where(or_(head.c.retry_at.is_(None), head.c.retry_at <= now))
        .order_by(head.c.period, head.c.site_id)
    )
    return [(site_id, period) for site_id, period in rows]


def _goes_before(tick: Tick, run: type[TickRunRow], now: datetime) -> ColumnElement[bool]:
    """Which other run blocks this one: for `every` an older due one, for `latest` any newer one."""
    other = aliased(TickRunRow)
    same = and_(other.tick == run.tick, other.site_id == run.site_id)
    if tick.catch_up is CatchUp.LATEST:
        return and_(same, other.period > run.period, other.period <= now)
    return and_(same, other.period < run.period, other.state == "due")


async def skip_overtaken(session: AsyncSession, tick: Tick, *, now: datetime) -> None:
    """For a `latest` tick: skip due runs older than a newer run."""
    if tick.catch_up is not CatchUp.LATEST:
        return
    run = TickRunRow
    newer = aliased(TickRunRow)
    await session.execute(
        update(run)
        .where(run.tick == tick.name, run.state == "due")
        .where(
            exists().where(
                newer.tick == run.tick,
                newer.site_id == run.site_id,
                newer.period > run.period,
                newer.period <= now,
                newer.state != "due",
            )
        )
        .values(state="skipped", finished_at=now)
        .execution_options(synchronize_session=False)
    )


async def _take_turn(session: AsyncSession, tick: Tick, site_id: int) -> bool:
    taken = await session.execute(
        text("select pg_try_advisory_xact_lock(hashtext(:tick), :site)"),
        {"tick": f"tick {tick.name}", "site": site_id},
    )
    return bool(taken.scalar())


def _key(run: TickRun) -> dict[str, object]:
    return {"tick": run.tick, "site": run.site_id, "period": run.period}
