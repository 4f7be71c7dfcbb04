"""A hashboard that is gone: told at once as what it is, and over three scans after it was mended."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from hashinsight.inventory.tenant_settings import RuleLimits
from hashinsight.problems.codes import EventStatus, Issue, RuleVerdict
from hashinsight.problems.frame import TextColumn
from tests.problems.fleet import Change, Fleet, readings_of, slower


def lost(machine: int, *, boards: float = 2.0, part: float = 1 / 3) -> Change:
    def change(readings: dict[str, Any]) -> None:
        slower(machine, part)(readings)
        readings_of(machine, boards_healthy=boards)(readings)

    return change


def test_a_lost_board_is_p1_within_two_cycles_and_without_anything_learnt() -> None:
    fleet = Fleet()
    fleet.cycle(lost(0), times=2)
    assert fleet.problems(0) == {"board_lost"}
    events = fleet.state.events
    assert events.severity[events.issue == Issue.BOARD_LOST].tolist() == [1]
    assert fleet.problems(1) == set()


def test_the_lesser_finding_about_the_same_boards_is_closed_as_escalated() -> None:
    """One fewer at full hashrate first; then its hashrate goes, too; at last only one is left."""
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(readings_of(0, boards_healthy=2.0), times=3)
    assert fleet.problems(0) == {"boards_degrading"}
    fleet.cycle(lost(0), times=3)
    assert "boards_degrading" not in fleet.problems(0)
    assert "board_lost" in fleet.problems(0)
    fleet.cycle(lost(0, boards=1.0, part=2 / 3), times=3)
    assert "board_lost" not in fleet.problems(0)
    assert "boards_dead" in fleet.problems(0)


def test_an_empty_slot_is_not_a_lost_board() -> None:
    """Some firmware counts four slots where three boards are fitted: the hashrate is as rated."""
    fleet = Fleet()
    fleet.columns["boards_total"][:] = 4.0
    fleet.cycle(times=12)
    assert fleet.everything_open() == set()


def test_in_eco_a_lost_board_is_judged_by_the_eco_hashrate() -> None:
    fleet = Fleet(n=40)

    def eco(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][:10] *= 0.75
        readings["power_w"][:10] *= 0.65

    fleet.cycle(eco, times=24)
    assert fleet.everything_open() == set()

    def in_eco_without(readings: dict[str, Any]) -> None:
        eco(readings)
        lost(0)(readings)

    fleet.cycle(in_eco_without, times=2)
    assert fleet.everything_open() == {(0, "board_lost")}


def test_without_any_expectation_a_board_that_does_nothing_is_lost() -> None:
    fleet = Fleet(n=3)

    def nameless(readings: dict[str, Any]) -> None:
        for name in ("expected_ths", "model", "firmware"):
            del readings[name]
        readings_of(0, boards_healthy=2.0)(readings)
        slower(0, 1 / 3)(readings)
        share = readings["hashrate_ths"] / 3
        readings["board_ths"] = np.stack([share * [0.0, 1, 1], share * [1.5, 1, 1], share * [1.5, 1, 1]])

    fleet.cycle(nameless, times=2)
    assert fleet.problems(0) == {"board_lost"}


def test_a_lost_board_on_a_machine_that_reports_no_boards_is_not_eco() -> None:
    fleet = Fleet(n=60)
    for name in ("boards_healthy", "boards_total"):
        fleet.columns[name][:] = np.nan

    def some_in_eco(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][40:] *= 0.70
        readings["power_w"][40:] *= 0.60

    fleet.cycle(some_in_eco, times=24)

    def and_one_broken(readings: dict[str, Any]) -> None:
        some_in_eco(readings)
        slower(0, 1 / 3)(readings)

    fleet.cycle(and_one_broken, times=12)
    assert "hashrate_degradation" in fleet.problems(0)
    assert {machine for machine, _ in fleet.everything_open()} == {0}


@pytest.mark.parametrize("tells_uptime", [True, False])
def test_a_mended_board_is_closed_three_scans_after_it_hashes_again(*, tells_uptime: bool) -> None:
    fleet = Fleet(n=40)
    fleet.columns["boards_healthy"][:] = fleet.columns["boards_total"][:] = np.nan if not tells_uptime else 3.0
    fleet.cycle(times=24)
    fleet.cycle(lost(0) if tells_uptime else slower(0, 1 / 3), times=30)
    assert fleet.problems(0)

    def off(readings: dict[str, Any]) -> None:
        readings_of(0, hashrate_ths=0.0, uptime_sec=100.0)(readings)

    fleet.cycle(off)
    back = fleet.now

    def mended(readings: dict[str, Any]) -> None:
        readings["uptime_sec"][0] = fleet.now - back + 100 if tells_uptime else np.nan

    fleet.cycle(mended)  # it boots
    fleet.cycle(mended, times=4)
    assert fleet.problems(0) == set()


def test_a_restart_alone_mends_nothing() -> None:
    fleet = Fleet(n=40)
    fleet.cycle(times=24)
    fleet.cycle(slower(0, 0.2), times=12)
    assert "hashrate_degradation" in fleet.problems(0)
    begun = fleet.now

    def restarted(readings: dict[str, Any]) -> None:
        slower(0, 0.2)(readings)
        readings["uptime_sec"][0] = fleet.now - begun

    fleet.cycle(restarted, times=12)
    assert "hashrate_degradation" in fleet.problems(0)
    events = fleet.state.events
    assert (events.status[events.subject == 0] != EventStatus.RESOLVED).all()
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION) is RuleVerdict.HIT


def test_in_a_mode_that_does_less_an_empty_slot_is_no_lost_board() -> None:
    fleet = Fleet()
    fleet.columns["boards_total"][:] = 4.0
    fleet.columns["mode"] = TextColumn(("eco",), np.zeros(12, dtype=np.int64))

    def eco(readings: dict[str, Any]) -> None:
        for name in ("hashrate_ths", "power_w"):
            readings[name] *= 0.7

    fleet.cycle(eco, times=24)
    assert fleet.everything_open() == set()


def test_a_hot_machine_is_not_recovered_by_being_off() -> None:
    fleet = Fleet(n=40)

    def hot(readings: dict[str, Any]) -> None:
        del readings["uptime_sec"]
        readings["temp_max_c"][0] += 13.0

    def cool(readings: dict[str, Any]) -> None:
        del readings["uptime_sec"]

    fleet.cycle(hot, times=12)
    assert "fleet_outlier" in fleet.problems(0)

    def off(readings: dict[str, Any]) -> None:
        cool(readings)
        readings_of(0, hashrate_ths=0.0)(readings)

    fleet.cycle(off)
    fleet.cycle(cool, times=4)  # it warms up
    assert "fleet_outlier" in fleet.problems(0)


@pytest.mark.parametrize(("name", "value"), [("board_lost_share", 0.0), ("assumed_rise_c", 21.0)])
def test_a_setting_that_would_alarm_for_every_empty_slot_or_for_no_heat_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValidationError):
        RuleLimits.model_validate({name: value})
