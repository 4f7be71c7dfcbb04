"""Whole weeks of small fleets: what must stay open, what must be found, what must raise nothing."""

from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import CycleAction, DataState, ExpectedState, Issue, Metric, ThawReason
from hashinsight.problems.config import Config, LifecycleConfig
from hashinsight.problems.frame import make_frame
from hashinsight.problems.pipeline import step
from tests.problems.fleet import NOON, Fleet, readings_of, slower

DAY = 86_400.0
QUARTER = Config(interval_sec=900.0, cycle_sec=900.0)  # a quarter of an hour, so that a week is quick


def test_a_lost_board_is_open_a_week_later_and_a_slow_decline_is_found() -> None:
    yard = Fleet(n=10, config=QUARTER, seed=4)
    found_at: dict[str, float] = {}

    def fate(told: dict[str, Any]) -> None:
        day = (yard.now - NOON) / DAY
        if day >= 2:  # at noon of the second day machine 0 loses a board, and machine 1 begins to fade
            told["boards_healthy"][0] = 2
            slower(0, 1 / 3)(told)
            slower(1, 0.10 * min((day - 2) / 7, 1.0))(told)

    while yard.now < NOON + 9.3 * DAY:
        yard.cycle(fate)
        if "hashrate_degradation" in yard.problems(1):
            found_at.setdefault("decline", (yard.now - NOON) / DAY)
        if "board_lost" in yard.problems(0):
            found_at.setdefault("board", (yard.now - NOON) / DAY)
    assert found_at["board"] < 2 + 2 * 900 / DAY
    assert 2 < found_at["decline"] < 8
    assert {"board_lost", "hashrate_degradation"} <= yard.problems(0)
    assert "hashrate_degradation" in yard.problems(1)
    assert {who for who, _ in yard.everything_open()} == {0, 1}
    # one row each from the first day on, and the freeze that ended after a week is on record
    mine = yard.state.events.subject == 0
    assert (yard.state.events.recurrences[mine] == 0).all()
    assert yard.state["thaw_reason"][0] == ThawReason.TIMEOUT
    assert yard.state["ewma"][Metric.BOARDS_RATIO, 0] > 0.99
    # mended, it is well again within the hour
    yard.cycle(slower(1, 0.1), times=8)
    assert "board_lost" not in yard.problems(0)


def test_a_machine_stopped_by_command_raises_nothing_until_its_deadline() -> None:
    """Stopped for real: sensors, fans and boards without power, an uptime that stands; another boots and boots."""
    yard = Fleet()
    yard.warm_up()
    deadline = yard.now + 6 * 3600.0
    boots = iter(range(1000))

    def stopped(told: dict[str, Any]) -> None:
        told["expected"], told["expected_until"] = np.zeros(yard.n), np.full(yard.n, np.inf)
        readings_of(0, hashrate_ths=0.0, power_w=30.0, temp_c=0.0, temp_max_c=0.0, fan_min_rpm=0.0, boards_healthy=0.0,
           uptime_sec=5 * 86_400.0, expected=float(ExpectedState.STOPPED), expected_until=deadline)(told)  # fmt: skip
        readings_of(1, status=0.0, expected=float(ExpectedState.REBOOTING), expected_until=deadline)(told)
        readings_of(2, hashrate_ths=0.0, uptime_sec=60.0 * (next(boots) % 2 + 1),
        expected=float(ExpectedState.REBOOTING),
           expected_until=deadline)(told)  # fmt: skip

    while yard.now + 300 < deadline:
        yard.cycle(stopped)
        assert yard.everything_open() == set()
    assert yard.state.events.n == 0
    yard.cycle(stopped, times=2)
    dead = {"hashrate_zero", "fan_zero", "boards_dead", "sensor_fault"}
    assert yard.everything_open() == {*((0, code) for code in dead), (1, "offline")}
    yard.cycle(stopped, times=2)
    assert yard.problems(0) == {*dead, "data_implausible"}
    assert yard.problems(2) == {"hashrate_degradation"}  # three boots that nobody asked for


def test_a_dead_collector_is_one_event_of_its_own_and_moves_no_machines_problem() -> None:
    yard = Fleet()
    yard.warm_up()
    yard.cycle(readings_of(0, hashrate_ths=0.0), times=3)
    assert yard.everything_open() == {(0, "hashrate_zero")}
    before = yard.state.events
    last = yard.now

    def silent(told: dict[str, Any]) -> None:
        told["ts"].fill(last - 10)
        told["heard_at"].fill(last - 5)
        told["hashrate_ths"].fill(0.0)  # whatever was known last

    yard.cycle(silent, times=20)
    assert yard.everything_open() == {(0, "hashrate_zero"), (-1, "collector_down")}
    mine = yard.state.events.subject == 0
    for name in ("status", "last_seen_ts", "consecutive_ok", "consecutive_fail"):
        assert getattr(yard.state.events, name)[mine] == getattr(before, name)
    yard.cycle(times=3)
    assert yard.everything_open() == set()


