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
    fleet = Fleet(n=10, config=QUARTER, seed=4)
    found_at: dict[str, float] = {}

    def fate(readings: dict[str, Any]) -> None:
        day = (fleet.now - NOON) / DAY
        if day >= 2:  # at noon of the second day machine 0 loses a board, and machine 1 begins to fade
            readings["boards_healthy"][0] = 2
            slower(0, 1 / 3)(readings)
            slower(1, 0.10 * min((day - 2) / 7, 1.0))(readings)

    while fleet.now < NOON + 9.3 * DAY:
        fleet.cycle(fate)
        if "hashrate_degradation" in fleet.problems(1):
            found_at.setdefault("decline", (fleet.now - NOON) / DAY)
        if "board_lost" in fleet.problems(0):
            found_at.setdefault("board", (fleet.now - NOON) / DAY)
    assert found_at["board"] < 2 + 2 * 900 / DAY
    assert 2 < found_at["decline"] < 8
    assert {"board_lost", "hashrate_degradation"} <= fleet.problems(0)
    assert "hashrate_degradation" in fleet.problems(1)
    assert {who for who, _ in fleet.everything_open()} == {0, 1}
    # one row each from the first day on, and the freeze that ended after a week is on record
    mine = fleet.state.events.subject == 0
    assert (fleet.state.events.recurrences[mine] == 0).all()
    assert fleet.state["thaw_reason"][0] == ThawReason.TIMEOUT
    assert fleet.state["ewma"][Metric.BOARDS_RATIO, 0] > 0.99
    # mended, it is well again within the hour
    fleet.cycle(slower(1, 0.1), times=8)
    assert "board_lost" not in fleet.problems(0)


def test_a_machine_stopped_by_command_raises_nothing_until_its_deadline() -> None:
    """Stopped for real: sensors, fans and boards without power, an uptime that stands; another boots and boots."""
    fleet = Fleet()
    fleet.warm_up()
    deadline = fleet.now + 6 * 3600.0
    boots = iter(range(1000))

    def stopped(readings: dict[str, Any]) -> None:
        readings["expected"], readings["expected_until"] = np.zeros(fleet.n), np.full(fleet.n, np.inf)
        off = dict.fromkeys(("hashrate_ths", "temp_c", "temp_max_c", "fan_min_rpm", "boards_healthy"), 0.0)
        off |= {"power_w": 30.0, "uptime_sec": 5 * 86_400.0, "expected": float(ExpectedState.STOPPED)}
        readings_of(0, **off, expected_until=deadline)(readings)
        readings_of(1, status=0.0, expected=float(ExpectedState.REBOOTING), expected_until=deadline)(readings)
        readings_of(2, hashrate_ths=0.0, uptime_sec=60.0 * (next(boots) % 2 + 1),
        expected=float(ExpectedState.REBOOTING),
           expected_until=deadline)(readings)  # fmt: skip

    while fleet.now + 300 < deadline:
        fleet.cycle(stopped)
        assert fleet.everything_open() == set()
    assert fleet.state.events.n == 0
    fleet.cycle(stopped, times=2)
    dead = {"hashrate_zero", "fan_zero", "boards_dead", "sensor_fault"}
    assert fleet.everything_open() == {*((0, code) for code in dead), (1, "offline")}
    fleet.cycle(stopped, times=2)
    assert fleet.problems(0) == {*dead, "data_implausible"}
    assert fleet.problems(2) == {"hashrate_degradation"}  # three boots that nobody asked for


def test_a_dead_collector_is_one_problem_and_changes_no_machine_problem() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(readings_of(0, hashrate_ths=0.0), times=3)
    assert fleet.everything_open() == {(0, "hashrate_zero")}
    before = fleet.state.events
    last = fleet.now

    def silent(readings: dict[str, Any]) -> None:
        readings["ts"].fill(last - 10)
        readings["heard_at"].fill(last - 5)
        readings["hashrate_ths"].fill(0.0)  # whatever was known last

    fleet.cycle(silent, times=20)
    assert fleet.everything_open() == {(0, "hashrate_zero"), (-1, "collector_down")}
    mine = fleet.state.events.subject == 0
    for name in ("status", "last_seen_ts", "consecutive_ok", "consecutive_fail"):
        assert getattr(fleet.state.events, name)[mine] == getattr(before, name)
    fleet.cycle(times=3)
    assert fleet.everything_open() == set()


@pytest.mark.parametrize("n", [1, 12])
def test_a_collector_with_heartbeats_but_no_samples_is_one_problem(n: int) -> None:
    """Offline is who is missing while others report. Of a machine alone, too: it is the collector who says nothing."""
    fleet = Fleet(n=n, config=Config(interval_sec=60.0, life=LifecycleConfig(debounce_p0=1)))
    fleet.warm_up()
    began = fleet.now
    spread = np.linspace(0, 60, n)  # machines are asked one after the other

    def heartbeats(readings: dict[str, Any]) -> None:
        readings["ts"][:] = began - spread

    fleet.now = began - 300 + 290
    for _ in range(10):  # also at the moment when only some of the samples are too old
        result = fleet.cycle(heartbeats)
        fleet.now -= 270
        assert not (result.observed.data.state == DataState.OFFLINE).any()
    result = fleet.cycle(heartbeats, times=4)
    assert (result.observed.data.state == DataState.UNKNOWN).all()
    assert fleet.everything_open() == {(-1, "collector_down")}
    fleet.cycle(times=3)
    assert fleet.everything_open() == set()
    if n > 1:  # one that is missing while the others report is offline
        fleet.cycle(readings_of(0, ts=fleet.now))
        fleet.cycle(readings_of(0, ts=fleet.now - 300), times=2)
        assert fleet.everything_open() == {(0, "offline")}


