"""The health of each machine after a cycle: the columns of the live layer, the counts of its site, its losses. Pure."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from hashinsight.problems import group_stats, populations
from hashinsight.problems.codes import DataState, EventStatus, ExpectationSource, Metric, Mode, RuleVerdict, Severity
from hashinsight.problems.features import HASHING_RATIO
from hashinsight.problems.frame import Floats
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State
from hashinsight.telemetry import losses

_UNKNOWN, _OK = -1, 127  # beside severities
_WORDS = {_UNKNOWN: "unknown", _OK: "ok", **{int(severity): severity.name for severity in Severity}}
_MODES = {int(mode): mode.name.lower() for mode in Mode}
_LIVE_COLUMNS = ("overall_health", "inferred_mode", "mode_share", "inferred_ths", "recent_reject_rate")
_SHARE_MOVES = 0.01
_RATE_MOVES, _RATE_MOVES_SHARE = 0.002, 0.2  # a rate varies with every share
_MIN_MACHINES, _MIN_SAMPLES = 5, 6
_AS_REPORTED = 0.03
_TALLIED = ("machines", *losses.CONDITIONS, "lost_ths")
# by machine, what those are counted from
_PACKED: dict[str, Any] = {
    "miner_no": pl.Int32,
    "condition": pl.Enum(losses.CONDITIONS),
    "lack_ths": pl.Float64,
    "running_ths": pl.Float64,
}


def live_columns(live: pl.DataFrame, result: CycleResult, state: State) -> pl.DataFrame:
    """The live columns that a cycle writes, with each machine's losses; the previous values are `…_before`."""
    obs = result.observed
    inferred = np.where(obs.expectation > ExpectationSource.GIVEN, state["inferred_ths"], np.nan)
    judged = pl.DataFrame(
        {
            "miner_no": pl.Series(obs.frame.miner_no, dtype=live.schema["miner_no"]),
            "overall_health": pl.Series(_overall_health(result)).replace_strict(_WORDS, return_dtype=pl.String),
            "inferred_mode": pl.Series(result.mode).replace_strict(_MODES, return_dtype=pl.String),
            "recent_reject_rate": pl.Series(obs.features.reject_rate, dtype=pl.Float32).fill_nan(None),
            "inferred_ths": pl.Series(inferred, dtype=pl.Float32).fill_nan(None),
            "mode_share": pl.Series(mode_shares(result, state), dtype=pl.Float32).fill_nan(None),
        }
    )
    before = live.select("miner_no", *losses.LOSS_INPUTS, pl.col(_LIVE_COLUMNS).name.suffix("_before"))
    both = before.join(judged, on="miner_no", maintain_order="left")
    rate = pl.coalesce("recent_reject_rate", "recent_reject_rate_before")  # a silent machine has no newer one
    weighed = losses.add_losses(both.with_columns(recent_reject_rate=rate))
    # a stopped or down machine is not OK; whether late data are is evaluated whenever they are read
    is_not_running = pl.col("condition").is_in(("stopped", "down"))
    return weighed.with_columns(overall_health=pl.when(is_not_running).then("condition").otherwise("overall_health"))


def changed_columns(live: pl.DataFrame) -> pl.DataFrame:
    """The few machines whose columns changed; shares and rates vary with every sample, and count once they moved."""
    share, before = pl.col("mode_share"), pl.col("mode_share_before")
    names = ("overall_health", "inferred_mode", "inferred_ths")  # inferred values move in steps
    differs = [pl.col(name).ne_missing(pl.col(f"{name}_before")) for name in names]
    rate, rate_before = pl.col("recent_reject_rate"), pl.col("recent_reject_rate_before")
    rate_moved = (rate - rate_before).abs() >= pl.max_horizontal(_RATE_MOVES, _RATE_MOVES_SHARE * rate_before)
    moved = (share.is_null() != before.is_null()) | ((share - before).abs() >= _SHARE_MOVES).fill_null(value=False)
    moved |= rate_moved.fill_null(value=False) | (rate.is_not_null() & rate_before.is_null())
    return live.filter(pl.any_horizontal(*differs, moved)).select("miner_no", *_LIVE_COLUMNS)


