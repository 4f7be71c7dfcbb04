"""Without faults, nothing but weather and noise moves a machine; and what it says agrees with the catalogue."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hashinsight.facts.temperatures import SensorKind, find_limits
from hashinsight.sim.frames import Run
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Defects, Weather
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.scenario import from_library
from hashinsight.sim.state import constants_of
from hashinsight.sim.world import World
from tests.sim.worlds import DAY, HOUR, START, quiet, quiet_world, watch


@pytest.fixture(scope="module")
def fortnight() -> pl.DataFrame:
    run = Run(from_library("quiet"), seed=11, start=START, days=10)
    frame = pl.concat(run.frames())
    assert run.labels().is_empty()
    return frame


def test_every_machine_is_there_in_every_row_and_hashes(fortnight: pl.DataFrame) -> None:
    assert fortnight.height == 220 * 10 * 288
    assert fortnight["online"].min() == 1
    assert fortnight["boards_healthy"].min() == 3
    assert fortnight["hashrate_ths"].is_null().sum() == 0


def test_hashrate_stays_within_its_noise_around_each_machines_own_level(fortnight: pl.DataFrame) -> None:
    share = pl.col("hashrate_ths") / pl.col("hashrate_ths").mean().over("miner_id") - 1
    away = fortnight.select(share=share)["share"]
    assert 0.0115 < away.std() < 0.0145  # type: ignore[operator]
    # 630,000 rows of a normal law: nothing is beyond six deviations
    assert away.abs().max() < 6 * 0.013  # type: ignore[operator]


def test_each_machine_is_near_its_nameplate(fortnight: pl.DataFrame) -> None:
    means = fortnight.group_by("miner_id", "model").agg(
        ratio=pl.col("hashrate_ths").mean() / pl.col("expected_ths").mean(),
        watts_per_ths=pl.col("power_w").mean() / pl.col("hashrate_ths").mean(),
    )
    assert means["ratio"].is_between(0.95, 1.05).all()
    for model in SIMULATED:
        ours = means.filter(pl.col("model") == model.name)["watts_per_ths"]
        rated = model.power_w / model.rated_ths
        assert ours.median() == pytest.approx(rated, rel=0.05), model.name
        assert ours.is_between(0.88 * rated, 1.12 * rated).all(), model.name


def test_no_temperature_reaches_the_limit_of_its_model_in_ordinary_weather(fortnight: pl.DataFrame) -> None:
    for model, firmware in fortnight.select("model", "firmware").unique().rows():
        kind = SensorKind.BOARD if "LuxOS" in firmware else SensorKind.CHIP
        seen = fortnight.filter((pl.col("model") == model) & (pl.col("firmware") == firmware))["temp_max"]
        limits = find_limits(model, kind, firmware=firmware)
        assert seen.max() < limits.warn_c, model  # type: ignore[operator]
        assert seen.min() > limits.target_c - 30, model  # type: ignore[operator]


def test_power_follows_the_air_and_not_the_clock(fortnight: pl.DataFrame) -> None:
    """What the day does to power is explained by temperature: at the same temperature power is the same."""
    machine = fortnight.filter(pl.col("miner_id") == "north-00085")
    warm = machine.filter(
        pl.col("temp_max").is_between(pl.col("temp_max").median() - 0.6, pl.col("temp_max").median() + 0.6)
    )
    assert warm["power_w"].std() / warm["power_w"].mean() < 0.01  # type: ignore[operator]


def test_a_t21_takes_about_seven_percent_more_by_day_than_by_night() -> None:
    world = quiet_world(220)
    t21 = np.flatnonzero(world.fleet.model == [model.name for model in SIMULATED].index("Antminer T21"))
    frames, _ = watch(world, DAY, 900)
    watts: Floats = np.array([frame.power_w[t21] for frame in frames])
    swing = (np.percentile(watts, 95, axis=0) / np.percentile(watts, 5, axis=0) - 1).mean()
    assert 0.05 < swing < 0.10


def test_fans_turn_faster_in_warm_air_and_fully_at_target() -> None:
    cool, warm = quiet_world(), quiet_world()
    warm.inject("heat_wave", np.arange(22), severity=2.5)
    for world in (cool, warm):
        world.advance(world.at + 1.5 * DAY)
    hashing = warm.readings().hashing
    assert hashing.sum() > 15
    assert (warm.readings().fan_duty > cool.readings().fan_duty)[hashing].all()
    hot = np.where(hashing, warm.readings().chip_temp_c.max(axis=1), 0.0)
    targets = constants_of(warm.fleet).target_c
    assert (warm.readings().fan_duty[hot > targets + 1] > 0.99).all()
    assert (hot > targets + 1).any()


def test_an_s21_runs_at_440_mhz_above_40_degrees_and_stops_above_47() -> None:
    world = quiet_world(220)
    s21 = np.flatnonzero(world.fleet.model == [model.name for model in SIMULATED].index("Antminer S21"))
    assert (world.readings().frequency_mhz[s21] > 485).all()
    air = world.readings().inlet_c[s21].mean()
    for over, low, high in ((42.5, 380, 441), (52.0, -1, 1)):
        episode = world.inject("hot_aisle", s21, severity=float((over - air) / 11 / 0.85))[0]
        world.advance(world.at + 3600)
        inlet, mhz = world.readings().inlet_c[s21], world.readings().frequency_mhz[s21]
        hot = inlet > (40 if over < 47 else 47)
        assert hot.any()
        assert ((mhz[hot] >= low) & (mhz[hot] <= high)).all()
        world.end(episode.no)
        world.advance(world.at + 3600)


S21_SERIES = ("Antminer S21", "Antminer S21 Pro", "Antminer T21")
FULL_FREQUENCY_UP_TO_C = 40.0  # the maker, of the S21
LUXOS_UP_TO_C = 35.0


def steady_air(mean_c: float, *, machines: int = 2200, noise: float = 1.0) -> World:
    """Every model in air that does not change; inlets differ by row, rack and height."""
    scenario = quiet(machines)
    weather = Weather(mean_c=mean_c, daily_swing_c=0, spell_c=0)
    sites = tuple(replace(site, weather=weather) for site in scenario.sites)
    world = World(replace(scenario, sites=sites, defects=Defects(noise=noise)), seed=7, start=START, max_step_sec=300.0)
    world.advance(START + 2 * HOUR)
    return world


def are(world: World, *names: str) -> Flags:
    numbers = [no for no, model in enumerate(SIMULATED) if model.name in names]
    return np.isin(world.fleet.model, numbers)


@pytest.fixture(scope="module")
def near_40() -> World:
    return steady_air(38.5)


@pytest.mark.parametrize("name", S21_SERIES)
def test_a_sound_machine_of_the_s21_series_keeps_its_full_frequency_up_to_40_degrees(near_40: World, name: str) -> None:
    ours = are(near_40, name) & (near_40.state.inlet_c <= FULL_FREQUENCY_UP_TO_C)
    assert (ours & (near_40.state.inlet_c > 39)).sum() > 50
    assert (near_40.state.frequency[ours] == 1).all()
    assert (near_40.state.chip_c.max(axis=1) < constants_of(near_40.fleet).hot_c - 2)[ours].all()


def test_no_healthy_antminer_reports_its_limit_in_air_up_to_40_degrees(near_40: World) -> None:
    antminers = are(near_40, *(model.name for model in SIMULATED if model.make == "Bitmain"))
    ours = antminers & (near_40.state.inlet_c <= FULL_FREQUENCY_UP_TO_C)
    assert ours.sum() > 1000
    reading = near_40.readings()
    for kind, temp_c in ((SensorKind.CHIP, reading.chip_temp_c), (SensorKind.BOARD, reading.board_temp_c)):
        warn_c = np.array([find_limits(model.name, kind).warn_c for model in SIMULATED])[near_40.fleet.model]
        assert (temp_c.max(axis=1) < warn_c)[ours].all(), kind


def test_no_sound_machine_with_luxos_reaches_the_limit_that_it_reports_in_air_up_to_35_degrees() -> None:
    world = steady_air(33, machines=440)
    board_c = world.readings().board_temp_c.max(axis=1)
    for number, model in enumerate(SIMULATED):
        ours = (world.fleet.model == number) & (world.state.inlet_c <= LUXOS_UP_TO_C) & (model.make == "Bitmain")
        limits = find_limits(model.name, SensorKind.BOARD, firmware="LuxOS")
        assert (board_c < limits.critical_c)[ours].all(), model.name


def test_in_air_that_no_maker_allows_machines_do_reach_their_limit() -> None:
    world = steady_air(48, machines=440)
    hot = world.state.chip_c.max(axis=1) >= constants_of(world.fleet).hot_c
    assert hot[are(world, "Antminer S19j Pro", "Antminer T21")].mean() > 0.5


def test_a_reading_is_off_by_its_noise_and_half_of_a_half_degree_and_by_nothing_else() -> None:
    world = steady_air(25, machines=220, noise=0.0)
    readings, state = world.readings(), world.state
    assert np.abs(readings.board_temp_c - state.board_c).max() <= 0.25
    assert np.abs(readings.chip_temp_c - state.chip_c).max() <= 0.25
