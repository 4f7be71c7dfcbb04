"""Modes: one population is one mode, several are told apart, and nobody switches because of one odd sample."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.problems import mixtures, modes
from hashinsight.problems.codes import Issue, Mode, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.frame import TextColumn
from tests.problems.api import graded_faults
from tests.problems.fleet import Fleet, leave, slower


def cloud(rng: np.random.Generator, parts: list[tuple[float, float, int]], noise: float = 0.013) -> np.ndarray:
    """Hashrate and power around these centres."""
    return np.concatenate(
        [np.stack([ratio + noise * rng.standard_normal(n), watts + 0.02 * rng.standard_normal(n)], axis=1)
         for ratio, watts, n in parts]
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 400), spread=st.floats(0.005, 0.04), centre=st.floats(0.7, 1.1))
def test_one_population_is_never_split(seed: int, n: int, spread: float, centre: float) -> None:
    points = cloud(np.random.default_rng(seed), [(centre, centre, n)], noise=spread)
    fitted = mixtures.fit(points)
    assert len(fitted.share) == 1
    assert fitted.label.tolist() == [Mode.NORMAL]


@pytest.mark.parametrize(
    ("parts", "labels"),
    [
        ([(0.8, 0.7, 40), (1.0, 1.0, 60)], [Mode.ECO, Mode.NORMAL]),
        ([(1.0, 1.0, 60), (1.1, 1.17, 20)], [Mode.NORMAL, Mode.PERF]),
        ([(0.8, 0.7, 30), (1.0, 1.0, 50), (1.1, 1.17, 30)], [Mode.ECO, Mode.NORMAL, Mode.PERF]),
    ],
)
def test_distinct_populations_are_separated(parts: list[tuple[float, float, int]], labels: list[Mode]) -> None:
    points = cloud(np.random.default_rng(7), parts)
    fitted = mixtures.fit(points)
    assert fitted.label.tolist() == labels
    assigned, sure = modes._assigned(points, fitted, np.zeros((2, len(points)), np.int8), np.zeros(len(points)))
    truth = np.repeat(labels, [n for _, _, n in parts])
    assert (assigned == truth).mean() > 0.97
    assert ((sure >= 0.3) & (sure <= 1)).all()


def test_more_hashrate_for_as_many_watts_is_noise_and_not_perf() -> None:
    points = cloud(np.random.default_rng(7), [(1.0, 1.0, 60), (1.1, 1.0, 20)])
    assert mixtures.fit(points).label.tolist() == [Mode.NORMAL]


def test_modes_are_found_also_where_the_machines_of_one_mode_are_numbered_one_after_the_other() -> None:
    fleet = Fleet(n=1000)
    fleet.cycle(lambda readings: graded_faults.run(readings, list(range(850, 1000))), times=3)
    assert (fleet.state["mode"] == np.where(np.arange(1000) < 850, Mode.NORMAL, Mode.ECO)).all()


def test_a_large_kind_is_fitted_once_and_not_in_every_cycle() -> None:
    fleet = Fleet(n=800)
    fleet.cycle(times=8)
    fitted_at = fleet.state.mixtures.fitted_at
    fleet.cycle(times=4)
    assert fleet.state.mixtures.fitted_at == fitted_at


def test_the_same_points_give_the_same_modes() -> None:
    points = cloud(np.random.default_rng(3), [(0.8, 0.7, 40), (1.0, 1.0, 60)])
    first, second = mixtures.fit(points), mixtures.fit(points.copy())
    np.testing.assert_array_equal(first.mean, second.mean)


def test_a_few_broken_machines_are_no_mode() -> None:
    points = cloud(np.random.default_rng(5), [(0.67, 0.68, 4), (1.0, 1.0, 96)])
    assert len(mixtures.fit(points).share) == 1


def two_modes(n: int = 40) -> Fleet:
    """A third of the machines run at 80 % with 70 % of the power, and nobody says so."""
    fleet = Fleet(n=n)
    fleet.eco = np.arange(n) % 3 == 0  # type: ignore[attr-defined]
    plain = fleet.readings

    def readings() -> dict[str, object]:
        answer = plain()
        answer["hashrate_ths"][fleet.eco] *= 0.8  # type: ignore[attr-defined]
        answer["power_w"][fleet.eco] *= 0.7  # type: ignore[attr-defined]
        return answer

    fleet.readings = readings  # type: ignore[method-assign]
    return fleet


def test_modes_are_found_in_a_fleet_and_fewer_than_five_machines_have_none() -> None:
    fleet = two_modes()
    result = fleet.cycle(times=3)
    assert (result.mode == np.where(fleet.eco, Mode.ECO, Mode.NORMAL)).all()  # type: ignore[attr-defined]
    few = Fleet(n=4)
    assert (few.cycle(times=3).mode == Mode.UNKNOWN).all()


def test_a_switch_takes_three_agreeing_cycles_and_a_grace_in_which_nothing_is_judged() -> None:
    fleet = two_modes()
    fleet.cycle(times=12)
    fleet.eco[1] = True  # type: ignore[attr-defined]
    assert fleet.cycle().mode[1] == Mode.NORMAL
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION, 1) is RuleVerdict.UNKNOWN
    assert fleet.cycle().mode[1] == Mode.NORMAL
    assert fleet.cycle().mode[1] == Mode.ECO
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION, 1) is RuleVerdict.UNKNOWN
    fleet.cycle(times=12)
    assert fleet.problems(1) == set()


def test_a_single_outlier_switches_no_mode() -> None:
    fleet = two_modes()
    fleet.cycle(times=5)
    fleet.eco[1] = True  # type: ignore[attr-defined]
    fleet.cycle(times=2)
    fleet.eco[1] = False  # type: ignore[attr-defined]
    assert fleet.cycle().mode[1] == Mode.NORMAL
    assert fleet.state["mode_agreed"][1] == 0


def test_a_lost_board_is_a_problem_and_not_a_mode() -> None:
    fleet = two_modes()
    fleet.cycle(times=12)
    fleet.cycle(slower(1, 0.34), times=8)
    assert fleet.state["mode"][1] == Mode.NORMAL
    assert "hashrate_degradation" in fleet.problems(1)


def test_a_mode_reported_by_firmware_applies_at_once() -> None:
    fleet = Fleet(n=12)
    fleet.columns["mode"] = TextColumn(("normal", "Eco "), np.zeros(12, dtype=np.int64))
    fleet.cycle(times=3)
    fleet.columns["mode"] = TextColumn(("normal", "Eco "), np.eye(1, 12, dtype=np.int64)[0])
    result = fleet.cycle()
    assert result.mode[0] == Mode.ECO
    assert result.mode[1] == Mode.NORMAL


def test_models_are_fitted_every_few_hours_only() -> None:
    fleet = Fleet(config=replace(Config(interval_sec=300.0), mode_fit_sec=3600.0))
    fleet.cycle()
    fitted = fleet.state.mixtures
    fleet.cycle(times=11)
    assert fleet.state.mixtures is fitted
    fleet.cycle()
    assert fleet.state.mixtures is not fitted


def test_a_machine_of_no_population_has_an_unknown_mode_and_keeps_its_peers() -> None:
    fleet = two_modes()
    first = fleet.cycle()
    assert ((fleet.state["mode_confidence"] >= 0.3) & (fleet.state["mode_confidence"] <= 1.0)).all()
    assert first.mode[1] == Mode.NORMAL
    fleet.cycle(times=11)

    def thrifty(readings: dict[str, object]) -> None:
        readings["power_w"][1] *= 0.85  # type: ignore[index]

    fleet.cycle(thrifty, times=2)
    assert fleet.cycle().mode[1] == Mode.NORMAL, "two odd samples are no doubt"
    assert fleet.cycle(thrifty, times=3).mode[1] == Mode.UNKNOWN
    assert fleet.state["mode_confidence"][1] == pytest.approx(0.3)
    assert fleet.state["mode"][1] == Mode.NORMAL
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION, 1) is RuleVerdict.FINE
    assert fleet.cycle().mode[1] == Mode.NORMAL


def test_a_kind_that_falls_below_five_machines_has_no_modes_any_more() -> None:
    fleet = two_modes(12)
    fleet.config = replace(fleet.config, mode_fit_sec=900.0)
    assert (fleet.cycle(times=12).mode != Mode.UNKNOWN).all()
    leave(fleet, 4)
    assert (fleet.cycle(times=8).mode == Mode.UNKNOWN).all()
    assert fleet.everything_open() == set()


def test_a_machine_of_which_nothing_is_known_has_the_least_confidence() -> None:
    few = Fleet(n=4)
    few.cycle()
    assert few.state["mode_confidence"].tolist() == pytest.approx([0.3] * 4)


def few_in_eco(share: float, *, watts: float, others_in_eco: bool = True) -> Fleet:
    """Four of sixty run slower and save nothing a TH/s; others of the site may run in an eco that saves."""
    fleet = Fleet(n=100)
    fleet.columns["firmware"] = TextColumn(("stock 1.0", "stock 2.0"), (np.arange(100) >= 60).astype(np.int64))
    fleet.slow = np.isin(np.arange(100), (3, 9, 21, 40))  # type: ignore[attr-defined]
    eco, plain = (np.arange(100) >= 60) & (np.arange(100) % 3 == 0) & others_in_eco, fleet.readings

    def readings() -> dict[str, object]:
        answer = plain()
        for machines, ths, of_watts in ((fleet.slow, share, watts), (eco, 0.8, 0.7)):  # type: ignore[attr-defined]
            answer["hashrate_ths"][machines] *= ths
            answer["power_w"][machines] *= of_watts
        return answer

    fleet.readings = readings  # type: ignore[method-assign]
    return fleet


@pytest.mark.parametrize("others_in_eco", [True, False])
def test_a_machine_stepping_to_the_level_of_a_few_peers_is_in_eco_even_without_power_saving(
    *, others_in_eco: bool
) -> None:
    fleet = few_in_eco(0.78, watts=0.78, others_in_eco=others_in_eco)
    fleet.cycle(times=12)
    fleet.slow[1] = True  # type: ignore[attr-defined]
    fleet.cycle(times=14)
    assert fleet.state["mode"][1] == Mode.ECO
    assert fleet.problems(1) == set()


@pytest.mark.parametrize("on_the_way", [0.9, 0.4], ids=["half of it in the first mean", "a restart in between"])
def test_a_change_in_the_middle_of_a_cycle_is_one_step_too(on_the_way: float) -> None:
    fleet = few_in_eco(0.78, watts=0.78)
    fleet.cycle(times=12)
    fleet.cycle(slower(1, 1 - on_the_way))
    fleet.slow[1] = True  # type: ignore[attr-defined]
    fleet.cycle(times=14)
    assert fleet.state["mode"][1] == Mode.ECO
    assert fleet.problems(1) == set()


def test_a_machine_sliding_to_the_level_of_a_few_peers_is_faulty() -> None:
    fleet = few_in_eco(0.78, watts=0.78)
    fleet.cycle(times=12)
    for lost in np.linspace(0.02, 0.22, 11):
        fleet.cycle(slower(1, float(lost)), times=2)
    fleet.cycle(slower(1, 0.22), times=8)
    assert fleet.state["mode"][1] == Mode.NORMAL
    assert "hashrate_degradation" in fleet.problems(1)


def test_a_machine_losing_one_boards_share_is_faulty_even_at_the_level_of_a_few_peers() -> None:
    fleet = few_in_eco(0.67, watts=0.68)
    fleet.cycle(times=12)
    fleet.cycle(slower(1, 0.33), times=8)
    assert fleet.state["mode"][1] == Mode.NORMAL
    assert "hashrate_degradation" in fleet.problems(1)
