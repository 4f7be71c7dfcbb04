"""Fast time: the same seed gives the same bytes however it is cut, in bounded memory, in the columns of replay."""

import tracemalloc
from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from hashinsight.sim.frames import COLUMNS, Run, Shape, labels, stream
from hashinsight.sim.plan import ScenarioError
from hashinsight.sim.reserved import RESERVED
from hashinsight.sim.scenario import PUBLIC_KINDS, from_library
from tests.sim.worlds import EVERY_KIND, HOUR, START, quiet_world, watch

REPLAY = [
    "ts",
    "site",
    "miner_id",
    "model",
    "firmware",
    "hashrate_ths",
    "expected_ths",
    "temp_avg",
    "temp_max",
    "power_w",
    "fan_rpm",
    "boards_healthy",
    "boards_total",
    "hw_errors",
    "accepted",
    "rejected",
    "online",
    "mode",
    "zone",
]


def whole(name: str, *, seed: int = 5, machines: int = 60, days: float = 1.0, **choices: object) -> pl.DataFrame:
    scenario = from_library(name).resized(machines)
    return pl.concat(stream(scenario, seed=seed, start=START, days=days, **choices))  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_rows_and_the_same_truth() -> None:
    assert whole("demo").equals(whole("demo"))
    scenario = from_library("demo").resized(60)
    first, second = (labels(scenario, seed=5, start=START, days=1) for _ in range(2))
    assert first.equals(second)
    assert first.height > 5


def test_another_seed_gives_another_history() -> None:
    assert not whole("demo", seed=5, days=0.1).equals(whole("demo", seed=6, days=0.1))


@pytest.mark.parametrize("name", ["demo", "messy_data"])
@pytest.mark.parametrize("by_arrival", [False, True])
def test_how_a_run_is_cut_into_chunks_changes_nothing(name: str, *, by_arrival: bool) -> None:
    in_three, in_many = (whole(name, chunk_hours=hours, arrived=True, by_arrival=by_arrival) for hours in (8.0, 0.75))
    assert in_three.equals(in_many)


def test_the_truth_taken_with_the_frames_is_that_of_labels() -> None:
    scenario = from_library("demo").resized(40)
    run = Run(scenario, seed=5, start=START, days=1)
    for _ in run.frames():
        pass
    assert run.labels().equals(labels(scenario, seed=5, start=START, days=1))


def test_frames_have_the_columns_of_replay_in_its_types() -> None:
    frame = whole("quiet", days=0.1)
    assert set(REPLAY) <= set(frame.columns)
    assert tuple(frame.columns) == COLUMNS
    assert frame.schema["ts"] == pl.Datetime("ms", "UTC")
    assert frame["online"].is_in([0, 1]).all()
    assert frame["mode"].cast(pl.String).unique().to_list() == ["normal"]


@pytest.mark.parametrize("cadence", [60, 300, 900])
def test_any_cadence_has_a_row_a_machine_and_interval(cadence: int) -> None:
    frame = whole("quiet", machines=11, days=0.25, cadence_sec=cadence)
    assert frame.height == 11 * 6 * 3600 // cadence
    gaps = frame.sort("miner_id", "ts").select(pl.col("ts").diff().over("miner_id").drop_nulls())
    assert gaps.to_series().unique().to_list() == [timedelta(seconds=cadence)]


def test_the_mean_day_does_not_depend_on_the_cadence() -> None:
    def means(cadence: int) -> pl.DataFrame:
        frame = whole("quiet", machines=44, days=0.5, cadence_sec=cadence)
        return frame.select(
            pl.col("hashrate_ths", "power_w").mean(), pl.col("accepted").max() - pl.col("accepted").min()
        )

    fine, coarse = means(60), means(300)
    assert fine["hashrate_ths"][0] == pytest.approx(coarse["hashrate_ths"][0], rel=0.003)
    assert fine["power_w"][0] == pytest.approx(coarse["power_w"][0], rel=0.02)


def test_boards_and_fans_come_when_they_are_asked_for() -> None:
    frame = whole("quiet", machines=11, days=0.1, parts=True)
    boards = frame.select(total=pl.sum_horizontal("board1_ths", "board2_ths", "board3_ths") / pl.col("hashrate_ths"))
    assert boards["total"].is_between(0.999, 1.001).all()
    assert {"fan4_rpm", "inlet_temp", "fan_duty"} <= set(frame.columns)


def test_memory_is_that_of_a_chunk_and_does_not_grow_with_the_days() -> None:
    def peak(days: float) -> int:
        tracemalloc.start()
        rows = sum(frame.height for frame in stream(scenario, seed=1, start=START, days=days, chunk_hours=1.5))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert rows == 300 * 288 * days
        return most

    scenario = from_library("quiet").resized(300)
    assert peak(0.5) < 1.3 * peak(0.125)