def _overall_health(result: CycleResult) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """By machine the worst severity that is shown, `_OK` or `_UNKNOWN`.

    Only a machine with fresh data is OK: not one that is dark without a problem (curtailed, suppressed, just now), nor
    one whose hits a suppression hides.
    """
    frame, events = result.observed.frame, result.lifecycle.events
    worst = np.full(frame.n, _OK, dtype=np.int8)
    shown = events.take(events.active & (events.status != EventStatus.PENDING) & (events.subject >= 0))
    at = np.searchsorted(frame.miner_no, shown.subject)
    here = at < len(worst)
    here[here] = frame.miner_no[at[here]] == shown.subject[here]
    np.minimum.at(worst, at[here], shown.severity[here])
    unseen = result.observed.data.state != DataState.FRESH
    if frame.suppressed.any():
        unseen |= frame.suppressed & (result.verdict == RuleVerdict.HIT).any(axis=0)
    worst[(worst == _OK) & unseen] = _UNKNOWN
    return worst


def mode_shares(result: CycleResult, state: State) -> Floats:
    """What a machine in eco or perf does, as a share of its reference hashrate; NaN in normal mode, or unknown.

    The median of healthy machines of the same site, model, firmware and mode; of too few, the machine's own baseline.
    The share is 1 where firmware reports the hashrate of its mode.
    """
    obs, features = result.observed, result.observed.features
    apart = (result.mode == Mode.ECO) | (result.mode == Mode.PERF)
    if not apart.any():
        return np.full(obs.frame.n, np.nan)
    kinds = populations.groups(obs.frame, obs.limits)
    group = kinds.of * len(Mode) + result.mode
    is_healthy = apart & features.hashing & ~features.booting & ~obs.data.planned_outage
    is_healthy &= ~(features.boards_ratio < 1) & ~obs.shown.any(axis=0)
    ordered = group_stats.sort(features.hashrate_ratio, group, is_healthy, len(kinds.names) * len(Mode))
    of_kind = np.where(ordered.count >= _MIN_MACHINES, group_stats.quantile(ordered, 0.5), np.nan)[group]
    metric = int(Metric.HASHRATE_RATIO)
    samples, baseline = state["samples"][metric], state["ewma"][metric] + state["reference"][metric]
    own = np.where(
        samples >= _MIN_SAMPLES, baseline, np.where(features.hashing, np.nan, _last(state, samples, baseline))
    )
    share = np.where(np.isnan(of_kind), own, of_kind)
    return np.where(apart, np.where(np.abs(share - 1) <= _AS_REPORTED, 1.0, share), np.nan)


def _last(state: State, samples: Floats, baseline: Floats) -> Floats:
    """What a machine that went dark early did in its mode: its few samples, else its last reading."""
    reading = state["last_raw"][int(Metric.HASHRATE_RATIO)].astype(np.float64)
    return np.where(samples >= 1, baseline, np.where(reading > HASHING_RATIO, reading, np.nan))


@dataclass(frozen=True)
class SiteTally:
    """Machines by condition, each counted once; the rest is unknown. So is the loss of a site never scanned."""

    machines: int
    healthy: int = 0
    with_problem: int = 0
    stopped: int = 0
    down: int = 0
    lost_ths: float | None = None


def site_tally(live: pl.DataFrame) -> SiteTally:
    """Of the live columns of one site."""
    return _tally(losses.tally(live, "site_id"))


def pack_conditions(live: pl.DataFrame) -> bytes:
    """Each machine's condition, stored with the scan, so that a part of the site can be counted as of the scan."""
    file = io.BytesIO()
    live.select(*_PACKED).cast(pl.Schema(_PACKED)).write_ipc(file, compression="lz4")
    return file.getvalue()


def partial_tally(packed: bytes, miner_nos: Sequence[int]) -> SiteTally:
    """Of these machines as far as the scan saw them."""
    part = pl.read_ipc(packed).filter(pl.col("miner_no").is_in(miner_nos))
    return _tally(losses.tally(part, pl.lit(0).alias("all"), only=_TALLIED)) if len(part) else SiteTally(0)


def _tally(rows: pl.DataFrame) -> SiteTally:
    if rows.is_empty():
        return SiteTally(0)
    row: Mapping[str, Any] = rows.row(0, named=True)
    return SiteTally(
        machines=row["machines"],
        healthy=row["fine"],
        with_problem=sum(row[name] for name in losses.SEVERITIES),
        stopped=row["stopped"],
        down=row["down"],
        lost_ths=row["lost_ths"],
    )
