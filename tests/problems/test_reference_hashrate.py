"""What a machine should hash where nobody says it: inferred, marked, and no machine is blind without it."""

import json
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import ExpectationSource, Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.evidence import rule_evidence
from hashinsight.problems.frame import TextColumn
from hashinsight.telemetry.states import SampleFlags as Said
from tests.problems.fleet import Change, Fleet, both, readings_of, slower
from tests.problems.stored_site import StoredFleet, StoredSite


def nobody_says(*names: str) -> Change:
    """Neither the collector nor the asset list nor the catalogue: these are in no row."""

    def change(readings: dict[str, Any]) -> None:
        for name in names:
            del readings[name]

    return change


UNSAID = nobody_says("expected_ths")
NAMELESS = nobody_says("expected_ths", "model", "firmware")


def test_without_an_expected_hashrate_a_machine_is_compared_with_its_model() -> None:
    fleet = Fleet(n=12)
    result = fleet.cycle(UNSAID, times=10)
    assert (result.observed.expectation == ExpectationSource.KIND).all()
    np.testing.assert_allclose(result.observed.frame.expected_ths, 104, rtol=0.02)


def test_and_one_without_a_model_by_its_own_steady_hours() -> None:
    fleet = Fleet(n=3)
    result = fleet.cycle(NAMELESS, times=10)
    assert (result.observed.expectation == ExpectationSource.OWN_PAST).all()
    np.testing.assert_allclose(result.observed.frame.expected_ths, 104, rtol=0.04)


@pytest.mark.parametrize("less", [UNSAID, NAMELESS], ids=["no expected hashrate", "no model either"])
def test_it_is_judged_as_any_other_by_hashrate_boards_rejects_and_errors(less: Change) -> None:
    fleet = Fleet(n=12)
    fleet.cycle(less, times=24)

    def ill(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"][0] *= 0.8
        readings_of(1, hashrate_ths=0.0)(readings)
        slower(2, 1 / 3)(readings)
        readings_of(2, boards_healthy=2.0)(readings)
        readings["rejected"][3] += 40 * (fleet.now - begin) / 300
        readings["hw_errors"][4] += 30 * (fleet.now - begin) / 300

    begin = fleet.now
    fleet.cycle(both(less, ill), times=8)
    assert fleet.everything_open() >= {
        (0, "hashrate_degradation"), (1, "hashrate_zero"), (2, "board_lost"), (3, "reject_rate_high"),
        (4, "hw_error_rate_high"),
    }  # fmt: skip
    assert {machine for machine, _ in fleet.everything_open()} == {0, 1, 2, 3, 4}


def test_standing_still_needs_nothing_to_be_known() -> None:
    fleet = Fleet(n=3)
    fleet.cycle(both(NAMELESS, readings_of(0, hashrate_ths=0.0)), times=2)
    assert fleet.problems(0) == {"hashrate_zero"}


def test_the_evidence_shows_which_expectation_was_used() -> None:
    fleet = Fleet(n=12)
    fleet.cycle(UNSAID, times=24)
    result = fleet.cycle(both(UNSAID, slower(0, 0.2)), times=6)
    (text,) = rule_evidence(result, np.array([0]), Issue.HASHRATE_DEGRADATION)
    evidence = json.loads(text)
    assert evidence["expectation"] == "kind"
    assert evidence["expected_ths"] == pytest.approx(104, rel=0.02)
    fleet = Fleet(n=12)
    fleet.warm_up()
    result = fleet.cycle(slower(0, 0.2), times=6)
    (text,) = rule_evidence(result, np.array([0]), Issue.HASHRATE_DEGRADATION)
    assert json.loads(text)["expectation"] == "given"


def test_a_late_rating_rescales_the_learnt_baseline() -> None:
    """An operator's figure is not what was inferred: nobody alarms, and nothing begins again."""
    fleet = Fleet(n=12)
    fleet.cycle(UNSAID, times=30)
    samples = fleet.state["samples"][Metric.HASHRATE_RATIO].copy()

    def at_last(readings: dict[str, Any]) -> None:
        readings["expected_ths"] = np.full(12, 130.0)

    result = fleet.cycle(at_last, times=6)
    assert (result.observed.expectation == ExpectationSource.GIVEN).all()
    assert (fleet.state["samples"][Metric.HASHRATE_RATIO] > samples).all()
    assert np.abs(result.observed.own.residual[Metric.HASHRATE_RATIO]).max() < 0.05
    assert fleet.everything_open() == set()


def test_an_assumed_limit_is_no_alarm_on_a_machine_that_is_always_so_hot_and_is_one_where_it_rises() -> None:
    fleet = Fleet(n=12)
    fleet.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))

    def hot(by: float) -> Change:
        def change(readings: dict[str, Any]) -> None:
            for name in ("temp_c", "temp_max_c"):
                readings[name] += 20.0
            readings["temp_max_c"][0] += by

        return change

    fleet.cycle(hot(0.0), times=20)
    assert fleet.everything_open() == set()  # 82 °C, where 75 would be assumed to be too much
    fleet.cycle(hot(4.0), times=3)
    assert fleet.say_of(Issue.OVERHEAT_CRIT) is RuleVerdict.FINE  # 86 °C on an assumed 85
    fleet.cycle(hot(9.0), times=3)
    assert "overheat_crit" in fleet.problems(0)


