"""Faults by rate: how often, in which lots, with which warning, sooner in heat and after power cycles."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hashinsight.sim.episodes import EpisodeLog
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import DAY, Family
from hashinsight.sim.faults.hazard import Hazard
from hashinsight.sim.faults.schedule import FaultSchedule
from hashinsight.sim.fleet import build_fleet
from hashinsight.sim.frames import labels
from hashinsight.sim.plan import FaultRates, Scenario
from hashinsight.sim.readings import Floats
from hashinsight.sim.scenario import from_library
from hashinsight.sim.state import State, constants_of, hashing_state
from tests.sim.worlds import START

HARDWARE = [family for family in PUBLIC if family.share and not family.by_itself]
WARNING = [family for family in PUBLIC if family.warns]


def fleet_of(machines: int, rates: FaultRates) -> Scenario:
    return replace(from_library("ordinary").resized(machines), rates=rates)


@pytest.mark.parametrize("family", WARNING, ids=lambda family: family.kind)
def test_a_third_to_a_half_of_its_cases_gives_no_warning(family: Family) -> None:
    fleet = build_fleet(from_library("quiet").resized(4000), 1)
    ledger = EpisodeLog()
    outbreak = FaultSchedule(fleet, PUBLIC, FaultRates(), ledger, 1)
    made = outbreak.plan(family, np.arange(4000), start=START, end=None, severity=1.0)
    silent = np.mean([episode.precursor_start is None for episode in made])
    assert 0.30 <= silent <= 0.50
    leads = [episode.start - episode.precursor_start for episode in made if episode.precursor_start is not None]
    low, high = family.lead_sec
    assert low <= min(leads)
    assert max(leads) <= high


def test_a_third_to_a_half_of_all_hardware_faults_gives_no_warning() -> None:
    silent = sum(family.share * (1 - family.warns) for family in HARDWARE)
    assert sum(family.share for family in HARDWARE) == pytest.approx(1)
    assert 0.30 <= silent <= 0.50


def test_five_percent_of_machines_a_year_break_and_ten_of_the_xp() -> None:
    rates = rates_by_model()
    assert 0.035 < rates["others"] < 0.065
    assert 0.075 < rates["xp"] < 0.13


def rates_by_model() -> dict[str, float]:
    """Counted over a month of a large fleet whose years pass ten times faster, by the hazard alone."""
    scenario = fleet_of(5000, FaultRates(on=True, scale=10))
    fleet = build_fleet(scenario, 1)
    state = hashing_state(fleet, start=START, uptime_sec=np.full(fleet.n, DAY))
    state.chip_c[:] = (constants_of(fleet).target_c - 4)[:, None]
    counted = onsets(Hazard(fleet, tuple(HARDWARE), scenario.rates, 1), state, hours=720)
    xp = np.array([model.name == "Antminer S19 XP" for model in fleet.models])[fleet.model]
    years = 10 * 720 / 24 / 365
    return {"xp": counted[xp].mean() / years, "others": counted[~xp].mean() / years}


def onsets(hazard: Hazard, state: State, *, hours: int) -> Floats:
    counted = np.zeros(len(state.duty))
    target = state.chip_c.max(axis=1) + 4
    for hour in range(hours):
        for onset in hazard.tick(state, target, START + hour * 3600):
            np.add.at(counted, onset.machines, 1)
    return counted


def test_a_bad_lot_breaks_six_times_as_often() -> None:
    fleet = build_fleet(from_library("bad_lot"), 1)
    by_lot = {name: fleet.faults_per_year[fleet.lot.no == no].mean() for no, name in enumerate(fleet.lot.of)}
    assert by_lot["Antminer S19j Pro 2023-B"] / by_lot["Antminer S19j Pro 2023-A"] == pytest.approx(6)
    truth = labels(from_library("bad_lot").resized(300), seed=3, start=START, days=3)
    numbers = build_fleet(from_library("bad_lot").resized(300), 3)
    lot = dict(zip(numbers.machine_id, numbers.lot, strict=True))
    hardware = truth.filter(pl.col("kind").is_in([family.kind for family in HARDWARE]))
    broken = hardware["miner_id"].to_list()
    bad = sum(lot[episode].endswith("2023-B") for episode in broken)
    good = sum(lot[episode].endswith("2023-A") for episode in broken)
    assert bad > good  # three times fewer machines, yet more faults


def test_ten_degrees_more_double_the_faults_that_heat_brings() -> None:
    fleet = build_fleet(fleet_of(5000, FaultRates(on=True, scale=20)), 1)
    heat = tuple(family for family in HARDWARE if family.heat)

    def counted(degrees: float) -> float:
        state = hashing_state(fleet, start=START, uptime_sec=np.full(fleet.n, DAY))
        state.chip_c[:] = 60 + degrees
        hazard = Hazard(fleet, heat, FaultRates(on=True, scale=20), 1)
        total = 0
        for hour in range(200):
            total += sum(
                len(episode.machines) for episode in hazard.tick(state, np.full(fleet.n, 64.0), START + 3600 * hour)
            )
        return total

    assert counted(10) / counted(0) == pytest.approx(2, rel=0.15)


def test_a_power_cycle_brings_some_faults_on_minutes_after_the_boot() -> None:
    rates = FaultRates(on=True, scale=50)
    fleet = build_fleet(fleet_of(5000, rates), 1)
    episodes = Hazard(fleet, PUBLIC, rates, 1).power_cycle(np.ones(fleet.n, dtype=np.bool_), START)
    after = np.concatenate([onset.at for onset in episodes]) - START
    assert after.size > 20
    assert after.min() >= 180
    assert after.max() <= 1200
    assert all(onset.family.cycles for onset in episodes)


def test_the_first_day_of_a_run_already_has_machines_that_warn() -> None:
    truth = labels(fleet_of(2000, FaultRates(on=True, scale=5)), seed=3, start=START, days=0.05)
    warned = truth.filter(pl.col("precursor_start").is_not_null())
    assert warned.height > 10
    assert (warned["start"] > truth["start"].min()).any()


def test_the_first_weeks_of_a_run_have_the_fault_and_warning_rates() -> None:
    """All that really starts, by what began before the run and by every hour of it, at the heat of rated air."""
    rates, weeks = FaultRates(on=True, scale=40), 6
    fleet = build_fleet(fleet_of(5000, rates), 1)
    state = hashing_state(fleet, start=START, uptime_sec=np.full(fleet.n, DAY))
    target = state.chip_c.max(axis=1) + 4
    ledger = EpisodeLog()
    hazard, outbreak = Hazard(fleet, tuple(HARDWARE), rates, 1), FaultSchedule(fleet, tuple(HARDWARE), rates, ledger, 1)
    for onset in hazard.look_back(START):
        outbreak.begin(onset, START)
    for hour in range(weeks * 168):
        now = START + hour * 3600
        outbreak.take_over(now)
        for onset in hazard.tick(state, target, now):
            outbreak.begin(onset, now)
    started = [episode for episode in ledger.list_begun(np.inf) if episode.start < START + weeks * 7 * DAY]
    expected = float(fleet.faults_per_year.sum()) * 40 * 7 / 365
    for week in range(weeks):
        ours = [episode for episode in started if week * 7 <= (episode.start - START) / DAY < (week + 1) * 7]
        silent = sum(episode.precursor_start is None for episode in ours) / len(ours)
        assert len(ours) == pytest.approx(expected, rel=0.25), f"week {week}"
        assert 0.38 < silent < 0.58, f"week {week}"
    assert 0.44 < sum(episode.precursor_start is None for episode in started) / len(started) < 0.52


def test_a_repair_ends_an_episode_within_the_scenarios_time() -> None:
    rates = FaultRates(on=True, scale=100, repair_days=(0.1, 0.2), reboots_per_year=0.0)
    truth = labels(fleet_of(300, rates), seed=3, start=START, days=1)
    boards = truth.filter(pl.col("kind") == "hashboard_lost")
    days = (boards["end"] - boards["start"]).dt.total_milliseconds() / 86_400_000
    assert boards.height > 3
    assert days.is_between(0.0999, 0.2001).all()


def test_switching_one_kind_off_leaves_the_others_where_they_were() -> None:
    rates = FaultRates(on=True, scale=50)
    scenario = fleet_of(200, rates)
    everything = labels(scenario, seed=3, start=START, days=0.5)
    less = tuple(family for family in PUBLIC if family.kind != "spontaneous_reboot")
    without = labels(scenario, seed=3, start=START, days=0.5, families=less)
    kinds = ["network_lost", "hung_firmware", "pool_rejects", "dust"]
    compared = ["miner_id", "kind", "start", "end"]
    first, second = (
        world.filter(pl.col("kind").is_in(kinds)).select(compared).sort(compared) for world in (everything, without)
    )
    assert first.height > 0
    assert first.equals(second)


def test_after_a_curtailment_some_machines_do_not_start_again() -> None:
    scenario = from_library("curtailment").resized(600)
    truth = labels(replace(scenario, rates=FaultRates()), seed=3, start=START, days=1.3)
    (stop,) = truth.filter(pl.col("kind") == "curtailment").rows(named=True)
    failed = truth.filter(pl.col("kind") == "failed_restart")
    assert 2 <= failed.height <= 24  # 2 % of 400
    assert (failed["start"] >= stop["end"]).all()
    assert set(failed["miner_id"]) <= set(stop["members"])
