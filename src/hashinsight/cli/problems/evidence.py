"""The evidence of a problem in sentences, worded as in the console, each with its time."""

from collections.abc import Iterator, Mapping
from typing import Any

from hashinsight.cli.output import show_duration, show_time

Evidence = Mapping[str, Any]

# the console has the same texts: a test compares them
NAMES = {
    "hashrate_ratio": "hashrate ratio",
    "hashrate_ths": "hashrate",
    "expected_ths": "reference hashrate",
    "boards_ratio": "boards",
    "temp_max": "hottest sensor",
    "efficiency": "efficiency",
    "fan_speed_min": "slowest fan",
    "fan_speed_avg": "average fan speed",
    "reject_rate": "reject rate",
    "hw_error_rate": "hardware error rate",
    "is_online": "online",
    "temp_load": "temperature at usual fan speed",
    "temp_spread": "sensor spread",
    "pool": "pool",
    "worker": "worker",
    "boots": "reboots in 6 h",
    "sample_age_sec": "no samples for",
    "silent_sec": "silent for",
    "still_samples": "unchanged samples",
    "board_share_min": "weakest board",
    "boards_apart": "boards vs total",
    "boards_sum_ths": "sum of boards",
    "hw_errors_per_hour": "hardware errors per hour",
    "peers_median": "site median",
    "steep_hours": "hours falling",
    "heard_at": "last contact",
    "trend_slope": "trend",
}
UNITS = {
    "temp_max": "°C",
    "temp_load": "°C",
    "temp_spread": "°C",
    "efficiency": "J/TH",
    "fan_speed_min": "rpm",
    "fan_speed_avg": "rpm",
    "sample_age_sec": "s",
    "silent_sec": "s",
    "hashrate_ths": "TH/s",
    "boards_sum_ths": "TH/s",
    "expected_ths": "TH/s",
    "hw_error_rate": "per TH/s per hour",
    "trend_slope": "per day",
}
_SHARES = {  # shown in percent, with so many digits
    "hashrate_ratio": 0, "boards_ratio": 0, "board_share_min": 0, "boards_apart": 0, "reject_rate": 1, "trend_slope": 1,
}  # fmt: skip
_COUNTS = ("boots", "still_samples", "steep_hours")  # without trailing zeros
_DURATIONS = ("sample_age_sec", "silent_sec")
_WHOLE = ("fan_speed_min", "fan_speed_avg")
_NO_METRIC = {
    *("rule_code", "description", "threshold", "evaluated_at", "way", "metric", "side", "measured"),
    *("sensor", "limit_source", "expectation"),
}
# where the limit comes from
SOURCES = {
    "machine": "limit {limit}, from the machine",
    "catalogue": "limit {limit} for this model",
    "settings": "limit {limit}, from settings",
    "assumed": "limit {limit}, assumed: none known for this model",
}
# where an inferred reference hashrate comes from
EXPECTED = {"kind": "inferred from peers", "own_past": "inferred from its best hours"}
SENSORS = {"chip": "chip sensor", "board": "board sensor"}
_TWO_DIGITS_BELOW, _NO_DIGITS_FROM = 10, 100


def sentence(evidence: Evidence) -> str:
    """Time, description and figures; the metric that passed its limit first. Statistics are only in the JSON."""
    description = _capitalize(str(evidence.get("description") or evidence.get("rule_code", "")))
    text = " ".join([f"{description}.", *_facts(evidence)])
    at = evidence.get("evaluated_at")
    return text if at is None else f"{show_time(at)} UTC: {text}"


def value_of(metric: str, value: Any, *, is_short: bool = False) -> str:
    """A value with its unit; `is_short` for limits: without trailing zeros."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return "unknown" if value is None else str(value)
    if metric in _DURATIONS:
        return show_duration(value)
    if metric in _SHARES:
        shown = f"{value:.{_SHARES[metric]}%}"
    else:
        size = abs(value)
        digits = 0 if metric in _WHOLE or size >= _NO_DIGITS_FROM else 1 if size >= _TWO_DIGITS_BELOW else 2
        shown = f"{value:,.{digits}f}"
        if digits and (is_short or metric in _COUNTS):
            shown = shown.rstrip("0").rstrip(".")
    return f"{shown} {UNITS[metric]}" if metric in UNITS else shown


def _facts(evidence: Evidence) -> Iterator[str]:
    passed = evidence.get("metric")
    metrics = [name for name, value in evidence.items() if _is_metric(name, value, passed)]
    for metric in sorted(metrics, key=lambda name: name != passed):
        yield _fact(metric, _metric_value(evidence, metric), list(_references(evidence, metric)))
    for metric, peers in (evidence.get("peers") or {}).items():
        z_limit = evidence.get("robust_z_threshold") or 0.0
        if peers and metric not in metrics and abs(peers["robust_z"] or 0.0) >= z_limit:
            yield _fact(metric, value_of(metric, peers["value"]), [_peer_range(metric, peers)])


def _is_metric(name: str, value: Any, passed: str | None) -> bool:
    if isinstance(value, bool):
        return name == passed
    return isinstance(value, int | float | str) and name not in _NO_METRIC and not name.endswith("_threshold")


def _fact(metric: str, value: str, references: list[str]) -> str:
    compared = f" ({', '.join(references)})" if references else ""
    return f"{_capitalize(NAMES.get(metric, metric.replace('_', ' ')))}: {value}{compared}."


def _metric_value(evidence: Evidence, metric: str) -> str:
    if metric == "heard_at":
        return f"{show_time(evidence[metric])} UTC"
    return value_of(str(evidence.get("metric")) if metric == "peers_median" else metric, evidence[metric])


def _references(evidence: Evidence, metric: str) -> Iterator[str]:
    """What the value is compared with: limit, own baseline, peers."""
    if evidence.get("metric", metric) == metric:
        if evidence.get("measured") == "half_hour_mean":
            yield "30-minute mean"
        if evidence.get("sensor") in SENSORS:
            yield SENSORS[evidence["sensor"]]
        if evidence.get("threshold") is not None:
            limit = value_of(metric, evidence["threshold"], is_short=True)
            yield SOURCES.get(str(evidence.get("limit_source")), "limit {limit}").format(limit=limit)
    own = evidence.get("baseline")
    if own and own["metric"] == metric and own["expected"] is not None:
        yield f"usually {value_of(metric, own['expected'])} ± {value_of(metric, own['sigma'])}"
    if metric == "expected_ths" and evidence.get("expectation") in EXPECTED:
        yield EXPECTED[evidence["expectation"]]
    if peers := (evidence.get("peers") or {}).get(metric):
        yield _peer_range(metric, peers)


def _peer_range(metric: str, peers: Evidence) -> str:
    """The middle half."""
    low, high = (value_of(metric, peers[part], is_short=True) for part in ("p25", "p75"))
    return f"half of {peers['count']} peers at {low} to {high}"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