def test_an_unreachable_machine_has_a_row_without_values_and_a_silent_site_has_none() -> None:
    frame = whole("switch_outage", machines=100, days=3)
    off = frame.filter(pl.col("online") == 0)
    assert off.height > 0
    assert off["hashrate_ths"].is_null().all()
    assert off["expected_ths"].is_not_null().all()
    truth = labels(from_library("switch_outage").resized(100), seed=5, start=START, days=3)
    dark = truth.row(by_predicate=pl.col("kind") == "site_outage", named=True)
    during = frame.filter(pl.col("ts").is_between(dark["start"], dark["end"], closed="right"))
    assert during.filter(pl.col("ts") < dark["end"]).filter(pl.col("site") == "south").is_empty()
    assert during.filter(pl.col("site") == "north").height > 0


def test_families_that_are_passed_in_are_played_and_labelled() -> None:
    scenario = from_library("ordinary").resized(100)
    often = {family.kind: 50.0 for family in RESERVED}
    fast = replace(scenario, rates=replace(scenario.rates, scale=50.0, of_kind=often))
    with_them = set(labels(fast, seed=3, start=START, days=1, families=EVERY_KIND)["kind"])
    without = set(labels(fast, seed=3, start=START, days=1)["kind"])
    assert {family.kind for family in RESERVED} <= with_them
    assert without <= set(PUBLIC_KINDS)


def test_a_run_without_a_single_row_is_refused() -> None:
    with pytest.raises(ScenarioError, match="are shorter than the cadence of 900 s"):
        Run(from_library("quiet"), seed=1, start=START, days=0.001, shape=Shape(cadence_sec=900))


def test_counters_never_decrease_except_at_a_boot_where_uptime_starts_again() -> None:
    scenario = from_library("demo").resized(150)
    busy = replace(scenario, rates=replace(scenario.rates, reboots_per_year=500.0), defects=type(scenario.defects)())
    frame = pl.concat(stream(busy, seed=2, start=START, days=2)).filter(pl.col("online") == 1)
    steps = frame.sort("miner_id", "ts").select(
        "miner_id",
        *(pl.col(name).diff().over("miner_id").alias(name) for name in ("accepted", "rejected", "hw_errors")),
        # less than the time that passed: it started again
        late=pl.col("uptime_seconds").diff().over("miner_id") - pl.col("ts").diff().over("miner_id").dt.total_seconds(),
    )
    fell = steps.filter((pl.col("accepted") < 0) | (pl.col("rejected") < 0) | (pl.col("hw_errors") < 0))
    assert fell.height > 50
    assert (fell["late"] < -30).all()


def test_shares_come_at_the_pools_pace_and_few_are_rejected() -> None:
    world = quiet_world(220)
    before = world.readings()
    world.advance(world.at + 6 * HOUR)
    after = world.readings()
    accepted, rejected = after.accepted - before.accepted, after.rejected - before.rejected
    assert abs(accepted.mean() / (0.2 * 6 * 3600) - 1) < 0.02
    assert 0.002 < rejected.sum() / accepted.sum() < 0.004
    # Poisson: the spread is the root of the mean, beside the units' own differences
    assert accepted.std() < 2.5 * np.sqrt(accepted.mean())


def test_a_rebooted_machine_is_away_for_a_minute_and_warm_after_a_quarter_of_an_hour() -> None:
    world = quiet_world(22, step=10.0)
    world.inject("spontaneous_reboot", np.arange(22))
    frames, _ = watch(world, 1200, 10)
    reachable = np.array([frame.reachable for frame in frames])
    ratio = np.array([frame.hashrate_ths / frame.expected_ths for frame in frames])
    away = (~reachable).sum(axis=0) * 10
    assert ((away >= 40) & (away <= 90)).all()
    assert (ratio[10] == 0).all()
    assert (ratio[-1] > 0.93).all()
    first = np.argmax(ratio > 0, axis=0)
    assert (ratio[first, np.arange(22)] < 0.6).all()
    assert (frames[-1].uptime_sec <= 1200).all()


def test_a_machines_estimate_is_smooth_from_poll_to_poll_but_noisy_from_minute_to_minute() -> None:
    world = quiet_world(220, step=5.0)
    frames, _ = watch(world, 600, 5)
    ratio = np.array([frame.hashrate_ths / frame.expected_ths for frame in frames])
    quick, slow = np.diff(ratio, axis=0).std(), (ratio[::24][1:] - ratio[::24][:-1]).std()
    assert quick < 0.5 * slow
    assert 0.011 < slow / np.sqrt(2) < 0.015