def test_a_collector_of_stopped_machines_only_is_not_missing_samples() -> None:
    fleet = Fleet(config=Config(interval_sec=60.0))
    fleet.warm_up()
    began = fleet.now

    def curtailed(readings: dict[str, Any]) -> None:
        readings["ts"].fill(began)
        readings["expected"] = np.full(fleet.n, float(ExpectedState.CURTAILED))

    fleet.cycle(curtailed, times=6)
    assert fleet.everything_open() == set()
    fleet.cycle(lambda readings: readings["ts"].fill(began), times=2)
    assert fleet.everything_open() == {(-1, "collector_down")}


def test_a_whole_site_going_dark_is_one_row_a_machine_and_comes_back() -> None:
    fleet = Fleet(n=2000)
    fleet.cycle(times=2)
    fleet.cycle(lambda readings: readings["status"].fill(0.0), times=2)
    assert fleet.everything_open() == {(number, "offline") for number in range(2000)}
    fleet.cycle(times=3)
    assert fleet.everything_open() == set()
    fleet.cycle(lambda readings: readings["status"].fill(0.0))
    assert (fleet.state.events.recurrences == 1).all()
    assert fleet.state.events.n == 2000


def test_heat_that_gets_worse_is_one_problem_at_a_time() -> None:
    fleet = Fleet()
    fleet.cycle(readings_of(0, temp_c=86.0, temp_max_c=90.0), times=2)
    assert fleet.problems(0) == {"overheat_warn"}
    fleet.cycle(readings_of(0, temp_c=92.0, temp_max_c=96.0))
    assert fleet.problems(0) == {"overheat_warn"}
    fleet.cycle(readings_of(0, temp_c=92.0, temp_max_c=96.0))
    assert fleet.problems(0) == {"overheat_crit"}
    warn = fleet.state.events.issue == Issue.OVERHEAT_WARN
    assert fleet.state.events.escalated[warn].tolist() == [True]
    fleet.cycle(readings_of(0, temp_c=85.0, temp_max_c=89.0), times=4)
    assert fleet.problems(0) == {"overheat_warn"}


def test_a_problem_ending_after_a_month_without_data_still_has_its_cooldown() -> None:
    fleet = Fleet()
    fleet.cycle(readings_of(0, temp_max_c=99.0), times=2)
    fleet.now += 31 * 86_400.0
    fleet.cycle(times=5)
    assert fleet.everything_open() == set()
    fleet.cycle(readings_of(0, temp_max_c=99.0))
    assert fleet.everything_open() == {(0, "overheat_crit")}
    hot = fleet.state.events.take(fleet.state.events.issue == Issue.OVERHEAT_CRIT)
    assert (hot.event_no.tolist(), hot.recurrences.tolist()) == ([1], [1])


def test_a_site_without_machines_drops_old_state_in_time() -> None:
    fleet = Fleet()
    fleet.cycle(readings_of(0, temp_max_c=99.0), times=2)
    fleet.cycle(times=3)
    nobody = make_frame([], {})
    state, result = step(fleet.state, nobody, fleet.now + 29 * DAY, fleet.config)
    assert (state.events.n, result.lifecycle.replaced.n) == (fleet.state.events.n, 0)
    state, result = step(state, nobody, fleet.now + 30 * DAY, fleet.config)
    assert (state.events.n, result.lifecycle.replaced.n) == (0, fleet.state.events.n)


def test_a_suppressed_site_gets_no_collector_problem_either() -> None:
    fleet = Fleet(config=Config(interval_sec=60.0))
    last, quiet = fleet.now, np.ones(fleet.n)

    def silent(readings: dict[str, Any]) -> None:
        readings |= {
            "ts": np.full(fleet.n, last - 10),
            "heard_at": np.full(fleet.n, last - 5),
            "suppressed": quiet.copy(),
        }

    result = fleet.cycle(silent, times=4)
    assert len(result.lifecycle.transitions.of(CycleAction.SUPPRESSED)) == 1
    assert fleet.everything_open() == set()
    quiet[0] = 0  # somebody still depends on it
    fleet.cycle(silent, times=2)
    assert fleet.everything_open() == {(-1, "collector_down")}


def test_hits_before_and_after_a_suppression_are_not_consecutive() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.columns["suppressed"] = np.zeros(fleet.n)
    fleet.cycle(readings_of(0, hashrate_ths=0.0))
    fleet.cycle(readings_of(0, suppressed=1.0), times=3)
    fleet.cycle(readings_of(0, hashrate_ths=0.0))
    assert fleet.everything_open() == set()
    fleet.cycle(readings_of(0, hashrate_ths=0.0))
    assert fleet.everything_open() == {(0, "hashrate_zero")}
