from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashinsight.kit.ticks.tick import (
    CatchUp,
    Tick,
    TickHealth,
    TickRun,
    first_missing,
    floor_period,
    gives_up,
    retry_delay,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
instants = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))  # noqa: DTZ001
lengths = st.integers(1, 86_400).map(lambda seconds: timedelta(seconds=seconds))


async def nothing(_session: Any, _run: TickRun) -> None: ...


def tick(catch_up: CatchUp, length: timedelta = timedelta(minutes=5)) -> Tick:
    return Tick("t", length, catch_up, nothing)


@given(instants, lengths)
def test_the_newest_period_is_at_most_one_length_old_and_stable_within_it(now: datetime, length: timedelta) -> None:
    period = floor_period(now, length)
    assert period <= now < period + length
    assert floor_period(period, length) == period


def test_every_tick_begins_behind_the_last_run_and_latest_begins_now() -> None:
    last = NOON - timedelta(minutes=20)
    assert first_missing(last, NOON, tick(CatchUp.EVERY)) == NOON - timedelta(minutes=15)
    assert first_missing(last, NOON, tick(CatchUp.LATEST)) == NOON


def test_a_tick_that_never_ran_has_no_past_to_make_good() -> None:
    assert first_missing(None, NOON + timedelta(seconds=7), tick(CatchUp.EVERY)) == NOON


def test_periods_beyond_the_reach_are_not_caught_up() -> None:
    assert first_missing(NOON - timedelta(days=60), NOON, tick(CatchUp.EVERY)) == NOON - timedelta(days=7)


def test_a_tick_that_was_planned_up_to_now_misses_nothing() -> None:
    assert first_missing(NOON, NOON + timedelta(seconds=1), tick(CatchUp.EVERY)) > NOON + timedelta(seconds=1)


def test_retries_wait_longer_each_time_up_to_five_minutes_and_end() -> None:
    delays = [retry_delay(attempt) for attempt in range(1, 12)]
    assert delays == sorted(delays)
    assert delays[-1] == timedelta(minutes=5)
    assert not gives_up(9)
    assert gives_up(10)


def test_a_period_below_a_second_is_refused() -> None:
    with pytest.raises(ValueError, match="at least a second"):
        tick(CatchUp.EVERY, timedelta(milliseconds=500))


def health(**changes: Any) -> TickHealth:
    facts: dict[str, Any] = {
        "tick": "t",
        "length": timedelta(minutes=5),
        "planned_at": NOON,
        "due": 0,
        "failed": 0,
        "oldest_due": None,
        "last_error": None,
        "last_done": NOON,
    }
    return TickHealth(**{**facts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"failed": 2, "last_error": "boom"}, "given up; last error: boom"),
        ({"planned_at": NOON - timedelta(minutes=11)}, "not scheduled by any scheduler"),
        ({"due": 3, "oldest_due": NOON - timedelta(minutes=11)}, "3 runs are due"),
    ],
)
def test_a_tick_in_trouble_has_a_readable_complaint(changes: dict[str, Any], message: str) -> None:
    complaint = health(**changes).complaint(NOON)
    assert complaint is not None
    assert message in complaint


def test_a_tick_that_runs_draws_no_complaint() -> None:
    assert health(due=1, oldest_due=NOON - timedelta(minutes=1)).complaint(NOON) is None
