"""Each rule is driven to a hit by each of its ways, and its evidence says so: what passed, its limit, in one unit."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hashinsight.problems.codes import Issue, Metric, RuleVerdict
from hashinsight.problems.config import Config
from hashinsight.problems.evidence import collector_evidence, rule_evidence
from hashinsight.problems.frame import TextColumn
from hashinsight.problems.health_rules import RULES
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.ways import told_of as ways_of
from hashinsight.telemetry.states import SampleFlags as Said
from tests.problems.fleet import NOON, Change, Fleet, both, late, readings_of, slower

Drive = Callable[[Fleet], CycleResult]


def agrees(told: dict[str, Any]) -> bool:
    """The number that is named lies on the side of its threshold that is named."""
    value, threshold = told[told["metric"]], told["threshold"]
    if told["side"] is None:
        return threshold is None
    if value is None:  # ingest has taken the reading out
        return bool(told["way"] == "fan_sentinel")
    return bool(value >= threshold - 1e-6 if told["side"] == "above" else value <= threshold + 1e-6)


def read_evidence(found: CycleResult, row: int, issue: Issue) -> dict[str, Any]:
    (text,) = rule_evidence(found, np.array([row]), issue)
    told: dict[str, Any] = json.loads(text)
    return told


def by(change: Change, *, times: int = 1) -> Drive:
    def drive(yard: Fleet) -> CycleResult:
        yard.warm_up()
        return yard.cycle(change, times=times)

    return drive


def since_its_first_days(metric: Metric, from_anchor: float, change: Change | None = None) -> Drive:
    """By and by: the baseline has followed, the anchor has not."""

    def drive(yard: Fleet) -> CycleResult:
        yard.warm_up()
        yard.state["anchor"][metric, 0] = yard.state["ewma"][metric, 0] - from_anchor
        for name in ("cusum_up", "cusum_down"):
            yard.state[name][metric, 0] = 15.0
        return yard.cycle(change)

    return drive


def more(name: str, each: float) -> Change:
    """A counter of the first machine grows by so much more a cycle."""

    def change(told: dict[str, Any]) -> None:
        told[name][0] += each * (told["ts"][0] - NOON) / 300

    return change


def fans(rpm: float) -> Change:
    def change(told: dict[str, Any]) -> None:
        told["fan_min_rpm"][0] += rpm

    return change


def one_fan_slows(yard: Fleet) -> CycleResult:
    """One of four, by 2,200 rpm, and the others turn faster for it."""
    yard.cycle(times=144)  # 2 °C are beyond chance only against a past that has settled

    def slow(told: dict[str, Any]) -> None:
        told["fan_min_rpm"][0] -= 2000
        told["fan_rpm"][0] -= 350
        told["temp_max_c"][0] += 2.5

    return yard.cycle(slow, times=10)


def reboots(yard: Fleet) -> CycleResult:
    yard.warm_up()
    for cycle in range(4):
        yard.cycle(readings_of(0, uptime_sec=60.0 * (cycle % 2 + 1)))
    assert yard.last is not None
    return yard.last


def falls(yard: Fleet) -> CycleResult:
    yard.warm_up()
    yard.state["slope"][0], yard.state["slope_hours"][0] = -0.2, 20.0
    return yard.cycle()


def allow(words: dict[str, Any], **texts: str) -> Drive:
    def drive(yard: Fleet) -> CycleResult:
        yard.config = replace(yard.config, **words)
        for name, word in texts.items():
            yard.columns[name] = TextColumn((word, "good.example"), np.array([0] + [1] * (yard.n - 1)))
        return yard.cycle()

    return drive


def still(yard: Fleet) -> CycleResult:
    same = {"hashrate_ths": 104.0, "temp_c": 58.0, "power_w": 3050.0, "uptime_sec": 9e5}
    return yard.cycle(readings_of(0, **same), times=4)


def boards(told: dict[str, Any]) -> None:
    told["board_ths"] = np.stack([told["hashrate_ths"] / 3] * 3)
    told["board_ths"][:, 0] *= 0.7


def by_a_silent_board(yard: Fleet) -> CycleResult:
    """Nobody knows what it should hash; the machine says that two of three boards work, and one does nothing."""

    def change(told: dict[str, Any]) -> None:
        for name in ("expected_ths", "model"):
            del told[name]
        told["boards_healthy"][0] = 2.0
        told["board_ths"] = np.stack([told["hashrate_ths"] / 3] * 3)
        told["board_ths"][:, 0] = told["hashrate_ths"][0] * np.array([0.0, 0.5, 0.5])

    return yard.cycle(change)


def cooked(told: dict[str, Any]) -> None:
    told["power_w"][0] *= 1.3


CASES: list[tuple[Issue, str, Drive]] = [
    (Issue.OVERHEAT_CRIT, "limit", by(readings_of(0, temp_max_c=97.0))),
    (Issue.OVERHEAT_WARN, "limit", by(readings_of(0, temp_max_c=89.0))),
    (Issue.OFFLINE, "says_offline", by(readings_of(0, status=0.0))),
    (Issue.OFFLINE, "no_samples", by(late([0]), times=2)),
    (Issue.HASHRATE_ZERO, "limit", by(readings_of(0, hashrate_ths=0.5))),
    (Issue.BOARDS_DEAD, "limit", by(readings_of(0, boards_healthy=1.0))),
    (Issue.BOARD_LOST, "hashrate_down", by(both(readings_of(0, boards_healthy=2.0), slower(0, 1 / 3)))),
    (Issue.BOARD_LOST, "board_silent", by_a_silent_board),
    (Issue.FAN_ZERO, "limit", by(readings_of(0, fan_min_rpm=0.0))),
    (Issue.HASHRATE_DEGRADATION, "own_past", by(slower(0, 0.2), times=5)),
    (Issue.HASHRATE_DEGRADATION, "first_days", since_its_first_days(Metric.HASHRATE_RATIO, -0.08)),
    (Issue.HASHRATE_DEGRADATION, "reboots", reboots),
    (Issue.EFFICIENCY_DEGRADATION, "own_past", by(cooked, times=6)),
    (Issue.EFFICIENCY_DEGRADATION, "first_days", since_its_first_days(Metric.EFFICIENCY, 3.0)),
    (Issue.TEMP_ANOMALY, "own_past", by(readings_of(0, temp_c=70.0, temp_max_c=74.0), times=8)),
    (Issue.TEMP_ANOMALY, "first_days", since_its_first_days(Metric.TEMP_MAX, 6.0)),
    (Issue.TEMP_ANOMALY, "own_past_at_equal_fans", by(fans(4000), times=8)),
    (Issue.TEMP_ANOMALY, "first_days_at_equal_fans", since_its_first_days(Metric.TEMP_LOAD, 6.0)),
    (Issue.TEMP_ANOMALY, "fan_behind_others", one_fan_slows),
    (Issue.TREND_ANOMALY, "slope", falls),
    (Issue.REJECT_RATE_HIGH, "rate", by(more("rejected", 30.0), times=14)),
    (Issue.HW_ERROR_RATE_HIGH, "rate", by(more("hw_errors", 40.0), times=14)),
    (Issue.WRONG_POOL, "pool", allow({"allowed_pools": ("good.example",)}, pool="evil.example", worker="thief.1")),
    (Issue.WRONG_POOL, "worker", allow({"allowed_workers": ("good.example",)}, pool="x.example", worker="thief.1")),
    (Issue.SENSOR_FAULT, "temp_sentinel", by(readings_of(0, temp_max_c=255.0))),
    (Issue.SENSOR_FAULT, "temp_sentinel", by(readings_of(0, flags=float(Said.TEMPERATURE_SENTINEL)))),
    (Issue.SENSOR_FAULT, "fan_sentinel", by(readings_of(0, fan_min_rpm=-1.0))),
    (Issue.SENSOR_FAULT, "temp_spread", by(readings_of(0, temp_max_c=79.0))),
    (Issue.DATA_IMPLAUSIBLE, "hashrate_too_high", by(readings_of(0, hashrate_ths=300.0))),
    (
        Issue.DATA_IMPLAUSIBLE,
        "hashrate_refused",
        by(readings_of(0, hashrate_ths=np.nan, flags=float(Said.IMPLAUSIBLE))),
    ),
    (Issue.DATA_IMPLAUSIBLE, "boards_contradict", by(boards)),
    (Issue.DATA_IMPLAUSIBLE, "stands_still", still),
    (Issue.FLEET_OUTLIER, "hashrate", by(slower(0, 0.3))),
    (Issue.FLEET_OUTLIER, "temperature", by(readings_of(0, temp_c=75.0, temp_max_c=79.0))),
    (Issue.FLEET_OUTLIER, "efficiency", by(cooked)),
    (Issue.BOARDS_DEGRADING, "own_past", by(readings_of(0, boards_healthy=2.0))),
]


@pytest.mark.parametrize(("issue", "way", "drive"), CASES, ids=[f"{issue.code}-{way}" for issue, way, _ in CASES])
def test_the_evidence_names_the_way_by_which_a_rule_hit(issue: Issue, way: str, drive: Drive) -> None:
    yard = Fleet(n=40 if issue is Issue.FLEET_OUTLIER else 12)
    yard.columns["flags"] = np.zeros(yard.n)
    found = drive(yard)
    assert yard.say_of(issue) is RuleVerdict.HIT
    told = read_evidence(found, 0, issue)
    assert told["way"] == way
    assert agrees(told), told
    assert {"rule_code", "description", "threshold", "evaluated_at", "held", "left_out", told["metric"]} <= set(told)
    assert way in told.get("ways", [way])


def test_a_slow_fan_is_told_against_the_others_and_held_by_less() -> None:
    yard = Fleet(n=12)
    found = one_fan_slows(yard)
    assert yard.problems(0) == {"temp_anomaly"}
    told, frame = read_evidence(found, 0, Issue.TEMP_ANOMALY), found.seen.frame
    assert told["fan_speed_min"] == pytest.approx(frame.fan_min_rpm[0])
    assert told["fan_speed_avg"] == pytest.approx(frame.fan_rpm[0])
    assert (told["held"], told["threshold"]) == (True, pytest.approx(frame.fan_rpm[0] - 0.7 * 1000))
    assert told["temp_max"] == pytest.approx(frame.temp_max_c[0])


def all_fans(who: slice, rpm: float, by_c: float) -> Change:
    def change(told: dict[str, Any]) -> None:
        told["fan_min_rpm"][who] += rpm
        told["fan_rpm"][who] += rpm
        told["temp_max_c"][who] += by_c

    return change


@pytest.mark.parametrize(
    ("usual", "then"),
    [
        (both(all_fans(slice(1, None), -800, 0), all_fans(slice(1), 1200, 2)),
         both(all_fans(slice(1, None), 1500, 6), all_fans(slice(1), 1550, 10.5))),
        (both(), all_fans(slice(16, None), 2200, -3)),
        (both(), all_fans(slice(1), -1900, 2.5)),
    ],
    ids=["a hot spot on the first hot day", "most were told to turn faster", "one was told to turn slower"],
)  # fmt: skip
def test_fans_that_all_turn_otherwise_are_no_slow_fan(usual: Change, then: Change) -> None:
    yard = Fleet(n=40)
    yard.cycle(usual, times=144)
    yard.cycle(then, times=24)
    assert yard.everything_open() == set()


def test_every_way_of_every_rule_is_driven_here() -> None:
    driven = {(issue, way) for issue, way, _ in CASES} | {
        (Issue.COLLECTOR_DOWN, one) for one in ("silent", "no_samples")
    }
    assert driven == {(rule.issue, way.name) for rule in RULES for way in rule.ways}


def test_whatever_happens_value_threshold_and_verdict_never_contradict_each_other() -> None:
    """Forty machines that are cooked, slowed, stopped and rebooted at random, coming back in between."""
    rng = np.random.default_rng(7)
    yard = Fleet(n=40, config=Config(interval_sec=300.0))
    yard.warm_up()
    everyone = np.arange(yard.n)
    ill: dict[str, Any] = {"hashrate_ths": 0.8, "power_w": 1.25, "temp_max_c": 1.3, "temp_c": 1.2, "fan_min_rpm": 1.5}
    explained = 0
    for _ in range(6):
        names = rng.choice(list(ill), size=yard.n)
        part = rng.uniform(0.0, 1.3, size=yard.n) * (rng.random(yard.n) < 0.6)

        def change(told: dict[str, Any], names: Any = names, part: Any = part) -> None:
            for name, factor in ill.items():
                told[name] = told[name] * np.where(names == name, 1 + (factor - 1) * part, 1.0)
            told["rejected"] = told["rejected"] + np.where(part > 1.1, told["accepted"] * 0.05, 0.0)
            told["uptime_sec"] = np.where(part > 1.2, 60.0, told["uptime_sec"])

        for _ in range(4):
            found = yard.cycle(change)
            for issue in set(Issue) - {Issue.COLLECTOR_DOWN}:
                said = found.verdict[issue]
                hits = np.flatnonzero(said == RuleVerdict.HIT)
                ways = np.any([one.hit for one in ways_of(found, everyone, issue)], axis=0)
                # one that is not judged has nothing to explain
                assert (ways == (said == RuleVerdict.HIT))[said != RuleVerdict.UNKNOWN].all(), issue
                told = [json.loads(text) for text in rule_evidence(found, hits, issue)] if len(hits) else []
                assert all(agrees(one) for one in told), told
                explained += len(told)
    assert explained > 80


def test_an_open_problem_is_told_with_the_narrower_limit_that_holds_it() -> None:
    yard = Fleet()
    yard.cycle(readings_of(0, temp_max_c=96.0), times=2)
    told = read_evidence(yard.cycle(readings_of(0, temp_max_c=94.0)), 0, Issue.OVERHEAT_CRIT)
    assert (told["temp_max"], told["threshold"], told["held"]) == (94.0, 93.0, True)


def test_what_has_come_back_halfway_is_told_by_the_mean_that_still_hits() -> None:
    yard = Fleet()
    yard.warm_up()
    yard.cycle(slower(0, 0.2), times=8)
    found = yard.cycle(readings_of(0, hashrate_ths=104 * 0.988))
    told = read_evidence(found, 0, Issue.HASHRATE_DEGRADATION)
    assert (told["measured"], told["way"]) == ("half_hour_mean", "own_past")
    assert told["hashrate_ratio"] < told["threshold"] < told["baseline"]["value"]


def test_hardware_errors_and_their_limit_are_told_by_th_s_and_as_they_are_counted() -> None:
    found = by(more("hw_errors", 40.0), times=14)(yard := Fleet())
    told = read_evidence(found, 0, Issue.HW_ERROR_RATE_HIGH)
    assert told["threshold"] * 104 == pytest.approx(12.0 * 0.7, abs=0.01)  # held: it is open by now
    assert told["hw_errors_per_hour"] == pytest.approx(told["hw_error_rate"] * 104, rel=1e-4)
    assert yard.problems(0) == {"hw_error_rate_high"}


def test_two_ways_at_once_are_both_named_and_the_first_has_its_numbers() -> None:
    found = by(both(readings_of(0, temp_max_c=255.0), readings_of(0, fan_min_rpm=-1.0)))(Fleet())
    told = read_evidence(found, 0, Issue.SENSOR_FAULT)
    assert (told["way"], told["ways"]) == ("temp_sentinel", ["temp_sentinel", "fan_sentinel"])


def test_a_silent_collector_is_told_by_how_long() -> None:
    (text,) = collector_evidence(NOON, np.array([NOON - 612.0]), np.array([NOON - 700.0]), silent_sec=300.0)
    told = json.loads(text)
    assert (told["metric"], told["silent_sec"], told["threshold"]) == ("silent_sec", 612.0, 300.0)
    assert agrees(told)


def test_a_collector_that_is_heard_but_brings_nothing_is_told_by_the_age_of_its_newest_sample() -> None:
    (text,) = collector_evidence(NOON, np.array([NOON - 5.0]), np.array([NOON - 420.0]), silent_sec=300.0)
    told = json.loads(text)
    assert (told["way"], told["metric"], told["sample_age_sec"], told["threshold"]) == (
        *("no_samples", "sample_age_sec", 420.0, 300.0),
    )
    assert agrees(told)
