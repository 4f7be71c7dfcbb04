"""A small campaign from simulator to scores: what is written, replayed and compared is what the score says."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from hashinsight.bench.detection import Size, _false_alarms, _measure, _openings, _recall
from hashinsight.bench.detection_runs import (
    START,
    Part,
    Scored,
    mixed_modes,
    mode_accuracy,
    ordinary,
    play,
    random_like,
    write,
)
from hashinsight.sim.plan import FaultRates, Scenario, Weather

MACHINES, DAYS = 150, 0.75


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    folder = tmp_path_factory.mktemp("runs")
    made = play(Part("often", ordinary(MACHINES, scale=2000.0)), seed=3, days=DAYS, folder=folder)
    assert list(folder.iterdir()) == []  # a campaign of many runs does not fill the disk
    return made


def test_a_run_has_machines_truth_and_the_problems_of_both_designs(run: Scored) -> None:
    assert (run.machine_days, len(run.machines)) == (MACHINES * DAYS, MACHINES)
    assert (run.begin, run.last) == (START, START + timedelta(days=DAYS))
    for opened in (run.ours, run.plain):
        assert opened.height > 10
        assert set(opened["miner_id"]) <= set(run.machines)
        assert (opened["closed"].drop_nulls() > opened.filter(pl.col("closed").is_not_null())["opened"]).all()
    assert 0 < run.ours["closed"].null_count() < run.ours.height
    assert 0 < run.plain["closed"].null_count() < run.plain.height


def test_hard_faults_are_detected_and_scored_against_the_other_designs(run: Scored) -> None:
    figures = _recall([run, run])
    assert figures["hard_faults"] > 20
    assert figures["recall_hard_low"] <= figures["recall_hard"] <= figures["recall_hard_high"] <= 1
    assert figures["recall_hard"] > 0.9
    assert figures["random_recall_hard"] < 0.2
    assert figures["rules_only_recall_hard"] <= figures["recall_hard"]
    assert {"plain_recall_hard", "hard_warned_before"} <= figures.keys()
    wrong = _false_alarms("", [run])
    assert wrong["thousand_machine_days"] == MACHINES * DAYS / 1000
    assert wrong["false_per_1000_days_low"] <= wrong["false_per_1000_days"] <= wrong["false_per_1000_days_high"]
    assert wrong["false_p0_per_1000_days_low"] <= wrong["false_p0_per_1000_days"] < wrong["false_p0_per_1000_days_high"]


def test_details_have_the_names_that_the_specification_promises_for_each_design(run: Scored) -> None:
    figures = _recall([run]) | _false_alarms("", [run])
    promised = ("recall_hard", "recall_soft", "false_per_1000_days", "false_p0_per_1000_days")
    assert {
        f"{design}{name}" for design in ("", "plain_", "rules_only_", "random_") for name in promised
    } <= figures.keys()
    assert {"delay_board_min", "delay_fan_min", "plain_delay_board_min"} <= figures.keys()
    assert figures["random_recall_soft"] < figures["recall_soft"] < 1


def test_if_nothing_were_opened_nothing_would_be_found(run: Scored) -> None:
    silent = replace(run, ours=run.ours.clear(), plain=run.plain.clear())
    figures = _recall([silent])
    assert (figures["recall_hard"], figures["duplicates_per_100_faults"]) == (0.0, 0.0)
    assert _false_alarms("", [silent])["false_per_1000_days"] == 0.0


def test_chance_opens_as_many_of_the_same_kind_and_length_elsewhere(run: Scored) -> None:
    drawn = random_like(run.ours, run, 5)
    assert drawn["issue_code"].equals(run.ours["issue_code"])
    lasted = [
        (frame["closed"] - frame["opened"]).drop_nulls().dt.total_seconds().to_list() for frame in (drawn, run.ours)
    ]
    assert lasted[0] == pytest.approx(lasted[1], abs=1)
    assert drawn["opened"].is_between(run.begin, run.last).all()
    assert not drawn["miner_id"].equals(run.ours["miner_id"])
    hard = _openings(run, "rules_only")
    assert 0 < hard.height < run.ours.height


def test_the_same_seed_is_the_same_run_and_another_one_is_not(tmp_path: Path) -> None:
    part = Part("often", ordinary(60, scale=2000.0))
    first, same, other = (
        write(part, seed=seed, days=0.5, file=tmp_path / f"{no}.parquet") for no, seed in enumerate((7, 7, 8))
    )
    assert first.equals(same)
    assert not first.equals(other)


def test_modes_are_scored_without_telling_any(tmp_path: Path) -> None:
    assert len({batch.mode for zone in mixed_modes(200).sites[0].zones for batch in zone.batches}) == 3
    machines, ours, plain = mode_accuracy(seed=1, machines=100, folder=tmp_path)
    assert machines >= 90
    assert plain <= ours <= machines


def test_a_campaign_reports_points_and_intervals() -> None:
    result = _measure(Size(machines=60, days=0.5, seeds=1, extras=False))
    assert (result.name, result.ratio) == ("detection", result.figure)
    assert "95 % interval" in result.unit
    assert f"of {result.detail['hard_faults']:.0f} hard faults" in result.unit
    rates = {f"false_{what}per_1000_days{end}" for what in ("", "p0_") for end in ("", "_low", "_high")}
    assert {*rates, "often_false_per_1000_days", "mode_accuracy"} <= result.detail.keys()
    assert all(isinstance(value, float | int) for value in result.detail.values())


OF_HEAT = ("overheat_warn", "overheat_crit")
HOT_DAYS = 0.5


def afternoon(mean_c: float) -> Scenario:
    """The first site of the campaign without a fault, in air that stays as it is on a hot afternoon."""
    base = ordinary(300, scale=0.0)
    site = base.sites[0]
    weather = Weather(mean_c=mean_c, daily_swing_c=0, spell_c=0)
    # both zones alike, so that one air is near 40 °C in each
    zones = tuple(replace(zone, hotter_c=0.0) for zone in site.zones)
    return replace(base, sites=(replace(site, weather=weather, zones=zones),), rates=FaultRates())


def opened_of_heat(mean_c: float, folder: Path) -> pl.DataFrame:
    run = play(Part("hot", afternoon(mean_c)), seed=8023, days=HOT_DAYS, folder=folder)
    assert run.truth.is_empty()
    return run.ours.filter(pl.col("issue_code").is_in(OF_HEAT))


def test_healthy_machines_in_air_near_40_degrees_are_not_too_hot(tmp_path: Path) -> None:
    assert opened_of_heat(37.5, tmp_path).to_dicts() == []


def test_machines_in_far_hotter_air_are_too_hot(tmp_path: Path) -> None:
    warned = opened_of_heat(47.0, tmp_path).filter(pl.col("issue_code") == "overheat_warn")
    assert warned["miner_id"].n_unique() > 50
