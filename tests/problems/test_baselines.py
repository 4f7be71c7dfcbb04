"""The baseline of a machine: the same whether it is kept or computed again, and deaf to what is not its own."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hashinsight.problems.baselines import COLD, update
from hashinsight.problems.codes import EventStatus, Issue, Metric, ThawReason
from hashinsight.problems.state import columns, empty_state, from_columns
from tests.problems.fleet import Fleet, both, readings_of, slower

FLOOR = 0.004
samples = st.lists(
    st.tuples(st.floats(0.5, 1.5), st.sampled_from([300.0, 300.0, 900.0, 7000.0])), min_size=1, max_size=60
)


def computed_again(series: list[tuple[float, float]], scale_sec: float) -> tuple[float, float]:
    """From the whole history, one number after the other, without arrays."""
    mean, variance = series[0][0], FLOOR**2
    for count, (value, elapsed) in enumerate(series[1:], start=1):
        weight = max(1 - math.exp(-elapsed / scale_sec), 1 / (count + 1))
        step = value - mean
        if count >= COLD:
            bound = 3 * math.sqrt(max(variance, FLOOR**2))
            step = min(max(step, -bound), bound)
        mean, variance = mean + weight * step, (1 - weight) * (variance + weight * step * step)
    return mean, variance


@settings(max_examples=100, deadline=None)
@given(series=samples)
def test_the_incremental_baseline_equals_the_baseline_of_the_whole_history(series: list[tuple[float, float]]) -> None:
    kept: list[Any] = [np.array([each], np.float32) for each in (np.nan, np.nan, 0)]
    for value, elapsed in series:
        moved = update(
            kept[0], kept[1], kept[2], np.array([value]), floor=np.array([FLOOR]), elapsed=np.array([elapsed]),
            scale_sec=64_800.0,
        )  # fmt: skip
        kept = [each.astype(np.float32) for each in moved]
    mean, variance = computed_again(series, 64_800.0)
    assert math.isclose(kept[0][0], mean, rel_tol=1e-4)
    assert math.isclose(kept[1][0], variance, rel_tol=2e-3, abs_tol=1e-8)


def test_a_step_of_an_hour_weighs_as_twelve_of_five_minutes() -> None:
    past = (np.array([1.0]), np.array([0.01]), np.array([1e4]))
    at_once = update(*past, np.array([0.95]), floor=np.array([FLOOR]), elapsed=np.array([3600.0]), scale_sec=64_800.0)
    for _ in range(12):
        past = update(*past, np.array([0.95]), floor=np.array([FLOOR]), elapsed=np.array([300.0]), scale_sec=64_800.0)
    assert math.isclose(past[0][0], at_once[0][0], rel_tol=1e-9)


def test_a_state_that_was_stored_and_read_goes_on_as_if_nothing_had_been() -> None:
    kept, stored = Fleet(), Fleet()
    for fleet in (kept, stored):
        fleet.cycle(slower(3, 0.2), times=9)
    back = from_columns(columns(stored.state))
    stored.state = replace(back, events=stored.state.events, mixtures=stored.state.mixtures)
    for fleet in (kept, stored):
        fleet.cycle(slower(3, 0.2), times=9)
    assert kept.everything_open() == stored.everything_open()
    for name, values in columns(kept.state).items():
        np.testing.assert_array_equal(values, columns(stored.state)[name], err_msg=name)


def test_a_cycle_changes_nothing_that_was_passed_in() -> None:
    fleet = Fleet()
    fleet.warm_up()
    before = {name: values.copy() for name, values in columns(fleet.state).items()}
    state = fleet.state
    fleet.cycle(slower(1, 0.5), times=3)
    for name, values in columns(state).items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)


def test_weather_that_moves_all_machines_moves_no_baseline() -> None:
    fleet = Fleet()
    fleet.warm_up()
    before = fleet.state["ewma"][Metric.TEMP_MAX].copy()

    def warmer(readings: dict[str, object]) -> None:
        for name in ("temp_c", "temp_max_c"):
            readings[name] = readings[name] + 9.0  # type: ignore[operator]

    fleet.cycle(warmer, times=20)
    assert np.abs(fleet.state["ewma"][Metric.TEMP_MAX] - before).max() < 1.0
    assert fleet.everything_open() == set()


def test_the_baseline_is_frozen_while_a_problem_is_open_and_released_by_an_acknowledgement() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(slower(0, 0.33), times=6)
    assert "hashrate_degradation" in fleet.problems(0)
    before = float(fleet.state["ewma"][Metric.HASHRATE_RATIO, 0])
    fleet.cycle(slower(0, 0.33), times=20)
    assert float(fleet.state["ewma"][Metric.HASHRATE_RATIO, 0]) == before
    for issue in {Issue[code.upper()] for code in fleet.problems(0)}:
        fleet.set_status(0, issue, EventStatus.ACK)
    result = fleet.cycle(slower(0, 0.33))
    assert result.thawed[0]
    assert fleet.state["thaw_reason"][0] == ThawReason.ACKNOWLEDGED
    fleet.cycle(slower(0, 0.33), times=5)
    assert float(fleet.state["ewma"][Metric.HASHRATE_RATIO, 0]) < before


def test_a_new_firmware_restarts_the_baseline() -> None:
    fleet = Fleet()
    fleet.warm_up()
    assert fleet.state["samples"][Metric.HASHRATE_RATIO, 0] >= COLD
    firmware = fleet.columns["firmware"]
    fleet.columns["firmware"] = type(firmware)(("stock 1.0", "stock 2.0"), np.eye(1, fleet.n, dtype=np.int64)[0])
    fleet.cycle()
    assert fleet.state["samples"][Metric.HASHRATE_RATIO, 0] <= 1
    assert fleet.state["samples"][Metric.HASHRATE_RATIO, 1] >= COLD
    fleet.cycle(slower(0, 0.2), times=4)
    assert "hashrate_degradation" not in fleet.problems(0)


def test_one_bad_sample_raises_nothing() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(both(readings_of(0, hashrate_ths=40.0), readings_of(1, temp_max_c=78.0, temp_c=75.0)))
    fleet.cycle(times=4)
    assert fleet.everything_open() == set()


def test_an_empty_state_takes_new_machines_and_leaves_out_old_ones() -> None:
    small, large = Fleet(n=6), Fleet(n=9)
    small.warm_up()
    large.state = small.state
    large.now = small.now
    large.cycle()
    assert large.state["samples"][0].tolist() == [*small.state["samples"][0] + 1, *[1] * 3]
    assert empty_state().n == 0
