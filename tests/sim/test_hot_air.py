"""Hot air: up to what the maker allows a sound machine runs as rated, and what it says of its heat is what it has."""

from dataclasses import replace

import numpy as np
import pytest

from hashinsight.facts.temperatures import SensorKind, find_limits
from hashinsight.sim.constants import constants_of
from hashinsight.sim.models import SIMULATED
from hashinsight.sim.plan import Defects, Weather
from hashinsight.sim.readings import Flags
from hashinsight.sim.world import World
from tests.sim.playing import HOUR, START, quiet

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


def test_no_sound_antminer_says_that_it_is_at_its_limit_in_air_up_to_40_degrees(near_40: World) -> None:
    antminers = are(near_40, *(model.name for model in SIMULATED if model.make == "Bitmain"))
    ours = antminers & (near_40.state.inlet_c <= FULL_FREQUENCY_UP_TO_C)
    assert ours.sum() > 1000
    said = near_40.readings()
    for kind, temp_c in ((SensorKind.CHIP, said.chip_temp_c), (SensorKind.BOARD, said.board_temp_c)):
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
    said, state = world.readings(), world.state
    assert np.abs(said.board_temp_c - state.board_c).max() <= 0.25
    assert np.abs(said.chip_temp_c - state.chip_c).max() <= 0.25
