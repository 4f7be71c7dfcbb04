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

    def change(told: dict[str, Any]) -> None:
        for name in names:
            del told[name]

    return change


UNSAID = nobody_says("expected_ths")
NAMELESS = nobody_says("expected_ths", "model", "firmware")


def test_a_machine_whose_expected_hashrate_nobody_knows_is_measured_by_its_kind() -> None:
    yard = Fleet(n=12)
    found = yard.cycle(UNSAID, times=10)
    assert (found.observed.expectation == ExpectationSource.KIND).all()
    np.testing.assert_allclose(found.observed.frame.expected_ths, 104, rtol=0.02)


def test_and_one_without_a_model_by_its_own_steady_hours() -> None:
    yard = Fleet(n=3)
    found = yard.cycle(NAMELESS, times=10)
    assert (found.observed.expectation == ExpectationSource.OWN_PAST).all()
    np.testing.assert_allclose(found.observed.frame.expected_ths, 104, rtol=0.04)


@pytest.mark.parametrize("less", [UNSAID, NAMELESS], ids=["no expected hashrate", "no model either"])
def test_it_is_judged_as_any_other_by_hashrate_boards_rejects_and_errors(less: Change) -> None:
    yard = Fleet(n=12)
    yard.cycle(less, times=24)

    def ill(told: dict[str, Any]) -> None:
        told["hashrate_ths"][0] *= 0.8
        readings_of(1, hashrate_ths=0.0)(told)
        slower(2, 1 / 3)(told)
        readings_of(2, boards_healthy=2.0)(told)
        told["rejected"][3] += 40 * (yard.now - begin) / 300
        told["hw_errors"][4] += 30 * (yard.now - begin) / 300

    begin = yard.now
    yard.cycle(both(less, ill), times=8)
    assert yard.everything_open() >= {
        (0, "hashrate_degradation"), (1, "hashrate_zero"), (2, "board_lost"), (3, "reject_rate_high"),
        (4, "hw_error_rate_high"),
    }  # fmt: skip
    assert {machine for machine, _ in yard.everything_open()} == {0, 1, 2, 3, 4}


def test_standing_still_needs_nothing_to_be_known() -> None:
    yard = Fleet(n=3)
    yard.cycle(both(NAMELESS, readings_of(0, hashrate_ths=0.0)), times=2)
    assert yard.problems(0) == {"hashrate_zero"}


def test_the_evidence_says_which_expectation_was_used() -> None:
    yard = Fleet(n=12)
    yard.cycle(UNSAID, times=24)
    found = yard.cycle(both(UNSAID, slower(0, 0.2)), times=6)
    (text,) = rule_evidence(found, np.array([0]), Issue.HASHRATE_DEGRADATION)
    evidence = json.loads(text)
    assert evidence["expectation"] == "kind"
    assert evidence["expected_ths"] == pytest.approx(104, rel=0.02)
    yard = Fleet(n=12)
    yard.warm_up()
    found = yard.cycle(slower(0, 0.2), times=6)
    (text,) = rule_evidence(found, np.array([0]), Issue.HASHRATE_DEGRADATION)
    assert json.loads(text)["expectation"] == "given"


def test_what_was_learnt_is_told_in_new_terms_when_somebody_says_it_at_last() -> None:
    """An operator's figure is not what was inferred: nobody alarms, and nothing begins again."""
    yard = Fleet(n=12)
    yard.cycle(UNSAID, times=30)
    samples = yard.state["samples"][Metric.HASHRATE_RATIO].copy()

    def at_last(told: dict[str, Any]) -> None:
        told["expected_ths"] = np.full(12, 130.0)

    found = yard.cycle(at_last, times=6)
    assert (found.observed.expectation == ExpectationSource.GIVEN).all()
    assert (yard.state["samples"][Metric.HASHRATE_RATIO] > samples).all()
    assert np.abs(found.observed.own.residual[Metric.HASHRATE_RATIO]).max() < 0.05
    assert yard.everything_open() == set()


