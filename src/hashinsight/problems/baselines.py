"""What is usual for one machine: an average that fades with time, learnt only while all is well.

Values are taken as differences from what is common to machines of its kind just now (`reference`), so that weather,
which moves all of them, moves no baseline, and a frozen one does not grow old. A plain average follows a lost hashboard
within hours; this one is frozen while a problem is open, and takes no step larger than three standard deviations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import grouping
from hashinsight.problems.codes import ANCHORED, METRICS, REFERRED, Metric, ThawReason
from hashinsight.problems.config import Config
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, zeroed
from hashinsight.problems.peers import Level
from hashinsight.problems.state import ANCHOR, BASELINE, FIELDS, State, restart

COLD = 6  # samples below which nothing is said against a machine's own past
_CLIP = 3.0
_SMOOTH_CLIP = 8.0
_FADES_SEC = 4320.0  # by half: a thousand samples are none after half a day
_LONGEST_SEC = 6 * 3600.0  # a sample after a long silence weighs no more than this
# the least standard deviation: what sensors resolve, and a part of the value itself
_LEAST = np.array([0.004, 0.05, 0.5, 0.5, 0.5, 0.02, 0.003, 0.002])[:, None]
_RELATIVE = np.array([0.0, 0.006, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[:, None]
_POOLED = 0.5  # of what is usual for the model


@dataclass(frozen=True)
class Residuals:
    """(metrics, machines). `smooth` is the mean of the last half hour or so; z compares it with single samples."""

    value: Floats  # as measured
    level: Floats  # less its reference
    residual: Floats
    sigma: Floats
    smooth: Floats
    z: Floats
    cold: Flags


def values_of(seen: Features) -> Floats:
    rows = np.empty((METRICS, len(seen.hashing)))
    for metric in Metric:
        rows[metric] = getattr(seen, metric.name.lower())
    return rows


def update(
    ewma: Floats, variance: Floats, samples: Floats, value: Floats, *, floor: Floats, elapsed: Floats, scale_sec: float
) -> tuple[Floats, Floats, Floats]:
    """One step of the average and its variance. Young ones weigh all samples alike, older ones by time."""
    begins = samples < 1
    weight = np.maximum(1 - np.exp(-elapsed / scale_sec), 1 / (samples + 1.0))
    bound = np.where(samples < COLD, np.inf, _CLIP * np.sqrt(np.fmax(variance, floor**2)))
    step = np.clip(value - ewma, -bound, bound)
    moved = np.where(begins, value, ewma + weight * step)
    spread = np.where(begins, floor**2, (1 - weight) * (variance + weight * step**2))
    return moved, spread, samples + 1


def pooled_floor(state: State, level: Level, values: Floats) -> Floats:
    """The least deviation of every metric: by the model's usual one, the sensor, and the value's own size."""
    floor: Floats = np.maximum(_LEAST, _RELATIVE * zeroed(np.abs(values)))
    for metric in range(ANCHORED):
        sigma = np.sqrt(state["variance"][metric].astype(np.float64))
        grown = state["samples"][metric] >= COLD
        usual = grouping.median(sigma, level.group, grown, level.groups)[level.group]
        floor[metric] = np.fmax(floor[metric], _POOLED * usual)
    return floor


def compare(
    state: State, values: Floats, reference: Floats, floor: Floats, *, judged: Flags, elapsed: Floats, config: Config
) -> Residuals:
    """How far each machine is from its own past. Carries the short mean on where `judged`, in place."""
    shape = values.shape
    level, residual, sigma, smooth, z = (np.empty(shape) for _ in range(5))
    cold = np.empty(shape, dtype=np.bool_)
    part = 1 - np.exp(-elapsed / config.smooth_sec)
    for row, value in enumerate(values):  # a metric at a time stays in the processor's cache
        level[row] = value - reference[row] if row < REFERRED else value
        residual[row] = level[row] - state["ewma"][row]
        missing = np.isnan(residual[row])
        sigma[row] = np.sqrt(np.fmax(state["variance"][row], floor[row] ** 2))
        cold[row] = (state["samples"][row] < COLD) | missing
        bound = _SMOOTH_CLIP * sigma[row]
        before = state["smooth"][row]
        moved = before + part * (np.clip(residual[row], -bound, bound) - before)
        smooth[row] = np.where(judged & ~cold[row], moved, before)
        z[row] = smooth[row] / sigma[row]
        state["smooth"][row] = smooth[row]
        np.copyto(state["last_raw"][row], value, where=~np.isnan(value), casting="same_kind")
        np.copyto(state["last_residual"][row], residual[row], where=~missing, casting="same_kind")
    return Residuals(values, level, residual, sigma, smooth, z, cold)


def learn(
    state: State, seen: Residuals, floor: Floats, *, may: Flags, boards_may: Flags, elapsed: Floats, config: Config
) -> None:
    """Takes this cycle's values into the average where that is allowed, in place.

    Boards are counted, not measured: one fewer never becomes usual by itself, however long it lasts, and all of them
    are usual at once, whatever else is open (`boards_may`).
    """
    for row, value in enumerate(seen.level):
        ewma, variance, samples = past = tuple(state[name][row] for name in ("ewma", "variance", "samples"))
        moved = update(ewma, variance, samples, value, floor=floor[row], elapsed=elapsed, scale_sec=config.baseline_sec)
        usable = (boards_may if row == Metric.BOARDS_RATIO else may) & ~np.isnan(value)
        for kept, new in zip(past, moved, strict=True):
            np.copyto(kept, new, where=usable, casting="same_kind")


def refer_anew(state: State, reference: Floats, untold: Flags, *, elapsed: Floats) -> None:
    """Metrics that too few of a kind tell, one by one. In place, before `recentre`.

    One that had a reference waits for it, unjudged: by itself it would be as far from its past as the reference was
    from nought. After half a day that past is forgotten, and a new one begins by itself. When enough come to tell it,
    it is told in their terms.
    """
    known = state["samples"][:REFERRED] > 0
    waits = untold & known & (state["reference"] != 0)
    if waits.any():
        reference[waits] = np.nan
        samples = state["samples"][:REFERRED]
        np.multiply(samples, 0.5 ** (elapsed / _FADES_SEC), out=samples, where=waits)
        _forget_metrics(state, waits & (samples < 1))
    gained = ~untold & known & (state["reference"] == 0) & (state["reference_level"] >= 0)
    if gained.any():
        shift = np.where(gained, zeroed(-reference), 0.0)
        state["ewma"][:REFERRED] += shift
        state["anchor"][:] += shift[:ANCHORED]
        state["blocks"].reshape(ANCHORED, -1, state.n)[:] += shift[:ANCHORED, None]
        restart(state, gained.any(axis=0), ("block_sum", "block_samples", "block_began"))


def _forget_metrics(state: State, which: Flags) -> None:
    for metric, rows in enumerate(which):
        for name in ("ewma", "variance", "samples", "smooth"):
            state[name][metric, rows] = FIELDS[name][2]
        if metric < ANCHORED:
            _forget_anchor(state, metric, rows)


def _forget_anchor(state: State, metric: int, rows: Flags) -> None:
    for name in ("anchor", "cusum_up", "cusum_down"):
        state[name][metric, rows] = FIELDS[name][2]
    state["blocks"].reshape(ANCHORED, -1, state.n)[metric][:, rows] = FIELDS["blocks"][2]


def recentre(state: State, reference: Floats, level: NDArray[np.int8], at: Callable[[int], Floats]) -> None:
    """When a machine's reference comes from another group than before, its past is told in the new terms.

    `at` gives the reference of this very cycle on a level, so that both sides are of one moment.
    """
    before = state["reference_level"]
    moved = (before != level) & (state["samples"][0] > 0)
    for old in np.unique(before[moved]).tolist():
        rows = moved & (before == old)
        old_terms = at(old)[:, rows] if old >= 0 else 0.0
        shift = zeroed(old_terms - reference[:, rows])
        state["ewma"][:REFERRED, rows] += shift
        state["anchor"][:, rows] += shift[:ANCHORED]
        restart(state, rows, ("block_sum", "block_samples", "block_began"))
        blocks = state["blocks"].reshape(ANCHORED, -1, state.n)
        blocks[:, :, rows] += shift[:ANCHORED, None]
    state["reference_level"][:] = level
    state["reference"][:] = reference


def stand_alone(state: State, rows: Flags, at: Callable[[int], Floats]) -> None:
    """Too few of its kind are left: from now on a machine is told by its own values, weather included.

    It keeps what it was like, but as lightly as one that has just begun, and no anchor of a temperature: that was of a
    moment's weather. Where nothing of its kind can be told, all begins again. In place, before `recentre`.
    """
    before = state["reference_level"]
    for old in np.unique(before[rows]).tolist():
        untold = rows & (before == old) & np.isnan(at(old)[Metric.HASHRATE_RATIO])
        forget(state, untold)
    few = np.minimum(state["samples"][:REFERRED], COLD)
    np.copyto(state["samples"][:REFERRED], few, where=rows)
    for metric in (Metric.TEMP_MAX, Metric.TEMP_LOAD):
        _forget_anchor(state, metric, rows)


def freeze(state: State, *, troubled: Flags, acknowledged: Flags, now: float, config: Config) -> Flags:
    """Who may not learn because a problem is open. A freeze ends after a week or when somebody has acknowledged it."""
    since = state["frozen_since"]
    open_now = troubled | acknowledged
    begins = open_now & np.isnan(since)
    since = np.where(begins, now, np.where(open_now, since, np.nan))
    let_go = open_now & (state["thawed_at"] >= since)
    timed_out = open_now & ~let_go & (now - since >= config.freeze_sec)
    accepted = open_now & ~let_go & acknowledged & ~troubled
    thaws = timed_out | accepted
    state["frozen_since"][:] = since
    state["thawed_at"][thaws] = now
    state["thaw_reason"][timed_out] = ThawReason.TIMEOUT
    state["thaw_reason"][accepted & ~timed_out] = ThawReason.ACKNOWLEDGED
    return open_now & ~(let_go | thaws)


def begin_anew(state: State, rows: Flags, *, now: float, reason: ThawReason) -> None:
    """After a repair or another firmware the past says nothing, and whatever was frozen is let go. In place."""
    forget(state, rows)
    restart(state, rows, ("frozen_since",))
    state["thawed_at"][rows] = now
    state["thaw_reason"][rows] = reason


def forget(state: State, rows: Flags) -> None:
    """Average and anchor begin again, as they do in another mode: they are of one machine in one mode. In place.

    How many boards a machine had is no matter of mode or firmware, and a repair brings them back: that stays.
    """
    counted = {name: state[name][Metric.BOARDS_RATIO].copy() for name in BASELINE if state[name].ndim > 1}
    restart(state, rows, BASELINE + ANCHOR)
    for name, had in counted.items():
        state[name][Metric.BOARDS_RATIO] = had
