"""Rules that are read off one sample: just under, at and over their thresholds, through a whole cycle."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import DataState, ExpectedState, Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config, LifecycleConfig, thresholds_for
from hashinsight.problems.frame import TextColumn
from hashinsight.problems.temperature_limits import LimitLayers
from hashinsight.telemetry.states import SampleFlags as Said
from tests.problems.fleet import Fleet, readings_of, same
from tests.telemetry.decoded_samples import decode_sample

FINE, HIT, UNKNOWN = RuleVerdict.FINE, RuleVerdict.HIT, RuleVerdict.UNKNOWN


THRESHOLDS: list[tuple[Issue, dict[str, float], RuleVerdict]] = [
    (Issue.OVERHEAT_CRIT, {"temp_max_c": 94.9}, FINE),
    (Issue.OVERHEAT_CRIT, {"temp_max_c": 95.0}, HIT),
    (Issue.OVERHEAT_CRIT, {"temp_max_c": 95.1}, HIT),
    (Issue.OVERHEAT_WARN, {"temp_max_c": 87.9}, FINE),
    (Issue.OVERHEAT_WARN, {"temp_max_c": 88.0}, HIT),
    (Issue.OVERHEAT_WARN, {"temp_max_c": 94.9}, HIT),
    (Issue.OVERHEAT_WARN, {"temp_max_c": 95.0}, FINE),
    (Issue.HASHRATE_ZERO, {"hashrate_ths": 1.05}, FINE),
    (Issue.HASHRATE_ZERO, {"hashrate_ths": 1.04}, HIT),
    (Issue.HASHRATE_ZERO, {"hashrate_ths": 0.0}, HIT),
    (Issue.BOARDS_DEAD, {"boards_healthy": 2.0}, FINE),
    (Issue.BOARDS_DEAD, {"boards_healthy": 2.0, "boards_total": 4.0}, HIT),
    (Issue.BOARDS_DEAD, {"boards_healthy": 1.0}, HIT),
    (Issue.FAN_ZERO, {"fan_min_rpm": 1.0}, FINE),
    (Issue.FAN_ZERO, {"fan_min_rpm": 0.0}, HIT),
    (Issue.FAN_ZERO, {"fan_min_rpm": -1.0}, UNKNOWN),
    (Issue.FAN_ZERO, {"fan_min_rpm": 0.0, "is_air": 0.0}, UNKNOWN),
    (Issue.SENSOR_FAULT, {"temp_max_c": 1.0}, FINE),
    (Issue.SENSOR_FAULT, {"temp_max_c": 0.0}, HIT),
    (Issue.SENSOR_FAULT, {"temp_max_c": 254.0}, FINE),
    (Issue.SENSOR_FAULT, {"temp_max_c": 255.0}, HIT),
    (Issue.SENSOR_FAULT, {"fan_min_rpm": -1.0}, HIT),
    (Issue.DATA_IMPLAUSIBLE, {"hashrate_ths": 207.0}, FINE),
    (Issue.DATA_IMPLAUSIBLE, {"hashrate_ths": 209.0}, HIT),
    (Issue.OVERHEAT_CRIT, {"temp_max_c": 255.0}, UNKNOWN),
    (Issue.OFFLINE, {}, FINE),
    (Issue.OFFLINE, {"status": 0.0}, HIT),
]


@pytest.mark.parametrize(("issue", "readings", "says"), THRESHOLDS)
def test_a_rule_hits_from_its_threshold_on(issue: Issue, readings: dict[str, float], says: RuleVerdict) -> None:
    fleet = Fleet()
    others = {"is_air": np.ones(fleet.n)} if "is_air" in readings else {}
    fleet.columns |= others
    fleet.cycle(readings_of(0, **readings))
    assert fleet.say_of(issue) is says
    if issue is not Issue.SENSOR_FAULT:
        assert fleet.say_of(issue, machine=1) is FINE


def test_one_blind_sensor_blinds_no_other() -> None:
    """As ingest settles it: what was no reading is a flag, and the columns are those of the other sensors."""
    fleet = Fleet()
    fleet.warm_up()

    def partly_blind(readings: dict[str, Any]) -> None:
        readings["flags"] = np.zeros(fleet.n)
        readings_of(0, flags=float(Said.TEMPERATURE_SENTINEL), temp_max_c=99.0, temp_c=92.0)(readings)
        readings_of(1, flags=float(Said.FAN_SENTINEL), fan_min_rpm=0.0)(readings)
        readings_of(
            2, flags=float(Said.TEMPERATURE_SENTINEL | Said.FAN_SENTINEL), temp_max_c=np.nan, fan_min_rpm=np.nan
        )(readings)

    fleet.cycle(partly_blind, times=2)
    assert fleet.problems(0) == {"overheat_crit", "sensor_fault"}
    assert fleet.problems(1) == {"fan_zero", "sensor_fault"}
    assert fleet.problems(2) == {"sensor_fault"}
    for issue in (Issue.OVERHEAT_CRIT, Issue.OVERHEAT_WARN, Issue.FAN_ZERO):
        assert fleet.say_of(issue, 2) is UNKNOWN


@pytest.mark.parametrize(
    ("temp_avg", "temp_max", "fan"),
    [(92.0, 99.0, 4500.0), (123.0, 255.0, 4500.0), (0.0, 99.0, 4500.0), (0.0, 0.0, -1.0), (58.0, 62.0, 0.0)],
)
def test_sensors_mean_the_same_in_a_file_and_in_the_live_layer(temp_avg: float, temp_max: float, fan: float) -> None:
    """A file hands over what was said; ingest takes out what is no reading, and flags it."""
    settled = decode_sample({"temp_avg": temp_avg, "temp_max": temp_max, "fan_speeds": [fan], "hashrate_ths": 104.0})
    live = {name: float(settled.number(name)[0]) for name in ("temp_c", "temp_max_c", "fan_min_rpm")}
    text = {"temp_c": temp_avg, "temp_max_c": temp_max, "fan_min_rpm": fan}
    file, stored = Fleet(), Fleet()
    for fleet, readings in ((file, text), (stored, live | {"flags": float(settled.flags[0])})):
        fleet.columns["flags"] = np.zeros(fleet.n)
        fleet.cycle(readings_of(0, **readings))
    assert file.last is not None
    assert stored.last is not None
    np.testing.assert_array_equal(file.last.verdict, stored.last.verdict)
    for name in ("temp_max", "fan_speed_min", "temp_fault", "fan_fault"):
        np.testing.assert_array_equal(
            getattr(file.last.observed.features, name), getattr(stored.last.observed.features, name)
        )


def test_limits_follow_the_model_and_what_its_sensor_measures() -> None:
    fleet = Fleet(n=3)
    fleet.columns["model"] = TextColumn(("Antminer S21", "Antminer S19"), np.array([0, 1, 1]))
    fleet.columns["firmware"] = TextColumn(("stock", "LuxOS 2024"), np.array([0, 0, 1]))
    fleet.cycle(lambda readings: readings["temp_max_c"].fill(96.0))
    assert [fleet.say_of(Issue.OVERHEAT_CRIT, number) for number in range(3)] == [FINE, HIT, HIT]
    fleet.cycle(lambda readings: readings["temp_max_c"].fill(71.0))
    assert [fleet.say_of(Issue.OVERHEAT_CRIT, number) for number in range(3)] == [FINE, FINE, HIT]


def test_machines_in_fluid_are_warned_of_sooner_and_are_no_peers_of_those_in_air() -> None:
    fleet = Fleet(n=12)
    fleet.columns["is_air"] = (np.arange(12) >= 6).astype(np.float64)

    def warm(readings: dict[str, Any]) -> None:
        for name in ("temp_c", "temp_max_c"):
            readings[name] = np.where(
                readings["is_air"] == 1, readings[name], readings[name] - 20
            )  # oil does not know the weather
        readings_of(0, temp_max_c=83.0)(readings)
        readings_of(6, temp_max_c=83.0)(readings)

    result = fleet.cycle(warm, times=10)
    assert [fleet.say_of(Issue.OVERHEAT_WARN, each) for each in (0, 1, 6)] == [HIT, FINE, FINE]
    assert result.observed.limits["overheat_crit_c"][0] == result.observed.limits["overheat_crit_c"][6]

    def hotter_outside(readings: dict[str, Any]) -> None:
        warm(readings)
        readings["temp_max_c"] = readings["temp_max_c"] + 8 * readings["is_air"]

    fleet.cycle(hotter_outside)
    common = fleet.state["reference"][Metric.TEMP_MAX]
    assert np.abs(common[1:6]).max() < 2, "told from its own kind"
    assert common[7:].min() > 6
    layers = LimitLayers(sensors={"fluid": {"overheat_warn_c": 88.0}})
    fleet.config = replace(fleet.config, layers=layers)
    fleet.cycle(warm)
    assert fleet.say_of(Issue.OVERHEAT_WARN, 0) is FINE


def test_an_operators_general_limits_hold_in_fluid_too_and_it_is_warned_of_sooner() -> None:
    layers = LimitLayers(tenant={"overheat_warn_c": 70.0, "overheat_crit_c": 80.0})
    air, fluid = (
        thresholds_for(layers, site=None, model="nobody's", firmware=None, fluid=fluid) for fluid in (False, True)
    )
    assert (air["overheat_warn_c"], air["overheat_crit_c"]) == (70.0, 80.0)
    assert (fluid["overheat_warn_c"], fluid["overheat_crit_c"]) == (65.0, 80.0)


def test_an_operators_own_limit_for_a_firmware_goes_before_the_catalogue() -> None:
    layers = LimitLayers(tenant={"overheat_crit_c": 60.0}, firmwares={"stock 1.0": {"overheat_crit_c": 98.0}})
    fleet = Fleet(config=Config(interval_sec=300.0, layers=layers))
    fleet.cycle(readings_of(0, temp_max_c=97.0))
    assert fleet.say_of(Issue.OVERHEAT_CRIT) is FINE
    fleet.cycle(readings_of(0, temp_max_c=98.0))
    assert fleet.say_of(Issue.OVERHEAT_CRIT) is HIT


def test_a_machine_that_boots_has_ten_minutes_to_hash() -> None:
    fleet = Fleet()
    fleet.warm_up()
    fleet.cycle(readings_of(0, hashrate_ths=0.0, uptime_sec=200.0))
    assert fleet.say_of(Issue.HASHRATE_ZERO) is UNKNOWN
    fleet.cycle(readings_of(0, hashrate_ths=0.0, uptime_sec=620.0))
    assert fleet.say_of(Issue.HASHRATE_ZERO) is HIT


def test_a_pool_that_is_not_on_the_list_is_wrong_and_without_a_list_none_is() -> None:
    fleet = Fleet(n=4)
    pools = ("stratum+tcp://eu.good.example:3333", "stratum+tcp://evil.example:3333", "good.example")
    fleet.columns["pool"] = TextColumn(pools, np.array([0, 1, 2, -1]))
    fleet.cycle()
    assert [fleet.say_of(Issue.WRONG_POOL, number) for number in range(4)] == [UNKNOWN] * 4
    fleet.config = replace(fleet.config, allowed_pools=("*.good.example", "good.example"))
    fleet.cycle()
    assert [fleet.say_of(Issue.WRONG_POOL, number) for number in range(4)] == [FINE, HIT, FINE, UNKNOWN]


def test_a_worker_is_judged_by_its_account_even_without_a_pool() -> None:
    fleet = Fleet(n=8)
    workers = ("farm", "farm.9", "farms.9", "thief.9", "bc1q.rig.1", "bc1q.rig2", "bc1q")
    fleet.columns["worker"] = TextColumn(workers, np.array([0, 1, 2, 3, 4, 5, 6, -1]))
    fleet.config = replace(fleet.config, allowed_workers=("farm", "bc1q.rig"))
    fleet.cycle()
    says = [FINE, FINE, HIT, HIT, FINE, HIT, HIT, UNKNOWN]
    assert [fleet.say_of(Issue.WRONG_POOL, number) for number in range(8)] == says
    # a list of pools says nothing of workers, and one of workers nothing of pools
    fleet.columns["pool"] = TextColumn(("stratum+tcp://good.example:3333",), np.zeros(8, dtype=np.int64))
    fleet.cycle()
    assert fleet.say_of(Issue.WRONG_POOL, 7) is UNKNOWN
    fleet.config = replace(fleet.config, allowed_workers=(), allowed_pools=("good.example",))
    fleet.cycle()
    assert [fleet.say_of(Issue.WRONG_POOL, number) for number in range(8)] == [FINE] * 8


@pytest.mark.parametrize(("pool", "verdict"), [("eu.pool.com:3333", FINE), ("eu.pool.com:25", HIT), ("pool.com", HIT)])
def test_a_wildcard_with_a_port_allows_that_port_only(pool: str, verdict: RuleVerdict) -> None:
    fleet = Fleet(n=2, config=Config(interval_sec=300.0, allowed_pools=("*.pool.com:3333",)))
    fleet.columns["pool"] = same(f"stratum+tcp://{pool}", 2)
    fleet.cycle()
    assert fleet.say_of(Issue.WRONG_POOL) is verdict


def test_a_worker_per_machine_against_a_long_list_takes_no_longer_than_a_few_lookups_each() -> None:
    n = 20_000
    fleet = Fleet(n=n)
    fleet.columns["worker"] = TextColumn(tuple(f"farm{number % 7}.{number}" for number in range(n)), np.arange(n))
    fleet.cycle()
    listed = ("farm1", *(f"other.{number}" for number in range(999)))
    fleet.config = replace(fleet.config, allowed_workers=listed)
    began = time.process_time()
    verdict = fleet.cycle().verdict[Issue.WRONG_POOL]
    assert time.process_time() - began < 2.0
    assert (verdict == FINE).sum() == len(range(1, n, 7))


@pytest.mark.parametrize(
    ("age", "status", "state"),
    [
        (180.0, 1.0, DataState.FRESH),
        (181.0, 1.0, DataState.STALE),
        (299.0, 1.0, DataState.STALE),
        (300.0, 1.0, DataState.OFFLINE),
        (20.0, 0.0, DataState.OFFLINE),
    ],
)
def test_ages_of_three_and_five_intervals_part_fresh_stale_and_offline(
    age: float, status: float, state: DataState
) -> None:
    fleet = Fleet(config=Config(interval_sec=60.0))
    result = fleet.cycle(readings_of(0, ts=fleet.now + 300 - age, status=status))
    assert result.observed.data.state[0] == state
    assert result.observed.data.state[1] == DataState.FRESH


def test_machines_of_a_silent_collector_and_machines_never_seen_are_unknown() -> None:
    fleet = Fleet(config=Config(interval_sec=60.0))

    def silent(readings: dict[str, Any]) -> None:
        for name in ("ts", "heard_at"):
            readings[name].fill(fleet.now - 400)

    result = fleet.cycle(silent)
    assert (result.observed.data.state == DataState.UNKNOWN).all()
    assert result.rules[Issue.COLLECTOR_DOWN].hit.tolist() == [True]
    result = fleet.cycle(readings_of(0, ts=np.nan))
    assert result.observed.data.state[0] == DataState.UNKNOWN
    assert result.rules[Issue.COLLECTOR_DOWN].hit.tolist() == [False]


def test_a_collector_that_has_just_fallen_silent_takes_no_machine_with_it() -> None:
    """What it brought last was read a minute before: that is five intervals old before the collector itself is."""
    fleet = Fleet(config=Config(interval_sec=60.0, life=LifecycleConfig(debounce_p0=1)))
    fleet.warm_up()

    def dying(readings: dict[str, Any]) -> None:
        readings["ts"].fill(fleet.now - 310)
        readings["heard_at"].fill(fleet.now - 250)

    result = fleet.cycle(dying)
    assert (result.observed.data.state == DataState.UNKNOWN).all()
    assert result.rules[Issue.COLLECTOR_DOWN].hit.tolist() == [False]
    assert fleet.everything_open() == set()
    fleet.cycle(readings_of(0, ts=fleet.now - 10))  # the others report: this one is gone
    assert fleet.everything_open() == {(0, "offline")}


def test_the_same_sample_is_never_judged_twice() -> None:
    fleet = Fleet()
    stuck = fleet.now + 290.0
    wrong = readings_of(0, ts=stuck, temp_max_c=99.0, hashrate_ths=900.0)
    fleet.cycle(wrong)
    assert (fleet.say_of(Issue.OVERHEAT_CRIT), fleet.say_of(Issue.DATA_IMPLAUSIBLE)) == (HIT, HIT)
    fleet.cycle(wrong)
    assert (fleet.say_of(Issue.OVERHEAT_CRIT), fleet.say_of(Issue.DATA_IMPLAUSIBLE)) == (UNKNOWN, UNKNOWN)
    assert fleet.problems(0) == set()


def test_an_expected_stop_excuses_until_its_deadline_and_heat_is_never_excused() -> None:
    fleet = Fleet()
    fleet.warm_up()
    deadline = fleet.now + 900.0
    stop = readings_of(
        0, hashrate_ths=0.0, fan_min_rpm=0.0, expected=float(ExpectedState.STOPPED), expected_until=deadline
    )
    hot = readings_of(1, temp_c=95.0, temp_max_c=99.0, expected=float(ExpectedState.STOPPED), expected_until=deadline)

    def stop_both(columns: dict[str, object]) -> None:
        columns["expected"], columns["expected_until"] = np.zeros(fleet.n), np.full(fleet.n, np.inf)
        stop(columns)
        hot(columns)

    fleet.cycle(stop_both, times=2)
    assert fleet.problems(0) == set()
    assert fleet.problems(1) == {"overheat_crit"}
    fleet.cycle(stop_both, times=2)
    assert fleet.problems(0) == {"hashrate_zero", "fan_zero"}


def test_three_boots_within_six_hours_are_a_loop_and_older_ones_do_not_count() -> None:
    fleet = Fleet()
    fleet.warm_up()
    boot = readings_of(0, uptime_sec=20.0)
    fleet.cycle(boot, times=2)
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION) is UNKNOWN
    fleet.cycle(boot)
    assert fleet.say_of(Issue.HASHRATE_DEGRADATION) is HIT
    apart = Fleet()
    apart.warm_up()
    uptime = 0.0
    for number in range(1, 6 * 36):  # one boot in three hours and five minutes: never three within six
        uptime = 20.0 if number % 37 == 0 else uptime + 300
        apart.cycle(readings_of(0, uptime_sec=uptime))
        assert apart.say_of(Issue.HASHRATE_DEGRADATION) is not HIT
    assert apart.last is not None
    assert apart.last.observed.features.boots[0] == 2
