"""Why we think so: the numbers behind the hits of one rule, as JSON, for all of its machines at once."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.problems.codes import ANCHORED_METRICS, ExpectationSource, Issue, Metric
from hashinsight.problems.events import Events
from hashinsight.problems.features import names_left_out
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.health_rules import BY_ISSUE, Criterion, Rule
from hashinsight.problems.peer_stats import numbers, stands
from hashinsight.problems.peer_stats import told as told_among
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.told import Told
from hashinsight.problems.ways import told_of

_OF_EXPECTED = ("hashrate_ratio", "trend_slope")


def rule_evidence(found: CycleResult, rows: Ints, issue: Issue) -> list[str]:
    """`rule_code, description, <metric>, threshold, evaluated_at`, by which way it hit, and what it was compared with.

    One text a row. `metric` names the key of the number that passed; value and threshold are of one unit.
    """
    rule, ways = BY_ISSUE[issue], told_of(found, rows, issue)
    hits = np.stack([one.hit for one in ways])
    first = np.argmax(hits, axis=0)  # the first that hit; the first of all where none did
    texts = np.empty(len(rows), dtype=object)
    for number, (way, told) in enumerate(zip(rule.ways, ways, strict=True)):
        at = np.flatnonzero(first == number)
        if len(at):
            columns = _begin(rule, found.now, at) | _numbers(way, told, at)
            columns |= _by(rule, hits[:, at], found.seen.shown[issue, rows[at]])
            if told.own is not None:
                columns["baseline"] = _baseline(found, rows[at], told.own)
            if issue is Issue.FLEET_OUTLIER:
                columns["peers"] = _peers(found, rows[at])
            if way.metric in _OF_EXPECTED:
                columns |= _expectation(found, rows[at])
            columns["left_out"] = _left_out(found.left_out[rows[at]])
            texts[at] = _as_json(columns)
    written: list[str] = texts.tolist()
    return written


def collector_evidence(now: float, heard_at: Floats, newest: Floats, *, silent_sec: float) -> list[str]:
    """The evidence of collectors that are down: when each was last heard, or brought a sample, and what is too long."""
    rule, rows = BY_ISSUE[Issue.COLLECTOR_DOWN], np.arange(len(heard_at))
    moment = pl.Series(heard_at * 1e6).fill_nan(None).cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
    heard = {"heard_at": moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.f+00:00")}
    silent = ~(now - heard_at < silent_sec)
    texts = np.full(len(rows), "", dtype=object)
    for way, hit, age in zip(rule.ways, (silent, ~silent), (now - heard_at, now - newest), strict=True):
        at = np.flatnonzero(hit)
        if len(at):
            told = Told(hit, age, np.full(len(rows), silent_sec), aside=heard)
            texts[at] = _as_json(_begin(rule, now, at) | _numbers(way, told, at))
    written: list[str] = texts.tolist()
    return written


def _begin(rule: Rule, now: float, rows: Ints) -> dict[str, pl.Series]:
    return {
        "rule_code": _same(rule.code, rows),
        "description": _same(rule.description, rows),
        "evaluated_at": _same(datetime.fromtimestamp(now, UTC).isoformat(), rows),
    }


def _numbers(way: Criterion, told: Told, at: Ints) -> dict[str, pl.Series]:
    value = told.value[at]
    columns = {
        "way": _same(way.name, at),
        "metric": _same(way.metric, at),
        way.metric: value if isinstance(value, pl.Series) else numbers(value),
        "threshold": numbers(np.full(len(at), np.nan) if told.threshold is None else told.threshold[at]),
        "side": _same(way.side, at),
    }
    if told.is_mean is not None:
        columns["measured"] = pl.Series(["now", "half_hour_mean"]).gather(told.is_mean[at].astype(np.int64))
    return columns | {name: one.gather(at) for name, one in told.aside.items()}


def _by(rule: Rule, hits: Flags, held: Flags) -> dict[str, pl.Series]:
    """All the ways that hit, by the few combinations that there are; and whether it is held with a narrower margin."""
    told = {"held": pl.Series(held)}
    if len(rule.ways) > 1:
        names = [way.name for way in rule.ways]
        kinds, which = np.unique(hits, axis=1, return_inverse=True)
        lists = [[name for name, hit in zip(names, one, strict=True) if hit] for one in kinds.T.tolist()]
        told["ways"] = pl.Series(lists, dtype=pl.List(pl.String)).gather(which.reshape(-1))
    return told


def peer_metrics(found: CycleResult, rows: Ints) -> list[str | None]:
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


def _peers(found: CycleResult, rows: Ints) -> pl.Series:
    """A metric for which there are too few peers, or which the machine does not tell, is null."""
    own = found.seen.own.value
    metrics = {metric.name.lower(): told_among(among, own[metric], rows) for metric, among in found.seen.peers.items()}
    return pl.DataFrame(metrics).to_struct("peers")


def _baseline(found: CycleResult, rows: Ints, metric: Metric) -> pl.Series:
    own = found.seen.own
    columns = {
        "metric": _same(metric.name.lower(), rows),
        "value": numbers(own.value[metric, rows]),
        "expected": numbers(own.value[metric, rows] - own.residual[metric, rows]),
        "residual": numbers(own.residual[metric, rows]),
        "smoothed_residual": numbers(own.smooth[metric, rows]),
        "sigma": numbers(own.sigma[metric, rows]),
        "z": numbers(own.z[metric, rows]),
    }
    if metric < ANCHORED_METRICS:
        columns["from_anchor"] = numbers(found.seen.drift[metric, rows])
    return pl.DataFrame(columns).to_struct("baseline")


def _expectation(found: CycleResult, rows: Ints) -> dict[str, pl.Series]:
    """By what the hashrate was measured, and whether somebody said so or it was inferred."""
    words = pl.Series([one.name.lower() for one in ExpectationSource])
    return {
        "expected_ths": numbers(found.seen.frame.expected_ths[rows]),
        "expectation": words.gather(found.seen.expectation[rows].astype(np.int64)),
    }


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


@dataclass(frozen=True)
class EventDetails:
    """JSON by row of the events; null where nothing is to be written."""

    evidence: pl.Series
    peers: pl.Series


def describe(found: CycleResult, events: Events, which: Flags, subjects: pl.DataFrame) -> EventDetails:
    """Loops over issues, of which there are a few, never over machines."""
    evidence, peers = np.full(events.n, None, dtype=object), np.full(events.n, None, dtype=object)
    machines = found.seen.frame.miner_no
    for issue in Issue:
        rows = np.flatnonzero(which & (events.issue == issue))
        if not len(rows):
            continue
        if issue is Issue.COLLECTOR_DOWN:
            heard = pl.DataFrame({"subject": events.subject[rows]}).join(subjects, on="subject", how="left")["heard_at"]
            heard_at = heard.cast(pl.Float64).fill_null(float("nan")).to_numpy()
            newest = _newest_of(found.seen.frame, -1 - events.subject[rows])
            evidence[rows] = collector_evidence(found.now, heard_at, newest, silent_sec=found.config.offline_sec)
            continue
        at = np.searchsorted(machines, events.subject[rows])
        evidence[rows] = rule_evidence(found, at, issue)
        peers[rows] = peer_metrics(found, at)
    return EventDetails(pl.Series(evidence.tolist(), dtype=pl.String), pl.Series(peers.tolist(), dtype=pl.String))


def _newest_of(frame: Frame, collectors: Ints) -> Floats:
    """When the newest sample of any of its machines was taken, by collector; NaN where there is none."""
    named = frame.collector.no >= 0
    newest = np.full(len(frame.collector.of) + 1, np.nan)
    np.fmax.at(newest, frame.collector.no[named], frame.ts[named])
    chosen: Floats = newest[np.minimum(collectors, len(frame.collector.of))]
    return chosen