def test_an_assumed_limit_is_no_alarm_on_a_machine_that_is_always_so_hot_and_is_one_where_it_rises() -> None:
    yard = Fleet(n=12)
    yard.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))

    def hot(by: float) -> Change:
        def change(told: dict[str, Any]) -> None:
            for name in ("temp_c", "temp_max_c"):
                told[name] += 20.0
            told["temp_max_c"][0] += by

        return change

    yard.cycle(hot(0.0), times=20)
    assert yard.everything_open() == set()  # 82 °C, where 75 would be assumed to be too much
    yard.cycle(hot(4.0), times=3)
    assert yard.say_of(Issue.OVERHEAT_CRIT) is RuleVerdict.FINE  # 86 °C on an assumed 85
    yard.cycle(hot(9.0), times=3)
    assert "overheat_crit" in yard.problems(0)


def test_what_is_far_beyond_an_assumed_limit_is_never_usual() -> None:
    yard = Fleet(n=12)
    yard.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))

    def hot(told: dict[str, Any]) -> None:
        told["temp_max_c"] += 34.0

    yard.cycle(hot, times=2)
    assert {code for _, code in yard.everything_open()} == {"overheat_crit"}


def test_a_model_built_for_water_has_no_fans_that_could_stand_whatever_the_asset_list_says() -> None:
    yard = Fleet(n=12)
    yard.columns["model"] = TextColumn(("Antminer S19 XP Hyd", "Antminer S19j Pro"), np.arange(12) % 2)

    def no_fans(told: dict[str, Any]) -> None:
        told["fan_min_rpm"][:2] = 0.0

    yard.cycle(no_fans, times=3)
    assert yard.problems(0) == set()
    assert yard.problems(1) == {"fan_zero"}


async def test_what_is_inferred_stands_in_the_live_layer_by_that_name(site: StoredSite) -> None:
    yard = StoredFleet(site, n=8)
    await yard.cycle(NAMELESS, times=9)
    rows = site.rows("select inferred_ths from telemetry_live where site_id = %s", site.site_id)
    assert [ths for (ths,) in rows] == [pytest.approx(104, rel=0.04)] * 8


def test_heat_that_takes_all_machines_of_a_kind_is_not_usual() -> None:
    yard = Fleet(n=12)
    yard.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(12, dtype=np.int64))
    yard.cycle(times=20)

    def cooling_fails(told: dict[str, Any]) -> None:
        told["temp_max_c"] += 28.0

    yard.cycle(cooling_fails, times=2)
    assert yard.everything_open() == {(machine, "overheat_crit") for machine in range(12)}


def test_a_machine_that_burns_is_not_used_to_it_after_a_week() -> None:
    yard = Fleet(n=6, config=Config(interval_sec=900.0, cycle_sec=900.0))
    yard.columns["model"] = TextColumn(("Thornfield TF-9",), np.zeros(6, dtype=np.int64))
    yard.cycle(times=20)
    yard.cycle(readings_of(0, temp_max_c=92.0), times=10 * 96)
    assert "overheat_crit" in yard.problems(0)


def test_a_hot_board_is_told_however_hot_the_chips_usually_are() -> None:
    """The limit at the chip is assumed; the one at the board is the machine's own."""
    yard = Fleet(n=6)
    yard.columns |= {
        "model": TextColumn(("Thornfield TF-9",), np.zeros(6, dtype=np.int64)),
        "temp_limits": TextColumn(("board 60/70",), np.zeros(6, dtype=np.int64)),
        "flags": np.full(6, float(Said.CHIP_SENSOR)),
    }

    def hot(board: float) -> Change:
        def change(told: dict[str, Any]) -> None:
            told["temp_max_c"] += 18.0
            told["temp_chip_c"], told["temp_board_c"] = told["temp_max_c"].copy(), np.full(6, 55.0)
            told["temp_board_c"][0] = board

        return change

    yard.cycle(hot(55.0), times=20)
    assert yard.everything_open() == set()
    yard.cycle(hot(78.0), times=2)
    assert yard.problems(0) == {"overheat_crit"}


