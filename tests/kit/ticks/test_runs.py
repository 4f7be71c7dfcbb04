from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.kit.db.context import job_context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ticks import queries
from hashinsight.kit.ticks.scheduler import plan
from hashinsight.kit.ticks.tick import CatchUp, Tick, TickRun
from hashinsight.kit.ticks.worker import TickRunner
from tests.virtual_clock import VirtualClock

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Recorder:
    """Work that remembers what it was asked to do, and fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.runs: list[tuple[int, datetime]] = []
        self.failures = failures

    async def __call__(self, session: AsyncSession, run: TickRun) -> None:
        await session.execute(text("select 1"))
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the work failed with password=hunter22")
        self.runs.append((run.site_id, run.period))


async def two_sites(_session: AsyncSession) -> list[int]:
    return [1, 2]


async def states(database: Database) -> dict[tuple[int, datetime], str]:
    async with database.transaction(job_context()) as session:
        rows = await session.execute(text("select site_id, period, state from tick_runs"))
        return {(site, period): state for site, period, state in rows}


async def test_a_due_run_is_done_once_and_planning_twice_changes_nothing(database: Database) -> None:
    work = Recorder()
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, work)]
    assert await plan(database, ticks, now=NOON) == 1
    assert await plan(database, ticks, now=NOON) == 0
    runner = TickRunner(database, ticks, clock=VirtualClock(NOON))
    assert await runner.run_due() == 1
    assert await runner.run_due() == 0
    assert work.runs == [(0, NOON)]
    assert set((await states(database)).values()) == {"done"}


async def test_every_missed_period_is_caught_up_oldest_first_for_each_site(database: Database) -> None:
    work = Recorder()
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, work, sites=two_sites)]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + 3 * MINUTE)
    await TickRunner(database, ticks, clock=VirtualClock(NOON + 3 * MINUTE)).run_due()
    for site in (1, 2):
        assert [period for who, period in work.runs if who == site] == [NOON + n * MINUTE for n in range(4)]


async def test_latest_judges_only_the_newest_period_and_skips_the_rest(database: Database) -> None:
    work = Recorder()
    ticks = [Tick("t", MINUTE, CatchUp.LATEST, work)]
    for minute in range(3):
        await plan(database, ticks, now=NOON + minute * MINUTE)
    await TickRunner(database, ticks, clock=VirtualClock(NOON + 2 * MINUTE)).run_due()
    assert work.runs == [(0, NOON + 2 * MINUTE)]
    assert (await states(database)) == {
        (0, NOON): "skipped",
        (0, NOON + MINUTE): "skipped",
        (0, NOON + 2 * MINUTE): "done",
    }


async def test_failed_work_is_rolled_back_recorded_without_secrets_and_tried_again_later(database: Database) -> None:
    work = Recorder(failures=1)
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, work)]
    await plan(database, ticks, now=NOON)
    clock = VirtualClock(NOON)
    runner = TickRunner(database, ticks, clock=clock)
    assert await runner.run_due() == 1
    async with database.transaction(job_context()) as session:
        row = (await session.execute(text("select state, attempts, last_error from tick_runs"))).one()
        (health,) = await queries.list_health(session, now=NOON)
    assert row.state == "due"
    assert row.attempts == 1
    assert row.last_error.startswith("RuntimeError: the work failed")
    assert "hunter22" not in row.last_error
    assert health.due == 1
    assert await runner.run_due() == 0, "it waits before it tries again"
    clock.move_to(NOON + timedelta(seconds=2))
    assert await runner.run_due() == 1
    assert work.runs == [(0, NOON)]


async def test_a_period_that_never_works_is_given_up_and_does_not_hold_up_the_next(database: Database) -> None:
    work = Recorder(failures=10)
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, work)]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + MINUTE)
    clock = VirtualClock(NOON + MINUTE)
    runner = TickRunner(database, ticks, clock=clock)
    for _ in range(10):
        await runner.run_due()
        clock.move_to(clock() + 5 * MINUTE)
    await runner.run_due()
    assert (await states(database)) == {(0, NOON): "failed", (0, NOON + MINUTE): "done"}
    async with database.transaction(job_context()) as session:
        (health,) = await queries.list_health(session, now=NOON)
    assert health.failed == 1
    assert "given up" in (health.complaint(clock()) or "")


async def test_work_that_takes_too_long_is_cut_and_tried_again(database: Database) -> None:
    async def slow(session: AsyncSession, _run: TickRun) -> None:
        await session.execute(text("select pg_sleep(30)"))

    ticks = [Tick("t", MINUTE, CatchUp.EVERY, slow, timeout=timedelta(seconds=1))]
    await plan(database, ticks, now=NOON)
    await TickRunner(database, ticks, clock=VirtualClock(NOON)).run_due()
    async with database.transaction(job_context()) as session:
        row = (await session.execute(text("select state, attempts from tick_runs"))).one()
    assert (row.state, row.attempts) == ("due", 1)


async def test_two_runs_of_one_tick_and_site_never_overlap_but_two_sites_may(database: Database) -> None:
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, Recorder(), sites=two_sites)]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + MINUTE)
    now = NOON + MINUTE
    async with database.transaction(job_context()) as session, database.transaction(job_context()) as other:
        first = await queries.claim(session, ticks[0], now=now)
        second = await queries.claim(other, ticks[0], now=now)
        assert first is not None
        assert second is not None
        assert {first.site_id, second.site_id} == {1, 2}
        async with database.transaction(job_context()) as three:
            assert await queries.claim(three, ticks[0], now=now) is None


async def test_pruning_keeps_what_is_due_and_the_newest_of_each_tick(database: Database) -> None:
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, Recorder())]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + 2 * MINUTE)
    await TickRunner(database, ticks, clock=VirtualClock(NOON + 2 * MINUTE)).run_due()
    async with database.transaction(job_context()) as session:
        assert await queries.prune(session, now=NOON + timedelta(days=30), keep=timedelta(days=14)) == 2
    assert (await states(database)) == {(0, NOON + 2 * MINUTE): "done"}


async def test_a_clock_that_ran_ahead_for_a_moment_neither_does_the_future_nor_stops_the_tick(
    database: Database,
) -> None:
    work = Recorder()
    ticks = [Tick("t", MINUTE, CatchUp.EVERY, work)]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + timedelta(days=2))  # session call with a wrong clock
    right = VirtualClock(NOON + MINUTE)
    await plan(database, ticks, now=right())
    await TickRunner(database, ticks, clock=right).run_due()
    assert work.runs == [(0, NOON), (0, NOON + MINUTE)]
    async with database.transaction(job_context()) as session:
        (health,) = await queries.list_health(session, now=right())
    assert health.complaint(right()) is None


async def test_latest_never_judges_an_older_period_after_a_newer_one(database: Database) -> None:
    work = Recorder()
    ticks = [Tick("t", MINUTE, CatchUp.LATEST, work)]
    clock = VirtualClock(NOON + 5 * MINUTE)
    runner = TickRunner(database, ticks, clock=clock)
    await plan(database, ticks, now=NOON + 5 * MINUTE)
    await runner.run_due()
    async with database.transaction(job_context()) as session:  # a scheduler whose clock lags
        await session.execute(
            text("insert into tick_runs (tick, period) values ('t', :late)"), {"late": NOON + 3 * MINUTE}
        )
    await runner.run_due()
    await plan(database, ticks, now=NOON + 5 * MINUTE)
    assert work.runs == [(0, NOON + 5 * MINUTE)]
    assert (await states(database))[0, NOON + 3 * MINUTE] == "skipped"


async def test_a_newest_run_that_was_given_up_does_not_bring_back_an_older_one(database: Database) -> None:
    work = Recorder(failures=10)
    ticks = [Tick("t", MINUTE, CatchUp.LATEST, work)]
    await plan(database, ticks, now=NOON)
    await plan(database, ticks, now=NOON + MINUTE)
    clock = VirtualClock(NOON + MINUTE)
    runner = TickRunner(database, ticks, clock=clock)
    for _ in range(11):
        await runner.run_due()
        clock.move_to(clock() + 5 * MINUTE)
    assert work.runs == []
    assert (await states(database))[0, NOON + MINUTE] == "failed"


async def test_sites_that_fail_do_not_hold_up_the_others(database: Database) -> None:
    done: list[int] = []

    async def six(_session: AsyncSession) -> list[int]:
        return [1, 2, 3, 4, 5, 6]

    async def half(_session: AsyncSession, run: TickRun) -> None:
        if run.site_id <= 3:
            raise RuntimeError
        done.append(run.site_id)

    ticks = [Tick("t", MINUTE, CatchUp.EVERY, half, sites=six)]
    await plan(database, ticks, now=NOON)
    await TickRunner(database, ticks, clock=VirtualClock(NOON)).run_due()
    assert done == [4, 5, 6]


async def test_a_tick_failing_to_list_its_sites_does_not_affect_others(database: Database) -> None:
    async def broken(_session: AsyncSession) -> list[int]:
        raise KeyError("no such thing")

    ticks = [
        Tick("bad", MINUTE, CatchUp.EVERY, Recorder(), sites=broken),
        Tick("good", MINUTE, CatchUp.EVERY, Recorder()),
    ]
    assert await plan(database, ticks, now=NOON) == 1