def test_a_temperature_far_above_an_assumed_limit_is_never_normal() -> None:
    fleet = Fleet(n=12)
    fleet.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))

    def hot(readings: dict[str, Any]) -> None:
        readings["temp_max_c"] += 34.0

    fleet.cycle(hot, times=2)
    assert {code for _, code in fleet.everything_open()} == {"overheat_crit"}


def test_a_hydro_model_never_has_stopped_fans_whatever_the_asset_list_says() -> None:
    fleet = Fleet(n=12)
    fleet.columns["model"] = TextColumn(("Antminer S19 XP Hyd", "Antminer S19j Pro"), np.arange(12) % 2)

    def no_fans(readings: dict[str, Any]) -> None:
        readings["fan_min_rpm"][:2] = 0.0

    fleet.cycle(no_fans, times=3)
    assert fleet.problems(0) == set()
    assert fleet.problems(1) == {"fan_zero"}


async def test_an_inferred_rating_is_marked_inferred_in_the_live_layer(site: StoredSite) -> None:
    fleet = StoredFleet(site, n=8)
    await fleet.cycle(NAMELESS, times=9)
    rows = site.rows("select inferred_ths from telemetry_live where site_id = %s", site.site_id)
    assert [ths for (ths,) in rows] == [pytest.approx(104, rel=0.04)] * 8


def test_heat_that_takes_all_machines_of_a_kind_is_not_usual() -> None:
    fleet = Fleet(n=12)
    fleet.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))
    fleet.cycle(times=20)

    def cooling_fails(readings: dict[str, Any]) -> None:
        readings["temp_max_c"] += 28.0

    fleet.cycle(cooling_fails, times=2)
    assert fleet.everything_open() == {(machine, "overheat_crit") for machine in range(12)}


def test_a_machine_that_burns_is_not_used_to_it_after_a_week() -> None:
    fleet = Fleet(n=6, config=Config(interval_sec=900.0, cycle_sec=900.0))
    fleet.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(6, dtype=np.int64))
    fleet.cycle(times=20)
    fleet.cycle(readings_of(0, temp_max_c=92.0), times=10 * 96)
    assert "overheat_crit" in fleet.problems(0)


def test_a_hot_board_is_a_problem_however_hot_the_chips_usually_are() -> None:
    """The limit at the chip is assumed; the one at the board is the machine's own."""
    fleet = Fleet(n=6)
    fleet.columns |= {
        "model": TextColumn(("Thornfield TF-9",), np.zeros(6, dtype=np.int64)),
        "temp_limits": TextColumn(("board 60/70",), np.zeros(6, dtype=np.int64)),
        "flags": np.full(6, float(Said.CHIP_SENSOR)),
    }

    def hot(board: float) -> Change:
        def change(readings: dict[str, Any]) -> None:
            readings["temp_max_c"] += 18.0
            readings["temp_chip_c"], readings["temp_board_c"] = readings["temp_max_c"].copy(), np.full(6, 55.0)
            readings["temp_board_c"][0] = board

        return change

    fleet.cycle(hot(55.0), times=20)
    assert fleet.everything_open() == set()
    fleet.cycle(hot(78.0), times=2)
    assert fleet.problems(0) == {"overheat_crit"}


