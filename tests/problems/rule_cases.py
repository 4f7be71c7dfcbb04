"""Fleets in which each rule hits by each of its criteria, and how to read the evidence."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from hashinsight.problems.codes import Issue, Metric
from hashinsight.problems.evidence import rule_evidence
from hashinsight.problems.frame import TextColumn
from hashinsight.problems.pipeline import CycleResult
from hashinsight.telemetry.states import SampleFlags
from tests.problems.fleet import NOON, Change, Fleet, both, late, readings_of, slower

Drive = Callable[[Fleet], CycleResult]


def is_consistent(evidence: dict[str, Any]) -> bool:
    """The value is on the side of its threshold that the evidence names."""
    value, threshold = evidence[evidence["metric"]], evidence["threshold"]
    if evidence["side"] is None:
        return threshold is None
    if value is None:  # ingest has removed the reading
        return bool(evidence["way"] == "fan_sentinel")
    return bool(value >= threshold - 1e-6 if evidence["side"] == "above" else value <= threshold + 1e-6)


def read_evidence(result: CycleResult, row: int, issue: Issue) -> dict[str, Any]:
    """Of a machine; of `collector_down`, of a collector."""
    (text,) = rule_evidence(result, np.array([row]), issue)
    evidence: dict[str, Any] = json.loads(text)
    return evidence


def after_warm_up(change: Change, *, times: int = 1) -> Drive:
    def drive(fleet: Fleet) -> CycleResult:
        fleet.warm_up()
        return fleet.cycle(change, times=times)

    return drive


def drifted_from_first_days(metric: Metric, from_anchor: float, change: Change | None = None) -> Drive:
    """By and by: the baseline has followed, the anchor has not."""

    def drive(fleet: Fleet) -> CycleResult:
        fleet.warm_up()
        fleet.state["anchor"][metric, 0] = fleet.state["ewma"][metric, 0] - from_anchor
        for name in ("cusum_up", "cusum_down"):
            fleet.state[name][metric, 0] = 15.0
        return fleet.cycle(change)

    return drive


def extra_counts(name: str, each: float) -> Change:
    """A counter of the first machine grows by so much more a cycle."""

    def change(readings: dict[str, Any]) -> None:
        readings[name][0] += each * (readings["ts"][0] - NOON) / 300

    return change


def faster_fan(rpm: float) -> Change:
    def change(readings: dict[str, Any]) -> None:
        readings["fan_min_rpm"][0] += rpm

    return change


def one_slow_fan(fleet: Fleet) -> CycleResult:
    """One of four, by 2,200 rpm, and the others turn faster for it."""
    fleet.cycle(times=144)  # 2 °C are beyond chance only against a past that has settled

    def slow(readings: dict[str, Any]) -> None:
        readings["fan_min_rpm"][0] -= 2000
        readings["fan_rpm"][0] -= 350
        readings["temp_max_c"][0] += 2.5

    return fleet.cycle(slow, times=10)


def rebooting(fleet: Fleet) -> CycleResult:
    fleet.warm_up()
    for cycle in range(4):
        fleet.cycle(readings_of(0, uptime_sec=60.0 * (cycle % 2 + 1)))
    assert fleet.last is not None
    return fleet.last


def declining(fleet: Fleet) -> CycleResult:
    fleet.warm_up()
    fleet.state["slope"][0], fleet.state["slope_hours"][0] = -0.2, 20.0
    return fleet.cycle()


def with_allow_list(words: dict[str, Any], **texts: str) -> Drive:
    def drive(fleet: Fleet) -> CycleResult:
        fleet.config = replace(fleet.config, **words)
        for name, word in texts.items():
            fleet.columns[name] = TextColumn((word, "good.example"), np.array([0] + [1] * (fleet.n - 1)))
        return fleet.cycle()

    return drive


def frozen(fleet: Fleet) -> CycleResult:
    same = {"hashrate_ths": 104.0, "temp_c": 58.0, "power_w": 3050.0, "uptime_sec": 9e5}
    return fleet.cycle(readings_of(0, **same), times=4)


def contradicting_boards(readings: dict[str, Any]) -> None:
    readings["board_ths"] = np.stack([readings["hashrate_ths"] / 3] * 3)
    readings["board_ths"][:, 0] *= 0.7


def with_silent_board(fleet: Fleet) -> CycleResult:
    """Nobody knows what it should hash; the machine says that two of three boards work, and one does nothing."""

    def change(readings: dict[str, Any]) -> None:
        for name in ("expected_ths", "model"):
            del readings[name]
        readings["boards_healthy"][0] = 2.0
        readings["board_ths"] = np.stack([readings["hashrate_ths"] / 3] * 3)
        readings["board_ths"][:, 0] = readings["hashrate_ths"][0] * np.array([0.0, 0.5, 0.5])

    return fleet.cycle(change)


def silent_collector(fleet: Fleet) -> CycleResult:
    """Nothing from the collector for 612 seconds."""
    fleet.warm_up()

    def change(readings: dict[str, Any]) -> None:
        readings["heard_at"][:] = fleet.now - 612.0
        readings["ts"][:] = fleet.now - 700.0

    fleet.config = replace(fleet.config, interval_sec=60.0)
    return fleet.cycle(change)


def collector_without_samples(fleet: Fleet) -> CycleResult:
    """The collector is up; its newest sample is 420 seconds old."""
    fleet.warm_up()

    def change(readings: dict[str, Any]) -> None:
        readings["ts"][:] = fleet.now - 420.0

    fleet.config = replace(fleet.config, interval_sec=60.0)
    return fleet.cycle(change)


def extra_power(readings: dict[str, Any]) -> None:
    readings["power_w"][0] *= 1.3


CASES: list[tuple[Issue, str, Drive]] = [
    (Issue.OVERHEAT_CRIT, "limit", after_warm_up(readings_of(0, temp_max_c=97.0))),
    (Issue.OVERHEAT_WARN, "limit", after_warm_up(readings_of(0, temp_max_c=89.0))),
    (Issue.OFFLINE, "says_offline", after_warm_up(readings_of(0, status=0.0))),
    (Issue.OFFLINE, "no_samples", after_warm_up(late([0]), times=2)),
    (Issue.HASHRATE_ZERO, "limit", after_warm_up(readings_of(0, hashrate_ths=0.5))),
    (Issue.BOARDS_DEAD, "limit", after_warm_up(readings_of(0, boards_healthy=1.0))),
    (Issue.BOARD_LOST, "hashrate_down", after_warm_up(both(readings_of(0, boards_healthy=2.0), slower(0, 1 / 3)))),
    (Issue.BOARD_LOST, "board_silent", with_silent_board),
    (Issue.FAN_ZERO, "limit", after_warm_up(readings_of(0, fan_min_rpm=0.0))),
    (Issue.HASHRATE_DEGRADATION, "own_past", after_warm_up(slower(0, 0.2), times=5)),
    (Issue.HASHRATE_DEGRADATION, "first_days", drifted_from_first_days(Metric.HASHRATE_RATIO, -0.08)),
    (Issue.HASHRATE_DEGRADATION, "reboots", rebooting),
    (Issue.EFFICIENCY_DEGRADATION, "own_past", after_warm_up(extra_power, times=6)),
    (Issue.EFFICIENCY_DEGRADATION, "first_days", drifted_from_first_days(Metric.EFFICIENCY, 3.0)),
    (Issue.TEMP_ANOMALY, "own_past", after_warm_up(readings_of(0, temp_c=70.0, temp_max_c=74.0), times=8)),
    (Issue.TEMP_ANOMALY, "first_days", drifted_from_first_days(Metric.TEMP_MAX, 6.0)),
    (Issue.TEMP_ANOMALY, "own_past_at_equal_fans", after_warm_up(faster_fan(4000), times=8)),
    (Issue.TEMP_ANOMALY, "first_days_at_equal_fans", drifted_from_first_days(Metric.TEMP_LOAD, 6.0)),
    (Issue.TEMP_ANOMALY, "fan_behind_others", one_slow_fan),
    (Issue.TREND_ANOMALY, "slope", declining),
    (Issue.REJECT_RATE_HIGH, "rate", after_warm_up(extra_counts("rejected", 30.0), times=14)),
    (Issue.HW_ERROR_RATE_HIGH, "rate", after_warm_up(extra_counts("hw_errors", 40.0), times=14)),
    (
        Issue.WRONG_POOL,
        "pool",
        with_allow_list({"allowed_pools": ("good.example",)}, pool="evil.example", worker="thief.1"),
    ),
    (
        Issue.WRONG_POOL,
        "worker",
        with_allow_list({"allowed_workers": ("good.example",)}, pool="x.example", worker="thief.1"),
    ),
    (Issue.SENSOR_FAULT, "temp_sentinel", after_warm_up(readings_of(0, temp_max_c=255.0))),
    (Issue.SENSOR_FAULT, "temp_sentinel", after_warm_up(readings_of(0, flags=float(SampleFlags.TEMPERATURE_SENTINEL)))),
    (Issue.SENSOR_FAULT, "fan_sentinel", after_warm_up(readings_of(0, fan_min_rpm=-1.0))),
    (Issue.SENSOR_FAULT, "temp_spread", after_warm_up(readings_of(0, temp_max_c=79.0))),
    (Issue.DATA_IMPLAUSIBLE, "hashrate_too_high", after_warm_up(readings_of(0, hashrate_ths=300.0))),
    (
        Issue.DATA_IMPLAUSIBLE,
        "hashrate_refused",
        after_warm_up(readings_of(0, hashrate_ths=np.nan, flags=float(SampleFlags.IMPLAUSIBLE))),
    ),
    (Issue.DATA_IMPLAUSIBLE, "boards_contradict", after_warm_up(contradicting_boards)),
    (Issue.DATA_IMPLAUSIBLE, "stands_still", frozen),
    (Issue.FLEET_OUTLIER, "hashrate", after_warm_up(slower(0, 0.3))),
    (Issue.FLEET_OUTLIER, "temperature", after_warm_up(readings_of(0, temp_c=75.0, temp_max_c=79.0))),
    (Issue.FLEET_OUTLIER, "efficiency", after_warm_up(extra_power)),
    (Issue.BOARDS_DEGRADING, "own_past", after_warm_up(readings_of(0, boards_healthy=2.0))),
    (Issue.COLLECTOR_DOWN, "silent", silent_collector),
    (Issue.COLLECTOR_DOWN, "no_samples", collector_without_samples),
]
EXAMPLE: dict[str, Any] = {
    "rule_code": "hashrate_degradation",
    "description": "Hashrate below its own baseline, or repeated reboots",
    "evaluated_at": "2026-03-01T12:00:00Z",
    "way": "own_past",
    "ways": ["own_past"],
    "metric": "hashrate_ratio",
    "hashrate_ratio": 0.672,
    "threshold": 0.968,
    "side": "below",
    "measured": "now",
    "held": False,
    "baseline": {
        "metric": "hashrate_ratio",
        "value": 0.672,
        "expected": 0.998,
        "residual": -0.326,
        "smoothed_residual": -0.071,
        "sigma": 0.009,
        "z": -7.9,
        "from_anchor": -0.074,
    },
    "expected_ths": 104.0,
    "expectation": "given",
    "left_out": ["board_share_min"],
}
CASE_IDS = [f"{issue.code}-{criterion}" for issue, criterion, _ in CASES]


def run_case(issue: Issue, drive: Drive) -> CycleResult:
    """In a fleet that is large enough for the rule."""
    fleet = Fleet(n=40 if issue is Issue.FLEET_OUTLIER else 12)
    fleet.columns["flags"] = np.zeros(fleet.n)
    return drive(fleet)
