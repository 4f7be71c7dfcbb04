"""Why we think so: the numbers behind the hits of one rule, as JSON, for all of its machines at once."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ANCHORED, Issue, Metric
from hashinsight.problems.features import names_left_out
from hashinsight.problems.frame import Floats, Ints
from hashinsight.problems.health_rules import BY_ISSUE, Rule
from hashinsight.problems.pipeline import Verdicts
from hashinsight.problems.standing import numbers, stands, told

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


def evidence_of(found: Verdicts, rows: Ints, issue: Issue) -> list[str]:
    """`rule_code, description, <metric>, threshold, evaluated_at`, and what it was compared with. One text a row."""
    rule = BY_ISSUE[issue]
    columns: dict[str, pl.Series] = {
        "rule_code": _same(rule.code, rows),
        "description": _same(rule.description, rows),
        rule.metric: _metric(found, rows, rule),
        "threshold": _threshold(found, rows, rule),
        "evaluated_at": _same(datetime.fromtimestamp(found.now, UTC).isoformat(), rows),
    }
    if issue in _OWN:
        columns["baseline"] = _baseline(found, rows, _OWN[issue])
    if issue is Issue.FLEET_OUTLIER:
        columns["peers"] = _peers(found, rows)
    columns["left_out"] = _left_out(found.left_out[rows])
    return _as_json(columns)


def of_collectors(now: float, heard_at: Floats) -> list[str]:
    """The evidence of collectors that are down: when each was last heard."""
    rule, rows = BY_ISSUE[Issue.COLLECTOR_DOWN], np.arange(len(heard_at))
    at = pl.Series(heard_at * 1e6).fill_nan(None).cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
    return _as_json(
        {
            "rule_code": _same(rule.code, rows),
            "description": _same(rule.description, rows),
            rule.metric: at.dt.strftime("%Y-%m-%dT%H:%M:%S%.f+00:00"),
            "threshold": _same(None, rows),
            "evaluated_at": _same(datetime.fromtimestamp(now, UTC).isoformat(), rows),
        }
    )


def peer_metrics(found: Verdicts, rows: Ints) -> list[str | None]:
    """`peer_metrics_json`: level, count and quantiles of each machine's peers, and where it stands among them.

    None for a machine that stands among no peers in anything, as one that does not answer.
    """
    texts: list[str | None] = [None] * len(rows)
    own = found.seen.own.value
    chosen = np.flatnonzero(
        np.logical_or.reduce([stands(one, own[metric], rows) for metric, one in found.seen.peers.items()])
    )
    written = _peers(found, rows[chosen]).struct.json_encode().to_list() if len(chosen) else []
    for at, text in zip(chosen.tolist(), written, strict=True):
        texts[at] = text
    return texts


def _peers(found: Verdicts, rows: Ints) -> pl.Series:
    """A metric for which there are too few peers, or which the machine does not tell, is null."""
    own = found.seen.own.value
    metrics = {metric.name.lower(): told(among, own[metric], rows) for metric, among in found.seen.peers.items()}
    return pl.DataFrame(metrics).to_struct("peers")


def _metric(found: Verdicts, rows: Ints, rule: Rule) -> pl.Series:
    if rule.metric == "robust_z":
        among = {metric.name.lower(): numbers(one.z[rows]) for metric, one in found.seen.peers.items()}
        return pl.DataFrame(among).to_struct("robust_z")
    if rule.metric == "trend_slope":
        return numbers(found.seen.slope[rows])
    if rule.metric == "pool":
        pool = found.seen.frame.pool
        names = pl.Series([*pool.of, None], dtype=pl.String)
        return names.gather(np.where(pool.no[rows] < 0, len(pool.of), pool.no[rows]))
    values = getattr(found.features, rule.metric)[rows]
    return pl.Series(values) if values.dtype == np.bool_ else numbers(values)


def _threshold(found: Verdicts, rows: Ints, rule: Rule) -> pl.Series:
    if rule.threshold is None:
        return pl.Series([None] * len(rows), dtype=pl.Float64)
    return numbers(found.seen.limits[rule.threshold][rows])


def _baseline(found: Verdicts, rows: Ints, metric: Metric) -> pl.Series:
    own = found.seen.own
    columns = {
        "metric": _same(metric.name.lower(), rows),
        "expected": numbers(own.value[metric, rows] - own.residual[metric, rows]),
        "residual": numbers(own.residual[metric, rows]),
        "smoothed_residual": numbers(own.smooth[metric, rows]),
        "sigma": numbers(own.sigma[metric, rows]),
        "z": numbers(own.z[metric, rows]),
    }
    if metric < ANCHORED:
        columns["from_anchor"] = numbers(found.seen.drift[metric, rows])
    return pl.DataFrame(columns).to_struct("baseline")


def _left_out(bits: NDArray[np.int32]) -> pl.Series:
    """Names by the few combinations that there are."""
    kinds, which = np.unique(bits, return_inverse=True)
    names = pl.Series([list(names_left_out(int(one))) for one in kinds], dtype=pl.List(pl.String))
    return names.gather(which)


def _as_json(columns: dict[str, pl.Series]) -> list[str]:
    texts: list[str] = pl.DataFrame(columns).to_struct("told").struct.json_encode().to_list()
    return texts


def _same(word: str | None, rows: Ints) -> pl.Series:
    return pl.Series([word], dtype=pl.String).new_from_index(0, len(rows))
