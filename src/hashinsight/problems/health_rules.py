"""The rules as a table: code, severity, what each needs, what to do about a hit. Conditions are in `conditions.py`."""

from dataclasses import dataclass

from hashinsight.problems.codes import Issue, Severity


@dataclass(frozen=True)
class Rule:
    issue: Issue
    severity: Severity
    description: str
    metric: str
    threshold: str | None  # name in config.Thresholds
    needs: tuple[str, ...]  # features; where one is missing the rule does not judge
    actions: tuple[str, ...]
    hard: bool = False  # read off one sample, without baseline or peers

    @property
    def code(self) -> str:
        return self.issue.code


RULES: tuple[Rule, ...] = (
    Rule(Issue.OVERHEAT_CRIT, Severity.P0, "hottest sensor at or above the critical limit", "temp_max",
         "overheat_crit_c", ("temp_max",), ("stop_mining", "check_cooling"), hard=True),
    Rule(Issue.OFFLINE, Severity.P0, "does not answer while its collector does, and nobody expects it", "is_online",
         None, (), ("check_network", "check_power", "power_cycle"), hard=True),
    Rule(Issue.HASHRATE_ZERO, Severity.P1, "answers but does not hash", "hashrate_ratio", "hashrate_zero_ratio",
         ("hashrate_ratio",), ("restart", "inspect_boards", "inspect_psu"), hard=True),
    Rule(Issue.BOARDS_DEAD, Severity.P1, "half of its boards or more are dead", "boards_ratio", "boards_dead_ratio",
         ("boards_ratio",), ("restart", "inspect_boards"), hard=True),
    Rule(Issue.FAN_ZERO, Severity.P1, "a fan stands still", "fan_speed_min", None, ("fan_speed_min",),
         ("swap_fan", "stop_mining"), hard=True),
    Rule(Issue.OVERHEAT_WARN, Severity.P1, "hottest sensor at or above the warning limit", "temp_max",
         "overheat_warn_c", ("temp_max",), ("check_cooling", "set_power_mode"), hard=True),
    Rule(Issue.HASHRATE_DEGRADATION, Severity.P2, "hashes less than its own past, or reboots again and again",
         "hashrate_ratio", "hashrate_effect", ("hashrate_ratio",), ("restart", "inspect_boards")),
    Rule(Issue.EFFICIENCY_DEGRADATION, Severity.P2, "takes more watts for a TH/s than its own past", "efficiency",
         "efficiency_effect", ("efficiency",), ("inspect_psu", "inspect_boards", "clean")),
    Rule(Issue.TEMP_ANOMALY, Severity.P2, "hotter than its own past at the same weather", "temp_max", "temp_effect_c",
         ("temp_max",), ("clean", "check_cooling", "swap_fan")),
    Rule(Issue.TREND_ANOMALY, Severity.P2, "gets slower day by day", "trend_slope", "trend_per_day",
         ("hashrate_ratio",), ("inspect_boards",)),
    Rule(Issue.REJECT_RATE_HIGH, Severity.P2, "the pool rejects far more of its shares than of its peers'",
         "reject_rate", "reject_rate", ("reject_rate",), ("check_pool", "check_network")),
    Rule(Issue.HW_ERROR_RATE_HIGH, Severity.P2, "many more hardware errors than its own past and its peers",
         "hw_error_rate", "hw_errors_per_hour", ("hw_error_rate",), ("inspect_boards", "set_power_mode")),
    Rule(Issue.WRONG_POOL, Severity.P1, "hashes for a pool or worker that is not allowed", "pool", None, (),
         ("set_pool",), hard=True),
    Rule(Issue.SENSOR_FAULT, Severity.P3, "a sensor says what cannot be", "temp_spread", "sensor_spread_c", (),
         ("inspect_sensors",)),
    Rule(Issue.DATA_IMPLAUSIBLE, Severity.P3, "values that stand still or contradict each other", "hashrate_ratio",
         "frozen_cycles", (), ("restart",)),
    Rule(Issue.FLEET_OUTLIER, Severity.P3, "far from machines of its kind", "robust_z", "outlier_z", (),
         ("inspect_boards", "check_cooling")),
    Rule(Issue.BOARDS_DEGRADING, Severity.P3, "has lost a board that it had", "boards_ratio", "boards_degrading_drop",
         ("boards_ratio",), ("inspect_boards",)),
    Rule(Issue.COLLECTOR_DOWN, Severity.P1, "a collector says nothing, or nothing of any machine", "heard_at", None, (),
         ("check_collector", "check_network"), hard=True),
)  # fmt: skip
BY_ISSUE = {rule.issue: rule for rule in RULES}
HARD = tuple(rule.issue for rule in RULES if rule.hard)
