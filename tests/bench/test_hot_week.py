"""Hot weather is nobody's fault: in air that makers allow sound machines raise no alarm of heat."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from hashinsight.bench.detection_runs import Part, ordinary, play
from hashinsight.sim.plan import FaultRates, Scenario, Weather

OF_HEAT = ("overheat_warn", "overheat_crit")
DAYS = 0.5


def afternoon(mean_c: float) -> Scenario:
    """The first site of the campaign without a fault, in air that stays as it is on a hot afternoon."""
    base = ordinary(300, scale=0.0)
    site = base.sites[0]
    weather = Weather(mean_c=mean_c, daily_swing_c=0, spell_c=0)
    # both zones alike, so that one air is near 40 °C in each
    zones = tuple(replace(zone, hotter_c=0.0) for zone in site.zones)
    return replace(base, sites=(replace(site, weather=weather, zones=zones),), rates=FaultRates())


def opened_of_heat(mean_c: float, folder: Path) -> pl.DataFrame:
    run = play(Part("hot", afternoon(mean_c)), seed=8023, days=DAYS, folder=folder)
    assert run.truth.is_empty()
    return run.ours.filter(pl.col("issue_code").is_in(OF_HEAT))


def test_sound_machines_in_air_near_40_degrees_are_not_said_to_be_too_hot(tmp_path: Path) -> None:
    assert opened_of_heat(37.5, tmp_path).to_dicts() == []


def test_machines_in_air_far_above_are_said_to_be(tmp_path: Path) -> None:
    warned = opened_of_heat(47.0, tmp_path).filter(pl.col("issue_code") == "overheat_warn")
    assert warned["miner_id"].n_unique() > 50