def test_a_machine_that_cannot_learn_is_still_judged() -> None:
    fleet = Fleet(n=6, config=Config(interval_sec=300.0, allowed_pools=("good.example",)))
    fleet.columns |= {name: TextColumn((word,), np.zeros(6, dtype=np.int64)) for name, word in (
        ("model", "Thornfield TF-9"), ("pool", "evil.example"))}  # fmt: skip

    def hot(readings: dict[str, Any]) -> None:
        readings["temp_max_c"][0] = 84.0

    fleet.cycle(hot, times=8)
    assert fleet.problems(0) == {"wrong_pool", "overheat_warn"}


@pytest.mark.parametrize("part", [0.4, 3.0], ids=["at first far too little", "at first far too much"])
def test_a_wrong_beginning_is_corrected(part: float) -> None:
    fleet = Fleet(n=4)

    def at_first(readings: dict[str, Any]) -> None:
        NAMELESS(readings)
        readings["hashrate_ths"][0] *= part

    fleet.cycle(at_first, times=1 if part > 1 else 12)
    result = fleet.cycle(NAMELESS, times=100)
    assert result.observed.frame.expected_ths[0] == pytest.approx(104, rel=0.1)
    assert result.observed.features.steady[0]
    assert fleet.everything_open() == set()


def test_a_figure_that_some_samples_leave_out_still_holds() -> None:
    fleet = Fleet(n=12)
    perf = np.where(np.arange(12) == 0, 1.15, 1.0)

    def runs(readings: dict[str, Any]) -> None:
        readings["hashrate_ths"] *= perf
        readings["power_w"] *= perf

    fleet.cycle(runs, times=30)
    result = fleet.cycle(both(runs, UNSAID), times=8)
    assert (result.observed.expectation == ExpectationSource.GIVEN).all()
    fleet.cycle(runs, times=8)
    assert fleet.everything_open() == set()


def test_a_machine_without_a_rating_is_judged_by_the_rating_of_its_model_peers() -> None:
    fleet = Fleet(n=40)

    def one_unsaid(readings: dict[str, Any]) -> None:
        readings["expected_ths"][0] = np.nan
        slower(0, 0.4)(readings)

    result = fleet.cycle(one_unsaid, times=20)
    assert result.observed.frame.expected_ths[0] == pytest.approx(104)
    assert "fleet_outlier" in fleet.problems(0)


def test_an_empty_slot_counted_as_dead_board_disables_no_rule() -> None:
    fleet = Fleet(n=3)
    fleet.columns["boards_total"][:] = 4.0
    fleet.cycle(NAMELESS, times=30)

    def halved(readings: dict[str, Any]) -> None:
        NAMELESS(readings)
        readings["hashrate_ths"][0] *= 0.5

    fleet.cycle(halved, times=8)
    assert fleet.problems(0)


def test_a_step_that_no_mode_makes_and_a_second_step_on_the_same_day_are_faults() -> None:
    fleet = Fleet(n=6)
    fleet.cycle(NAMELESS, times=30)
    fleet.cycle(both(NAMELESS, slower(0, 0.8), slower(1, 0.2)), times=30)
    assert fleet.problems(0)
    assert not fleet.problems(1)
    fleet.cycle(both(NAMELESS, slower(0, 0.8), slower(1, 0.4)), times=12)
    assert fleet.problems(1)


def test_a_new_firmware_resets_the_expected_hashrate() -> None:
    fleet = Fleet(n=3)
    less = nobody_says("expected_ths", "model")
    fleet.cycle(less, times=30)
    fleet.columns["firmware"] = TextColumn(("stock 2.0",), np.zeros(3, dtype=np.int64))

    def halved(readings: dict[str, Any]) -> None:
        less(readings)
        for name in ("hashrate_ths", "power_w"):
            readings[name] *= 0.5

    result = fleet.cycle(halved, times=20)
    np.testing.assert_allclose(result.observed.frame.expected_ths, 52, rtol=0.05)
