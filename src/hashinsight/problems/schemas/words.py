"""The closed sets of words in answers about problems."""

from typing import Literal

SeverityWord = Literal["P0", "P1", "P2", "P3"]
StatusWord = Literal["pending", "open", "ack", "in_progress", "resolved"]
IssueCode = Literal[
    "overheat_crit", "offline", "hashrate_zero", "boards_dead", "fan_zero", "overheat_warn", "hashrate_degradation",
    "efficiency_degradation", "temp_anomaly", "trend_anomaly", "reject_rate_high", "hw_error_rate_high", "wrong_pool",
    "sensor_fault", "data_implausible", "fleet_outlier", "boards_degrading", "collector_down", "board_lost",
]  # fmt: skip
ConditionWord = Literal["P0", "P1", "P2", "P3", "down", "stopped", "unknown", "fine"]
HealthWord = Literal["P0", "P1", "P2", "P3", "down", "stopped", "unknown", "ok"]
ModeWord = Literal["unknown", "eco", "normal", "perf"]
DataStateWord = Literal["unknown", "stale", "offline", "fresh"]
ExpectedStateWord = Literal["curtailed", "stopped", "rebooting", "maintenance"]
SuppressionKind = Literal["miner", "zone", "group", "site"]