@pytest.mark.parametrize("n", [1, 12])
def test_a_collector_that_is_heard_but_brings_no_samples_is_one_event_and_no_storm(n: int) -> None:
    """Offline is who is missing while others report. Of a machine alone, too: it is the collector who says nothing."""
    yard = Fleet(n=n, config=Config(interval_sec=60.0, life=LifecycleConfig(debounce_p0=1)))
    yard.warm_up()
    began = yard.now
    spread = np.linspace(0, 60, n)  # machines are asked one after the other

    def heartbeats(told: dict[str, Any]) -> None:
        told["ts"][:] = began - spread

    yard.now = began - 300 + 290
    for _ in range(10):  # also at the moment when only some of the samples are too old
        found = yard.cycle(heartbeats)
        yard.now -= 270
        assert not (found.observed.data.state == DataState.OFFLINE).any()
    found = yard.cycle(heartbeats, times=4)
    assert (found.observed.data.state == DataState.UNKNOWN).all()
    assert yard.everything_open() == {(-1, "collector_down")}
    yard.cycle(times=3)
    assert yard.everything_open() == set()
    if n > 1:  # one that is missing while the others report is offline
        yard.cycle(readings_of(0, ts=yard.now))
        yard.cycle(readings_of(0, ts=yard.now - 300), times=2)
        assert yard.everything_open() == {(0, "offline")}


def test_a_collector_whose_machines_are_all_to_stand_still_has_nothing_to_bring() -> None:
    yard = Fleet(config=Config(interval_sec=60.0))
    yard.warm_up()
    began = yard.now

    def curtailed(told: dict[str, Any]) -> None:
        told["ts"].fill(began)
        told["expected"] = np.full(yard.n, float(ExpectedState.CURTAILED))

    yard.cycle(curtailed, times=6)
    assert yard.everything_open() == set()
    yard.cycle(lambda told: told["ts"].fill(began), times=2)
    assert yard.everything_open() == {(-1, "collector_down")}


def test_a_whole_site_going_dark_is_one_row_a_machine_and_comes_back() -> None:
    yard = Fleet(n=2000)
    yard.cycle(times=2)
    yard.cycle(lambda told: told["status"].fill(0.0), times=2)
    assert yard.everything_open() == {(one, "offline") for one in range(2000)}
    yard.cycle(times=3)
    assert yard.everything_open() == set()
    yard.cycle(lambda told: told["status"].fill(0.0))
    assert (yard.state.events.recurrences == 1).all()
    assert yard.state.events.n == 2000


def test_heat_that_gets_worse_is_one_problem_at_a_time() -> None:
    yard = Fleet()
    yard.cycle(readings_of(0, temp_c=86.0, temp_max_c=90.0), times=2)
    assert yard.problems(0) == {"overheat_warn"}
    yard.cycle(readings_of(0, temp_c=92.0, temp_max_c=96.0))
    assert yard.problems(0) == {"overheat_warn"}
    yard.cycle(readings_of(0, temp_c=92.0, temp_max_c=96.0))
    assert yard.problems(0) == {"overheat_crit"}
    warn = yard.state.events.issue == Issue.OVERHEAT_WARN
    assert yard.state.events.escalated[warn].tolist() == [True]
    yard.cycle(readings_of(0, temp_c=85.0, temp_max_c=89.0), times=4)
    assert yard.problems(0) == {"overheat_warn"}


def test_what_ends_after_a_month_in_the_dark_still_has_its_cooldown() -> None:
    yard = Fleet()
    yard.cycle(readings_of(0, temp_max_c=99.0), times=2)
    yard.now += 31 * 86_400.0
    yard.cycle(times=5)
    assert yard.everything_open() == set()
    yard.cycle(readings_of(0, temp_max_c=99.0))
    assert yard.everything_open() == {(0, "overheat_crit")}
    hot = yard.state.events.take(yard.state.events.issue == Issue.OVERHEAT_CRIT)
    assert (hot.event_no.tolist(), hot.recurrences.tolist()) == ([1], [1])


def test_a_site_without_machines_forgets_in_its_time_what_it_had() -> None:
    yard = Fleet()
    yard.cycle(readings_of(0, temp_max_c=99.0), times=2)
    yard.cycle(times=3)
    nobody = make_frame([], {})
    state, found = step(yard.state, nobody, yard.now + 29 * DAY, yard.config)
    assert (state.events.n, found.lifecycle.replaced.n) == (yard.state.events.n, 0)
    state, found = step(state, nobody, yard.now + 30 * DAY, yard.config)
    assert (state.events.n, found.lifecycle.replaced.n) == (0, yard.state.events.n)


def test_a_site_that_is_suppressed_as_a_whole_is_told_of_no_collector_either() -> None:
    yard = Fleet(config=Config(interval_sec=60.0))
    last, quiet = yard.now, np.ones(yard.n)

    def silent(told: dict[str, Any]) -> None:
        told |= {"ts": np.full(yard.n, last - 10), "heard_at": np.full(yard.n, last - 5), "suppressed": quiet.copy()}

    found = yard.cycle(silent, times=4)
    assert len(found.lifecycle.transitions.of(CycleAction.SUPPRESSED)) == 1
    assert yard.everything_open() == set()
    quiet[0] = 0  # somebody still depends on it
    yard.cycle(silent, times=2)
    assert yard.everything_open() == {(-1, "collector_down")}


def test_what_was_seen_once_before_a_suppression_and_once_after_it_was_not_seen_twice_in_a_row() -> None:
    yard = Fleet()
    yard.warm_up()
    yard.columns["suppressed"] = np.zeros(yard.n)
    yard.cycle(readings_of(0, hashrate_ths=0.0))
    yard.cycle(readings_of(0, suppressed=1.0), times=3)
    yard.cycle(readings_of(0, hashrate_ths=0.0))
    assert yard.everything_open() == set()
    yard.cycle(readings_of(0, hashrate_ths=0.0))
    assert yard.everything_open() == {(0, "hashrate_zero")}
