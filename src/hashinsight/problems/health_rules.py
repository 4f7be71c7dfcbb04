"""The rules as a table: code, severity, what each needs, what to do about a hit. Conditions are in `conditions.py`.

A rule may have several ways in. Its evidence names the one by which it hit, by the names that are here.
"""

from dataclasses import dataclass
from typing import Literal

from hashinsight.problems.codes import Issue, Severity


@dataclass(frozen=True)
class Criterion:
    """What is looked at, and on which side of its threshold a machine is a hit; None: there is no number to pass."""

    name: str
    metric: str
    side: Literal["above", "below"] | None = None


@dataclass(frozen=True)
class Rule:
    issue: Issue
    severity: Severity
    description: str
    metric: str
    needs: tuple[str, ...]  # features; where one is missing the rule does not judge
    actions: tuple[str, ...]
    ways: tuple[Criterion, ...]  # where several hit, the first of them is told with its numbers
    hard: bool = False  # read off one sample, without baseline or peers

    @property
    def code(self) -> str:
        return self.issue.code


def _past(metric: str, side: Literal["above", "below"], *, after: str = "") -> tuple[Criterion, ...]:
    """At once against its baseline, or by and by against its anchor."""
    return Criterion(f"own_past{after}", metric, side), Criterion(f"first_days{after}", metric, side)


RULES: tuple[Rule, ...] = (
    Rule(Issue.OVERHEAT_CRIT, Severity.P0, "hottest sensor at or above the critical limit", "temp_max",
         ("temp_max",), ("stop_mining", "check_cooling"), (Criterion("limit", "temp_max", "above"),), hard=True),
    Rule(Issue.OFFLINE, Severity.P0, "does not answer while its collector does, and nobody expects it", "is_online",
         (), ("check_network", "check_power", "power_cycle"),
         (Criterion("no_samples", "sample_age_sec", "above"), Criterion("says_offline", "is_online")), hard=True),
    Rule(Issue.HASHRATE_ZERO, Severity.P1, "answers but does not hash", "hashrate_ratio", ("hashrate_ratio",),
         ("restart", "inspect_boards", "inspect_psu"), (Criterion("limit", "hashrate_ratio", "below"),), hard=True),
    Rule(Issue.BOARDS_DEAD, Severity.P1, "half of its boards or more are dead", "boards_ratio", ("boards_ratio",),
         ("restart", "inspect_boards"), (Criterion("limit", "boards_ratio", "below"),), hard=True),
    Rule(Issue.BOARD_LOST, Severity.P1, "fewer boards work than it has, and its hashrate is down by their share",
         "boards_ratio", ("boards_ratio",), ("restart", "inspect_boards"),
         (Criterion("hashrate_down", "hashrate_ratio", "below"),
          Criterion("board_silent", "board_share_min", "below")), hard=True),
    Rule(Issue.FAN_ZERO, Severity.P1, "a fan stands still", "fan_speed_min", ("fan_speed_min",),
         ("swap_fan", "stop_mining"), (Criterion("limit", "fan_speed_min", "below"),), hard=True),
    Rule(Issue.OVERHEAT_WARN, Severity.P1, "hottest sensor at or above the warning limit", "temp_max",
         ("temp_max",), ("check_cooling", "set_power_mode"), (Criterion("limit", "temp_max", "above"),), hard=True),
    Rule(Issue.HASHRATE_DEGRADATION, Severity.P2, "hashes less than its own past, or reboots again and again",
         "hashrate_ratio", ("hashrate_ratio",), ("restart", "inspect_boards"),
         (*_past("hashrate_ratio", "below"), Criterion("reboots", "boots", "above"))),
    Rule(Issue.EFFICIENCY_DEGRADATION, Severity.P2, "takes more watts for a TH/s than its own past", "efficiency",
         ("efficiency",), ("inspect_psu", "inspect_boards", "clean"), _past("efficiency", "above")),
    Rule(Issue.TEMP_ANOMALY, Severity.P2, "hotter than its own past at the same weather", "temp_max",
         ("temp_max",), ("clean", "check_cooling", "swap_fan"),
         (*_past("temp_max", "above"), *_past("temp_load", "above", after="_at_equal_fans"),
          Criterion("fan_behind_others", "fan_speed_min", "below"))),
    Rule(Issue.TREND_ANOMALY, Severity.P2, "gets slower day by day", "trend_slope", ("hashrate_ratio",),
         ("inspect_boards",), (Criterion("slope", "trend_slope", "below"),)),
    Rule(Issue.REJECT_RATE_HIGH, Severity.P2, "the pool rejects far more of its shares than of its peers'",
         "reject_rate", ("reject_rate",), ("check_pool", "check_network"),
         (Criterion("rate", "reject_rate", "above"),)),
    Rule(Issue.HW_ERROR_RATE_HIGH, Severity.P2, "many more hardware errors than its own past and its peers",
         "hw_error_rate", ("hw_error_rate",), ("inspect_boards", "set_power_mode"),
         (Criterion("rate", "hw_error_rate", "above"),)),
    Rule(Issue.WRONG_POOL, Severity.P1, "hashes for a pool or worker that is not allowed", "pool", (),
         ("set_pool",), (Criterion("pool", "pool"), Criterion("worker", "worker")), hard=True),
    Rule(Issue.SENSOR_FAULT, Severity.P3, "a sensor says what cannot be", "temp_spread", (), ("inspect_sensors",),
         (Criterion("temp_sentinel", "temp_max"), Criterion("fan_sentinel", "fan_speed_min", "below"),
          Criterion("temp_spread", "temp_spread", "above"))),
    Rule(Issue.DATA_IMPLAUSIBLE, Severity.P3, "values that stand still or contradict each other", "hashrate_ratio",
         (), ("restart",),
         (Criterion("hashrate_too_high", "hashrate_ratio", "above"), Criterion("hashrate_refused", "hashrate_ratio"),
          Criterion("boards_contradict", "boards_apart", "above"),
          Criterion("stands_still", "still_samples", "above"))),
    Rule(Issue.FLEET_OUTLIER, Severity.P3, "far from machines of its kind", "robust_z", (),
         ("inspect_boards", "check_cooling"),
         (Criterion("hashrate", "hashrate_ratio", "below"), Criterion("temperature", "temp_max", "above"),
          Criterion("efficiency", "efficiency", "above"))),
    Rule(Issue.BOARDS_DEGRADING, Severity.P3, "has lost a board that it had", "boards_ratio", ("boards_ratio",),
         ("inspect_boards",), (Criterion("own_past", "boards_ratio", "below"),)),
    Rule(Issue.COLLECTOR_DOWN, Severity.P1, "a collector says nothing, or nothing of any machine", "heard_at", (),
         ("check_collector", "check_network"),
         (Criterion("silent", "silent_sec", "above"), Criterion("no_samples", "sample_age_sec", "above")), hard=True),
)  # fmt: skip
BY_ISSUE = {rule.issue: rule for rule in RULES}
HARD = tuple(rule.issue for rule in RULES if rule.hard)