def test_what_keeps_a_machine_from_learning_does_not_keep_it_from_being_warned_of() -> None:
    yard = Fleet(n=6, config=Config(interval_sec=300.0, allowed_pools=("good.example",)))
    yard.columns |= {name: TextColumn((word,), np.zeros(6, dtype=np.int64)) for name, word in (
        ("model", "Thornfield TF-9"), ("pool", "evil.example"))}  # fmt: skip

    def hot(told: dict[str, Any]) -> None:
        told["temp_max_c"][0] = 84.0

    yard.cycle(hot, times=8)
    assert yard.problems(0) == {"wrong_pool", "overheat_warn"}


@pytest.mark.parametrize("part", [0.4, 3.0], ids=["at first far too little", "at first far too much"])
def test_a_wrong_beginning_is_corrected(part: float) -> None:
    yard = Fleet(n=4)

    def at_first(told: dict[str, Any]) -> None:
        NAMELESS(told)
        told["hashrate_ths"][0] *= part

    yard.cycle(at_first, times=1 if part > 1 else 12)
    found = yard.cycle(NAMELESS, times=100)
    assert found.observed.frame.expected_ths[0] == pytest.approx(104, rel=0.1)
    assert found.observed.features.steady[0]
    assert yard.everything_open() == set()


def test_a_figure_that_some_samples_leave_out_still_holds() -> None:
    yard = Fleet(n=12)
    perf = np.where(np.arange(12) == 0, 1.15, 1.0)

    def runs(told: dict[str, Any]) -> None:
        told["hashrate_ths"] *= perf
        told["power_w"] *= perf

    yard.cycle(runs, times=30)
    found = yard.cycle(both(runs, UNSAID), times=8)
    assert (found.observed.expectation == ExpectationSource.GIVEN).all()
    yard.cycle(runs, times=8)
    assert yard.everything_open() == set()


def test_one_without_a_figure_is_measured_by_what_others_of_its_kind_are_given() -> None:
    yard = Fleet(n=40)

    def one_unsaid(told: dict[str, Any]) -> None:
        told["expected_ths"][0] = np.nan
        slower(0, 0.4)(told)

    found = yard.cycle(one_unsaid, times=20)
    assert found.observed.frame.expected_ths[0] == pytest.approx(104)
    assert "fleet_outlier" in yard.problems(0)


def test_an_empty_slot_that_counts_as_a_dead_board_leaves_nobody_blind() -> None:
    yard = Fleet(n=3)
    yard.columns["boards_total"][:] = 4.0
    yard.cycle(NAMELESS, times=30)

    def halved(told: dict[str, Any]) -> None:
        NAMELESS(told)
        told["hashrate_ths"][0] *= 0.5

    yard.cycle(halved, times=8)
    assert yard.problems(0)


def test_a_step_that_no_mode_makes_and_a_second_step_on_the_same_day_are_faults() -> None:
    yard = Fleet(n=6)
    yard.cycle(NAMELESS, times=30)
    yard.cycle(both(NAMELESS, slower(0, 0.8), slower(1, 0.2)), times=30)
    assert yard.problems(0)
    assert not yard.problems(1)
    yard.cycle(both(NAMELESS, slower(0, 0.8), slower(1, 0.4)), times=12)
    assert yard.problems(1)


def test_another_firmware_begins_what_is_expected_anew() -> None:
    yard = Fleet(n=3)
    less = nobody_says("expected_ths", "model")
    yard.cycle(less, times=30)
    yard.columns["firmware"] = TextColumn(("stock 2.0",), np.zeros(3, dtype=np.int64))

    def halved(told: dict[str, Any]) -> None:
        less(told)
        for name in ("hashrate_ths", "power_w"):
            told[name] *= 0.5

    found = yard.cycle(halved, times=20)
    np.testing.assert_allclose(found.observed.frame.expected_ths, 52, rtol=0.05)
