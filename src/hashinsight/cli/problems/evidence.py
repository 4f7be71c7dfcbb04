"""Why we think so, in sentences: what the console says of a piece of evidence, in English and with when it was so."""

from collections.abc import Iterator, Mapping
from typing import Any

Evidence = Mapping[str, Any]

# as the console has them: a test compares
NAMES = {
    "hashrate_ratio": "hashrate ratio",
    "hashrate_ths": "hashrate",
    "expected_ths": "reference hashrate",
    "boards_ratio": "boards",
    "temp_max": "hottest sensor",
    "efficiency": "efficiency",
    "fan_speed_min": "slowest fan",
    "fan_speed_avg": "mean of its fans",
    "reject_rate": "rejected",
    "hw_error_rate": "hardware errors",
    "is_online": "online",
    "temp_load": "temperature at equal fan speed",
    "temp_spread": "spread of temperatures",
    "pool": "pool",
    "worker": "worker",
    "boots": "boots in about six hours",
    "sample_age_sec": "time without a sample",
    "silent_sec": "silent for",
    "still_samples": "samples without a change",
    "board_share_min": "weakest board against an even share",
    "boards_apart": "boards against total",
    "boards_sum_ths": "sum of its boards",
    "hw_errors_per_hour": "hardware errors an hour",
    "peers_median": "median of its site",
    "steep_hours": "hours of falling",
    "heard_at": "last heard",
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
    "hw_error_rate": "an hour and TH/s",
    "trend_slope": "a day",
}
_SHARES = {  # and digits
    "hashrate_ratio": 0, "boards_ratio": 0, "board_share_min": 0, "boards_apart": 0, "reject_rate": 1, "trend_slope": 1,
}  # fmt: skip
_COUNTS = ("boots", "still_samples", "sample_age_sec", "silent_sec", "steep_hours")  # without noughts behind the point
_WHOLE = ("fan_speed_min", "fan_speed_avg")
_NO_METRIC = {
    *("rule_code", "description", "threshold", "evaluated_at", "way", "metric", "side", "measured"),
    *("sensor", "limit_source", "expectation"),
}
# whose limit it is
SOURCES = {
    "machine": "limit {limit}, reported by the machine",
    "catalogue": "limit {limit} for this model",
    "settings": "limit {limit} from your settings",
    "assumed": "limit {limit}, assumed: no limit is known for this model",
}
# where a reference hashrate is from that nobody states
EXPECTED = {"kind": "inferred from machines of its kind", "own_past": "inferred from its own best hours"}
SENSORS = {"chip": "at the chip", "board": "at the board"}
_FINE, _PLAIN = 10, 100  # below the one two digits are told, from the other on none


def sentence(found: Evidence) -> str:
    """When it was judged, what is wrong, and number by number why; the one that passed its limit first."""
    said = [_begun(str(found.get("description") or found.get("rule_code", ""))) + ".", *_facts(found)]
    return f"{_moment(found.get('evaluated_at'))}: {' '.join(said)}"


def value_of(metric: str, value: Any, *, is_short: bool = False) -> str:
    """A value of a metric as people read it, with its unit; short as a limit is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return "unknown" if value is None else str(value)
    if metric in _SHARES:
        shown = f"{value:.{_SHARES[metric]}%}"
    else:
        digits = 0 if metric in _WHOLE or abs(value) >= _PLAIN else 1 if abs(value) >= _FINE else 2
        shown = f"{value:,.{digits}f}"
        if digits and (is_short or metric in _COUNTS):
            shown = shown.rstrip("0").rstrip(".")
    return f"{shown} {UNITS[metric]}" if metric in UNITS else shown


def _facts(found: Evidence) -> Iterator[str]:
    passed = found.get("metric")
    told = [name for name, value in found.items() if _is_metric(name, value, passed)]
    for metric in sorted(told, key=lambda name: name != passed):
        yield _fact(metric, _shown(found, metric), list(_against(found, metric)))
    for metric, peer in (found.get("peers") or {}).items():
        limit = found.get("robust_z_threshold") or 0.0
        if peer and metric not in told and abs(peer["robust_z"] or 0.0) >= limit:
            yield _fact(metric, value_of(metric, peer["value"]), [_among(metric, peer)])


def _is_metric(name: str, value: Any, passed: str | None) -> bool:
    if isinstance(value, bool):
        return name == passed
    return isinstance(value, int | float | str) and name not in _NO_METRIC and not name.endswith("_threshold")


def _fact(metric: str, value: str, against: list[str]) -> str:
    beside = f" ({', '.join(against)})" if against else ""
    return f"{_begun(NAMES.get(metric, metric.replace('_', ' ')))}: {value}{beside}."


def _shown(found: Evidence, metric: str) -> str:
    if metric == "heard_at":
        return _moment(found[metric])
    return value_of(str(found.get("metric")) if metric == "peers_median" else metric, found[metric])


def _against(found: Evidence, metric: str) -> Iterator[str]:
    if found.get("metric", metric) == metric:
        if found.get("measured") == "half_hour_mean":
            yield "mean of half an hour"
        if found.get("sensor") in SENSORS:
            yield SENSORS[found["sensor"]]
        if found.get("threshold") is not None:
            limit = value_of(metric, found["threshold"], is_short=True)
            yield SOURCES.get(str(found.get("limit_source")), "limit {limit}").format(limit=limit)
    own = found.get("baseline")
    if own and own["metric"] == metric and own["expected"] is not None:
        yield f"own normal {value_of(metric, own['expected'])} ± {value_of(metric, own['sigma'])}"
        if own["z"] is not None:
            yield f"z {own['z']:.1f}"
    if metric == "expected_ths" and found.get("expectation") in EXPECTED:
        yield EXPECTED[found["expectation"]]
    if peer := (found.get("peers") or {}).get(metric):
        yield _among(metric, peer)


def _among(metric: str, peer: Evidence) -> str:
    low, high = (value_of(metric, peer[part], is_short=True) for part in ("p25", "p75"))
    return f"half of its {peer['count']} peers are between {low} and {high}"


def _moment(at: str | None) -> str:
    return "at some time" if at is None else f"{at[:19].replace('T', ' ')} UTC"


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]
