"""Bad data comes in the shares that the scenario says, and clean is clean."""

from dataclasses import replace

import polars as pl
import pytest

from hashinsight.sim.frames import labels, stream
from hashinsight.sim.plan import Defects, PlannedCause, Scenario, Where
from hashinsight.sim.scenario import from_library
from tests.sim.worlds import DAY, HOUR, START

MACHINES = 220


def played(
    defects: Defects, *, causes: tuple[PlannedCause, ...] = (), arrived: bool = False, by_arrival: bool = False
) -> pl.DataFrame:
    scenario: Scenario = replace(from_library("quiet"), defects=defects, causes=causes)
    return pl.concat(stream(scenario, seed=4, start=START, days=1, arrived=arrived, by_arrival=by_arrival))


@pytest.fixture(scope="module")
def clean() -> pl.DataFrame:
    return played(Defects())


def test_rows_are_missing_in_their_share_and_the_others_are_unchanged(clean: pl.DataFrame) -> None:
    gappy = played(Defects(missing=0.015))
    assert 0.013 < 1 - gappy.height / clean.height < 0.017
    assert gappy.join(clean, on=clean.columns, how="anti").is_empty()


def test_sentinels_are_rare_and_never_reported_by_a_healthy_machine(clean: pl.DataFrame) -> None:
    spoilt = played(Defects(sentinels=0.0005))
    strange = pl.col("temp_max").is_in([0.0, 255.0]) | (pl.col("temp_avg") == 0) | (pl.col("fan_rpm") == -1)
    strange |= pl.col("power_w") == 0
    assert clean.filter(strange).is_empty()
    assert 0.0003 < spoilt.filter(strange).height / spoilt.height < 0.0007


def test_clocks_are_off_by_up_to_thirty_seconds_each_machine_by_its_own(clean: pl.DataFrame) -> None:
    shifted = played(Defects(clock_sec=30))
    off = (shifted["ts"] - clean["ts"]).dt.total_milliseconds()
    assert off.abs().max() <= 30_000  # type: ignore[operator]
    assert off.abs().max() > 25_000  # type: ignore[operator]
    per_machine = shifted.select("miner_id", off=off).group_by("miner_id").agg(pl.col("off").n_unique())
    assert per_machine["off"].max() == 1


def test_duplicates_are_the_same_row_twice(clean: pl.DataFrame) -> None:
    doubled = played(Defects(duplicates=0.01))
    assert 0.008 < doubled.height / clean.height - 1 < 0.012
    assert doubled.unique().height == clean.height


def test_late_rows_are_up_to_fifteen_minutes_late_and_can_be_had_in_order_of_arrival(clean: pl.DataFrame) -> None:
    frame = played(Defects(late=0.02), arrived=True, by_arrival=True)
    assert frame.height == clean.height
    assert frame["arrived_at"].is_sorted()
    assert not frame["ts"].is_sorted()
    late = (frame["arrived_at"] - frame["ts"]).dt.total_seconds()
    assert late.max() <= 900  # type: ignore[operator]
    assert 0.015 < (late > 10).mean() < 0.025  # type: ignore[operator]


def test_the_backlog_of_a_silent_collector_comes_hours_late_only_with_arrival_times() -> None:
    silence = (PlannedCause("collector_silent", Where(site="north"), 6 * HOUR, 4 * HOUR),)
    silent = played(Defects(), causes=silence)
    backlog = played(Defects(), causes=silence, arrived=True)
    assert backlog.height == MACHINES * 288
    assert 0 < backlog.height - silent.height <= MACHINES * 49
    late = (backlog["arrived_at"] - backlog["ts"]).dt.total_seconds()
    assert late.max() > 3.5 * HOUR  # type: ignore[operator]
    lost = played(Defects(), causes=(replace(silence[0], spooled=False),), arrived=True)
    assert lost.height == silent.height


def test_rows_of_a_backlog_are_missing_in_their_share_too() -> None:
    silence = (PlannedCause("collector_silent", Where(site="north"), 0.0, 23 * HOUR),)
    gappy = played(Defects(missing=0.5), causes=silence, arrived=True)
    assert 0.45 < gappy.height / (MACHINES * 288) < 0.55


def test_bad_data_leave_the_truth_as_it_is() -> None:
    messy = from_library("messy_data").resized(60)
    truth, clean = (
        labels(scenario, seed=4, start=START, days=1) for scenario in (messy, replace(messy, defects=Defects()))
    )
    assert truth.height > 0
    assert truth.equals(clean)


def test_one_make_reports_another_unit(clean: pl.DataFrame) -> None:
    wrong = played(Defects(units_off_make="MicroBT"))
    factor = wrong["hashrate_ths"] / clean["hashrate_ths"]
    whatsminers = wrong["model"].cast(pl.String).str.starts_with("Whatsminer")
    assert factor.filter(whatsminers).is_between(0.99e6, 1.01e6).all()
    assert (factor.filter(~whatsminers) == 1).all()


def test_a_rollout_renames_the_model_and_changes_the_firmware_from_then_on() -> None:
    rollout = PlannedCause(
        "firmware_rollout",
        Where(model="Antminer S19j Pro"),
        0.25 * DAY,
        HOUR,
        firmware="Antminer stock 2025",
        reported_model="S19JPro (104T)",
        hashrate_factor=1e6,
    )
    frame = played(Defects(), causes=(rollout,))
    ids = frame.filter(pl.col("model") == "S19JPro (104T)")["miner_id"].unique()
    assert len(ids) == 20
    last = frame.filter((pl.col("ts") == pl.col("ts").max()) & pl.col("miner_id").is_in(ids.implode()))
    assert last["firmware"].cast(pl.String).unique().to_list() == ["Antminer stock 2025"]
    assert (last["hashrate_ths"] > 90e6).all()


def test_noise_can_be_doubled(clean: pl.DataFrame) -> None:
    def spread(frame: pl.DataFrame) -> float:
        return float((frame["hashrate_ths"] / frame["expected_ths"]).std())  # type: ignore[arg-type]

    per_machine = pl.col("hashrate_ths").std().over("miner_id") / pl.col("expected_ths")
    loud = played(Defects(noise=2.0))
    ratio = (loud.select(per_machine).to_series() / clean.select(per_machine).to_series()).mean()
    assert ratio == pytest.approx(2, rel=0.05)
    assert spread(loud) > spread(clean)
