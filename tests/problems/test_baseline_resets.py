"""What a machine's past is of: its boards for ever, the rest of one mode and one firmware, of a kind that there is."""

from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import ExpectedState, Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.frame import TextColumn
from hashinsight.problems.state import BASELINE, restart
from tests.problems.fleet import Change, Fleet, both, leave, readings_of, slower

QUARTER = Config(interval_sec=900.0, cycle_sec=900.0)  # a quarter of an hour, so that a week is quick


def lost_board(machine: int) -> Change:
    def change(readings: dict[str, Any]) -> None:
        readings["boards_healthy"][machine] = 2
        slower(machine, 1 / 3)(readings)

    return change


def one_of(fleet: Fleet, name: str, words: tuple[str, str], *, other: bool) -> None:
    """Machine 0 says the second word, all others the first."""
    fleet.columns[name] = TextColumn(words, (np.arange(fleet.n) < int(other)).astype(np.int64))


@pytest.mark.parametrize(("name", "words"), [("mode", ("normal", "eco")), ("firmware", ("stock 1.0", "stock 2.0"))])
def test_a_lost_board_outlives_another_mode_or_firmware_and_ends_with_its_repair(
    name: str, words: tuple[str, str]
) -> None:
    fleet = Fleet(config=QUARTER)
    one_of(fleet, name, words, other=False)
    fleet.warm_up()
    fleet.cycle(lost_board(0), times=4)
    assert "board_lost" in fleet.problems(0)
    one_of(fleet, name, words, other=True)
    fleet.cycle(lost_board(0), times=9 * 96)
    assert fleet.say_of(Issue.BOARD_LOST) is not RuleVerdict.FINE
    assert "board_lost" in fleet.problems(0)
    fleet.cycle(times=3)
    assert "board_lost" not in fleet.problems(0)


def test_a_machine_that_is_whole_again_has_a_number_of_boards_whatever_else_is_open() -> None:
    """As left behind by a cycle of before: the problem is open, and what was usual is forgotten."""
    fleet = Fleet(config=QUARTER)
    fleet.warm_up()
    one_fewer = readings_of(0, boards_healthy=2.0)
    fleet.cycle(one_fewer, times=4)
    restart(fleet.state, np.arange(fleet.n) == 0, BASELINE)
    fleet.cycle(one_fewer, times=20)
    assert fleet.say_of(Issue.BOARDS_DEGRADING) is RuleVerdict.UNKNOWN
    fleet.cycle(readings_of(0, fan_min_rpm=0.0), times=10)
    assert fleet.problems(0) >= {"fan_zero"}
    assert "boards_degrading" not in fleet.problems(0)
    fleet.cycle(one_fewer, times=2)
    assert "boards_degrading" in fleet.problems(0)


def test_a_few_machines_in_another_mode_are_not_judged_by_the_old_mode() -> None:
    fleet = Fleet(n=40, config=QUARTER)
    words = ("normal", "eco")
    fleet.columns["mode"] = TextColumn(words, np.zeros(40, dtype=np.int64))
    fleet.cycle(times=4 * 96)
    assert not np.isnan(fleet.state["anchor"][Metric.HASHRATE_RATIO]).any()
    few = np.arange(40) < 3
    fleet.columns["mode"] = TextColumn(words, few.astype(np.int64))

    def eco(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][few] *= 0.8
        readings["power_w"][few] *= 0.7

    for _ in range(3 * 96):
        fleet.cycle(eco)
        assert fleet.everything_open() == set()
    usual = fleet.state["anchor"][Metric.HASHRATE_RATIO] + fleet.state["reference"][Metric.HASHRATE_RATIO]
    assert (np.abs(usual[few] - 0.8) < 0.01).all()
    # and in the new mode it is judged by the new one's past
    fleet.cycle(both(eco, slower(0, 0.1)), times=6)
    assert fleet.everything_open() == {(0, "hashrate_degradation")}


def test_with_too_few_peers_hashrate_is_judged_by_history_at_once_and_temperature_after_half_a_day() -> None:
    fleet = Fleet(n=6, config=QUARTER)
    fleet.cycle(times=60)
    leave(fleet, 4)
    fleet.cycle(times=2)
    assert [fleet.say_of(Issue.HASHRATE_DEGRADATION, number) for number in range(4)] == [RuleVerdict.FINE] * 4
    assert fleet.say_of(Issue.TEMP_ANOMALY) is RuleVerdict.UNKNOWN
    fleet.cycle(times=60)
    assert fleet.say_of(Issue.TEMP_ANOMALY) is RuleVerdict.FINE
    fleet.cycle(times=40)
    assert fleet.everything_open() == set()
    # as one that never had more than four
    always = Fleet(n=4, config=QUARTER)
    always.cycle(times=60)
    for few in (fleet, always):
        few.cycle(slower(0, 0.25), times=8)
        assert few.everything_open() == {(0, "hashrate_degradation")}


