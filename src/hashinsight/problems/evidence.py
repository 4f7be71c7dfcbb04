"""Why we think so: the numbers behind the hits of one rule, as JSON, for all of its machines at once."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems import grouping
from hashinsight.problems.codes import ANCHORED, Issue, Metric
from hashinsight.problems.features import names_left_out
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.health_rules import BY_ISSUE, Rule
from hashinsight.problems.peers import LEVELS, Standings
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
_QUANTILES = {"p10": 0.1, "p25": 0.25, "p75": 0.75, "p90": 0.9, "min": 0.0, "max": 1.0}


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
    told: list[str | None] = [None] * len(rows)
    stands = np.logical_or.reduce([_stands(found, rows, metric, one) for metric, one in found.seen.peers.items()])
    chosen = np.flatnonzero(stands)
    texts = _peers(found, rows[chosen]).struct.json_encode().to_list() if len(chosen) else []
    for at, text in zip(chosen.tolist(), texts, strict=True):
        told[at] = text
    return told


def _stands(found: Verdicts, rows: Ints, metric: Metric, among: Standings) -> Flags:
    """There are peers, and the machine has a value of its own to be compared with theirs."""
    stands: Flags = (among.level[rows] >= 0) & ~np.isnan(found.seen.own.value[metric, rows])
    return stands


def _peers(found: Verdicts, rows: Ints) -> pl.Series:
    """A metric for which there are too few peers, or which the machine does not tell, is null."""
    metrics = {metric.name.lower(): _among(found, rows, metric, among) for metric, among in found.seen.peers.items()}
    return pl.DataFrame(metrics).to_struct("peers")


def _among(found: Verdicts, rows: Ints, metric: Metric, among: Standings) -> pl.Series:
    level, group = among.level[rows], among.group[rows]
    value = found.seen.own.value[metric, rows]
    shares = {name: np.full(len(rows), np.nan) for name in (*_QUANTILES, "percentile")}
    for number in np.unique(level[level >= 0]).tolist():
        here = level == number
        ordered = among.known[number].ordered
        for name, part in _QUANTILES.items():
            shares[name][here] = grouping.quantile(ordered, part)[group[here]]
        shares["percentile"][here] = grouping.percentile(ordered, value[here], group[here])
    columns = {
        "level": pl.Series(level).replace_strict(dict(enumerate(LEVELS)), default=None, return_dtype=pl.String),
        "value": _numbers(value),
        "robust_z": _numbers(among.z[rows]),
        "percentile": _numbers(shares.pop("percentile")),
        "median": _numbers(among.median[rows]),
        "mad": _numbers(among.scale[rows]),
        "count": pl.Series(among.count[rows]),
        **{name: _numbers(values) for name, values in shares.items()},
    }
    stands = pl.Series(_stands(found, rows, metric, among))
    return pl.DataFrame(columns).select(pl.when(stands).then(pl.struct(pl.all()))).to_series()


def _metric(found: Verdicts, rows: Ints, rule: Rule) -> pl.Series:
    if rule.metric == "robust_z":
        among = {metric.name.lower(): _numbers(one.z[rows]) for metric, one in found.seen.peers.items()}
        return pl.DataFrame(among).to_struct("robust_z")
    if rule.metric == "trend_slope":
        return _numbers(found.seen.slope[rows])
    if rule.metric == "pool":
        pool = found.seen.frame.pool
        names = pl.Series([*pool.of, None], dtype=pl.String)
        return names.gather(np.where(pool.no[rows] < 0, len(pool.of), pool.no[rows]))
    values = getattr(found.features, rule.metric)[rows]
    return pl.Series(values) if values.dtype == np.bool_ else _numbers(values)


def _threshold(found: Verdicts, rows: Ints, rule: Rule) -> pl.Series:
    if rule.threshold is None:
        return pl.Series([None] * len(rows), dtype=pl.Float64)
    return _numbers(found.seen.limits[rule.threshold][rows])


def _baseline(found: Verdicts, rows: Ints, metric: Metric) -> pl.Series:
    own = found.seen.own
    columns = {
        "metric": _same(metric.name.lower(), rows),
        "expected": _numbers(own.value[metric, rows] - own.residual[metric, rows]),
        "residual": _numbers(own.residual[metric, rows]),
        "smoothed_residual": _numbers(own.smooth[metric, rows]),
        "sigma": _numbers(own.sigma[metric, rows]),
        "z": _numbers(own.z[metric, rows]),
    }
    if metric < ANCHORED:
        columns["from_anchor"] = _numbers(found.seen.drift[metric, rows])
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


def _numbers(values: NDArray[np.floating]) -> pl.Series:
    return pl.Series(np.asarray(values, dtype=np.float64)).fill_nan(None).round(6)
