"""The evidence of a problem, as JSON: the values behind a rule's hits, for all of its machines at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ANCHORED_METRICS, ExpectationSource, Issue, Metric
from hashinsight.problems.events import Events
from hashinsight.problems.features import left_out_names
from hashinsight.problems.frame import Flags, Floats, Ints, TextColumn
from hashinsight.problems.health_rules import BY_ISSUE
from hashinsight.problems.health_rules.rule import Column, Criterion, CriterionResult, Observations
from hashinsight.problems.peer_stats import has_peers, peer_columns, rounded
from hashinsight.problems.pipeline import CycleResult
from hashinsight.wire.times import write_time

_OF_EXPECTED = ("hashrate_ratio", "trend_slope")


@dataclass(frozen=True)
class EventDetails:
    """JSON by row of the events; null where nothing is to be written."""

    evidence: pl.Series
    peers: pl.Series


def describe(result: CycleResult, events: Events, which: Flags) -> EventDetails:
    """Of these events. Loops over issues, of which there are a few, never over machines."""
    evidence, peers = np.full(events.n, None, dtype=object), np.full(events.n, None, dtype=object)
    for issue in Issue:
        rows = np.flatnonzero(which & (events.issue == issue))
        if not len(rows):
            continue
        if issue is Issue.COLLECTOR_DOWN:
            at = np.searchsorted(result.observed.data.collectors, -1 - events.subject[rows])
        else:
            at = np.searchsorted(result.observed.frame.miner_no, events.subject[rows])
            peers[rows] = peer_metrics(result, at)
        evidence[rows] = rule_evidence(result, at, issue)
    return EventDetails(pl.Series(evidence.tolist(), dtype=pl.String), pl.Series(peers.tolist(), dtype=pl.String))


def rule_evidence(result: CycleResult, rows: Ints, issue: Issue) -> list[str]:
    """One text per row: `rule_code, description, <metric>, threshold, evaluated_at`, and what it was compared with.

    `metric` names the key of the value that passed the threshold; both have the same unit. `way` is the first
    criterion that hit, `ways` are all of them.
    """
    rule, outcome, obs = BY_ISSUE[issue], result.rules[issue], result.observed
    hits = np.stack([criterion.hit[rows] for criterion in outcome.criteria])
    first = np.argmax(hits, axis=0)
    texts = np.empty(len(rows), dtype=object)
    for number, (criterion, values) in enumerate(zip(rule.criteria, outcome.criteria, strict=True)):
        at = np.flatnonzero(first == number)
        if not len(at):
            continue
        chosen = rows[at]
        columns = {
            "rule_code": _same(rule.code, at),
            "description": _same(rule.description, at),
            "evaluated_at": _same(write_time(datetime.fromtimestamp(obs.now, UTC)), at),
        } | _values(criterion, values, chosen)
        if issue is not Issue.COLLECTOR_DOWN:
            columns["held"] = pl.Series(outcome.held[chosen])
            if len(rule.criteria) > 1:
                columns["ways"] = _names(hits[:, at], [each.name for each in rule.criteria])
        if values.baseline is not None:
            columns["baseline"] = _baseline(obs, chosen, values.baseline)
        if issue is Issue.FLEET_OUTLIER:
            columns["peers"] = _peers(obs, chosen)
        if criterion.metric in _OF_EXPECTED:
            columns |= _expectation(obs, chosen)
        if issue is not Issue.COLLECTOR_DOWN:
            columns["left_out"] = _left_out(result.left_out[chosen])
        texts[at] = pl.DataFrame(columns).to_struct("evidence").struct.json_encode().to_list()
    written: list[str] = texts.tolist()
    return written


def _values(criterion: Criterion, values: CriterionResult, rows: Ints) -> dict[str, pl.Series]:
    threshold = np.nan if values.threshold is None else values.threshold
    threshold = threshold[rows] if isinstance(threshold, np.ndarray) else np.full(len(rows), float(threshold))
    columns = {
        "way": _same(criterion.name, rows),
        "metric": _same(criterion.metric, rows),
        criterion.metric: _column(values.value, rows),
        "threshold": rounded(threshold),
        "side": _same(criterion.side, rows),
    }
    if values.is_mean is not None:
        columns["measured"] = pl.Series(["now", "half_hour_mean"]).gather(values.is_mean[rows].astype(np.int64))
    for name, detail in values.details.items():
        columns[name] = _times(detail, rows) if name.endswith("_at") else _column(detail, rows)
    return columns


def _column(values: Column, rows: Ints) -> pl.Series:
    if isinstance(values, TextColumn):
        number = values.no[rows]
        texts = pl.Series([*values.of, None], dtype=pl.String)
        return texts.gather(np.where(number < 0, len(values.of), number))
    if isinstance(values, Mapping):
        return pl.DataFrame({name: rounded(each[rows]) for name, each in values.items()}).to_struct()
    return pl.Series(values[rows]) if values.dtype == np.bool_ else rounded(values[rows].astype(np.float64))


def _times(seconds: Column, rows: Ints) -> pl.Series:
    moments = pl.Series(np.asarray(seconds)[rows] * 1e6).fill_nan(None).cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
    return moments.dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")


def _names(flags: Flags, names: list[str]) -> pl.Series:
    """The names of the flags that are set, by the few combinations that there are."""
    kinds, which = np.unique(flags, axis=1, return_inverse=True)
    lists = [[name for name, is_set in zip(names, kind, strict=True) if is_set] for kind in kinds.T.tolist()]
    return pl.Series(lists, dtype=pl.List(pl.String)).gather(which.reshape(-1))


def peer_metrics(result: CycleResult, rows: Ints) -> list[str | None]:
    """`peer_metrics_json`: level, count and quantiles of each machine's peers, and its own position among them.

    None for a machine that is compared with no peers, as one that does not respond.
    """
    obs = result.observed
    texts: list[str | None] = [None] * len(rows)
    compared = [has_peers(position, obs.own.value[metric], rows) for metric, position in obs.peers.items()]
    chosen = np.flatnonzero(np.logical_or.reduce(compared))
    written = _peers(obs, rows[chosen]).struct.json_encode().to_list() if len(chosen) else []
    for at, text in zip(chosen.tolist(), written, strict=True):
        texts[at] = text
    return texts


def _peers(obs: Observations, rows: Ints) -> pl.Series:
    """A metric with too few peers, or that the machine does not report, is null."""
    columns = {
        metric.name.lower(): peer_columns(position, obs.own.value[metric], rows)
        for metric, position in obs.peers.items()
    }
    return pl.DataFrame(columns).to_struct("peers")


def _baseline(obs: Observations, rows: Ints, metric: Metric) -> pl.Series:
    own = obs.own
    columns: dict[str, Floats] = {
        "value": own.value[metric],
        "expected": own.value[metric] - own.residual[metric],
        "residual": own.residual[metric],
        "smoothed_residual": own.smooth[metric],
        "sigma": own.sigma[metric],
        "z": own.z[metric],
    }
    if metric < ANCHORED_METRICS:
        columns["from_anchor"] = obs.drift[metric]
    named = {"metric": _same(metric.name.lower(), rows)}
    return pl.DataFrame(named | {name: rounded(values[rows]) for name, values in columns.items()}).to_struct("baseline")


def _expectation(obs: Observations, rows: Ints) -> dict[str, pl.Series]:
    """The hashrate that 100 % stands for, and whether it was given or inferred."""
    words = pl.Series([source.name.lower() for source in ExpectationSource])
    return {
        "expected_ths": rounded(obs.frame.expected_ths[rows]),
        "expectation": words.gather(obs.expectation[rows].astype(np.int64)),
    }


def _left_out(bits: NDArray[np.int32]) -> pl.Series:
    kinds, which = np.unique(bits, return_inverse=True)
    names = pl.Series([list(left_out_names(int(kind))) for kind in kinds], dtype=pl.List(pl.String))
    return names.gather(which)


def _same(text: str | None, rows: Ints) -> pl.Series:
    return pl.Series([text], dtype=pl.String).new_from_index(0, len(rows))
