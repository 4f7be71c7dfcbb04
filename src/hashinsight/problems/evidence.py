"""Why we think so: the numbers behind one hit, for the event's snapshots. Asked for few machines, never for all."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from hashinsight.problems.codes import ANCHORED, Issue, Metric
from hashinsight.problems.features import names_left_out
from hashinsight.problems.health_rules import BY_ISSUE
from hashinsight.problems.peers import LEVELS
from hashinsight.problems.pipeline import Verdicts

_OWN = {
    Issue.HASHRATE_DEGRADATION: Metric.HASHRATE_RATIO,
    Issue.EFFICIENCY_DEGRADATION: Metric.EFFICIENCY,
    Issue.TEMP_ANOMALY: Metric.TEMP_MAX,
    Issue.TREND_ANOMALY: Metric.HASHRATE_RATIO,
    Issue.BOARDS_DEGRADING: Metric.BOARDS_RATIO,
    Issue.REJECT_RATE_HIGH: Metric.REJECT_RATE,
    Issue.HW_ERROR_RATE_HIGH: Metric.HW_ERROR_RATE,
    Issue.SENSOR_FAULT: Metric.TEMP_SPREAD,
}


def evidence_of(found: Verdicts, row: int, issue: Issue) -> dict[str, Any]:
    """`rule_code, description, <metric>, threshold, evaluated_at`, and what it was compared with."""
    rule = BY_ISSUE[issue]
    told: dict[str, Any] = {
        "rule_code": rule.code,
        "description": rule.description,
        rule.metric: _metric(found, row, rule.metric),
        "threshold": None if rule.threshold is None else float(found.seen.limits[rule.threshold][row]),
        "evaluated_at": datetime.fromtimestamp(found.now, UTC).isoformat(),
    }
    if issue in _OWN:
        told["baseline"] = _baseline(found, row, _OWN[issue])
    if issue is Issue.FLEET_OUTLIER:
        told["peers"] = peer_metrics(found, row)
    left_out = names_left_out(int(found.left_out[row]))
    return told | ({"left_out": list(left_out)} if left_out else {})


def peer_metrics(found: Verdicts, row: int) -> dict[str, Any]:
    """`peer_metrics_json`: level, count and quantiles of the machine's peers, and where it stands among them."""
    told: dict[str, Any] = {}
    for metric, among in found.seen.peers.items():
        level = int(among.level[row])
        if level >= 0:
            value = found.seen.own.value[metric, row]
            known = among.known[level].ordered
            start, count = (int(array[among.group[row]]) for array in (known.start, known.count))
            below = np.searchsorted(known.values[start : start + count], np.float32(value), side="right")
            told[metric.name.lower()] = {
                "level": LEVELS[level],
                "value": _number(value),
                "robust_z": _number(among.z[row]),
                "percentile": round(float(below) / max(count, 1), 4),
                **among.quantiles(row),
            }
    return told


def _metric(found: Verdicts, row: int, name: str) -> Any:
    if name == "robust_z":
        return {metric.name.lower(): _number(among.z[row]) for metric, among in found.seen.peers.items()}
    if name == "trend_slope":
        return _number(found.seen.slope[row])
    if name == "pool":
        return found.seen.frame.pool.of[found.seen.frame.pool.no[row]] if found.seen.frame.pool.no[row] >= 0 else None
    value = getattr(found.features, name)[row]
    return bool(value) if isinstance(value, np.bool_) else _number(value)


def _baseline(found: Verdicts, row: int, metric: Metric) -> dict[str, Any]:
    own = found.seen.own
    told = {
        "metric": metric.name.lower(),
        "expected": _number(own.value[metric, row] - own.residual[metric, row]),
        "residual": _number(own.residual[metric, row]),
        "smoothed_residual": _number(own.smooth[metric, row]),
        "sigma": _number(own.sigma[metric, row]),
        "z": _number(own.z[metric, row]),
    }
    if metric < ANCHORED:
        told["from_anchor"] = _number(found.seen.drift[metric, row])
    return told


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