def test_a_fault_during_a_lack_of_peers_is_not_learnt_as_normal() -> None:
    fleet = Fleet(n=6, config=QUARTER)
    fleet.cycle(times=60)
    leave(fleet, 4)
    fleet.cycle(slower(0, 0.25), times=60)
    assert fleet.everything_open() == {(0, "hashrate_degradation")}


def test_a_kind_that_is_too_few_for_some_hours_is_compared_as_before_when_it_is_back() -> None:
    fleet = Fleet(n=6, config=QUARTER)
    fleet.cycle(times=60)
    anchored = fleet.state["samples"][Metric.TEMP_MAX].copy()
    away = readings_of(4, status=0.0, expected=float(ExpectedState.CURTAILED))

    def curtailed(readings: dict[str, Any]) -> None:
        readings["expected"] = np.zeros(6)
        away(readings)
        readings_of(5, status=0.0, expected=float(ExpectedState.CURTAILED))(readings)

    fleet.cycle(curtailed, times=30)
    assert (fleet.state["samples"][Metric.TEMP_MAX, :4] < anchored[:4]).all(), "it fades"
    assert (fleet.state["samples"][Metric.TEMP_MAX, :4] >= 1).all(), "and is not gone"
    fleet.cycle(times=12)
    assert (fleet.state["reference_level"] == 0).all()
    assert fleet.everything_open() == set()


def test_a_shifted_peer_reference_is_converted_to_the_old_level_for_every_metric() -> None:
    """Also where nobody but the past still looks at the old level: all groups are large enough for the finer one."""
    fleet = Fleet(n=80, config=QUARTER)
    fleet.columns["firmware"] = TextColumn(("stock 1.0", "stock 2.0"), np.arange(80) % 2)
    eco = np.arange(80) < 3

    def cooler(readings: dict[str, Any]) -> None:
        readings["mode"] = TextColumn(("normal", "eco"), eco.astype(np.int64))
        for name in ("temp_c", "temp_max_c"):
            readings[name][eco] -= 9.0

    fleet.cycle(cooler, times=40)
    assert (fleet.state["reference_level"][:, 0] == 2).all()
    eco[:12] = True
    fleet.cycle(cooler, times=12)
    assert (fleet.state["reference_level"][:, 0] == 0).all()
    assert fleet.everything_open() == set()


def test_a_metric_with_too_few_reporters_is_unknown_for_half_a_day_and_then_judged_by_history() -> None:
    """Once the others were all too hot at once: by as much as is usual for their kind."""
    fleet = Fleet(n=6, config=QUARTER)
    fleet.cycle(times=60)

    def mute(readings: dict[str, Any]) -> None:
        for name in ("temp_c", "temp_max_c"):
            readings[name][4:] = np.nan

    fleet.cycle(mute, times=30)
    assert fleet.say_of(Issue.TEMP_ANOMALY) is RuleVerdict.UNKNOWN
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION) is RuleVerdict.FINE
    fleet.cycle(mute, times=50)
    assert fleet.say_of(Issue.TEMP_ANOMALY) is RuleVerdict.FINE
    fleet.cycle(times=12)  # all of them tell it again
    assert fleet.everything_open() == set()

    def hotter(readings: dict[str, Any]) -> None:
        readings["temp_max_c"][0] += 12.0

    fleet.cycle(hotter, times=8)
    assert (0, "temp_anomaly") in fleet.everything_open()


def test_unseen_time_does_not_count_as_time_without_peers() -> None:
    """After a collector's long silence the first machines that are back keep their past."""
    fleet = Fleet(n=12, config=QUARTER)
    fleet.cycle(times=200)
    samples, since = fleet.state["samples"].copy(), fleet.now - 10

    def silent(readings: dict[str, Any]) -> None:
        for name in ("ts", "heard_at"):
            readings[name][:] = since

    fleet.cycle(silent, times=60)

    def three_are_back(readings: dict[str, Any]) -> None:
        readings["ts"][3:] = since

    fleet.cycle(three_are_back, times=2)
    by_itself = np.arange(len(fleet.state["reference_level"])) == Metric.HASHRATE_RATIO  # it follows no weather
    assert (fleet.state["reference_level"][~by_itself] == 0).all()
    assert (fleet.state["samples"][Metric.HASHRATE_RATIO] >= samples[Metric.HASHRATE_RATIO]).all()
    assert (fleet.state["samples"] > 0.5 * samples).all(), "more than an hour and a half is not counted"
