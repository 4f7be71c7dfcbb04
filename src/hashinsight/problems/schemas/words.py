"""The closed sets of words in answers about problems."""

from typing import Literal

SeverityWord = Literal["P0", "P1", "P2", "P3"]
StatusWord = Literal["pending", "open", "ack", "in_progress", "resolved"]
IssueCode = Literal[
    "overheat_crit", "offline", "hashrate_zero", "boards_dead", "fan_zero", "overheat_warn", "hashrate_degradation",
    "efficiency_degradation", "temp_anomaly", "trend_anomaly", "reject_rate_high", "hw_error_rate_high", "wrong_pool",
    "sensor_fault", "data_implausible", "fleet_outlier", "boards_degrading", "collector_down", "board_lost",
]  # fmt: skip
DataStateWord = Literal["unknown", "stale", "offline", "fresh"]
ActorWord = Literal["user", "api_key", "collector", "rule", "system", "anonymous"]
TimelineWord = Literal[
    "opened", "escalated", "recurred", "resolved", "flapping", "thawed",
    "acknowledged", "started", "assigned", "comment", "suppressed", "unsuppressed",
]  # fmt: skip
ThawWord = Literal["none", "timeout", "acknowledged", "repaired"]
CauseWord = Literal[
    "repaired", "replaced", "cleaned", "reconfigured", "false_alarm", "accepted", "other",  # by people
    "recovered", "escalated", "left_site",  # by the cycle
]  # fmt: skip
PeerLevelWord = Literal["site:model:firmware:mode", "site:model:mode", "site:model", "site"]
LimitSource = Literal["machine", "catalogue", "settings", "assumed"]
SuppressionKind = Literal["miner", "zone", "group", "site"]
