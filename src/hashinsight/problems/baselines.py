"""What is usual for one machine: an average that fades with time, learnt only while all is well.

Values are taken as differences from what is common to machines of its kind just now (`reference`), so that weather,
which moves all of them, moves no baseline, and a frozen one does not grow old. A plain average follows a lost hashboard
within hours; this one is frozen while a problem is open, and takes no step larger than three standard deviations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems import group_stats
from hashinsight.problems.codes import ANCHORED_METRICS, METRICS, REFERENCED_METRICS, Metric, ThawReason
from hashinsight.problems.config import Config
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, zeroed
from hashinsight.problems.peers import PeerLevel
from hashinsight.problems.state import ANCHOR, BASELINE, FIELDS, State, restart

COLD = 6  # samples below which nothing is said against a machine's own past
_CLIP = 3.0
_SMOOTH_CLIP = 8.0
_FADES_SEC = 7200.0  # by half: sixty samples are none after half a day
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


def pooled_floor(state: State, level: PeerLevel, values: Floats) -> Floats:
    """The least deviation of every metric: by the model's usual one, the sensor, and the value's own size."""
    floor: Floats = np.maximum(_LEAST, _RELATIVE * zeroed(np.abs(values)))
    for metric in range(ANCHORED_METRICS):
        sigma = np.sqrt(state["variance"][metric].astype(np.float64))
        grown = state["samples"][metric] >= COLD
        usual = group_stats.median(sigma, level.group, grown, level.groups)[level.group]
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
        level[row] = value - reference[row] if row < REFERENCED_METRICS else value
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
    state: State, seen: Residuals, floor: Floats, *, may: Flags, boards_may: Flags, maimed: Flags, heated: Flags,
    elapsed: Floats,
    config: Config,
) -> None:  # fmt: skip
    """Takes this cycle's values into the average where that is allowed, in place.

    Boards are counted, not measured: one fewer never becomes usual by itself, however long it lasts, nor does what a
    machine hashes without it (`maimed`), nor the heat of one that is too hot (`heated`). All boards are usual at once,
    whatever else is open (`boards_may`).
    """
    allowed = {Metric.BOARDS_RATIO: boards_may, Metric.HASHRATE_RATIO: may & ~maimed}
    allowed |= dict.fromkeys((Metric.TEMP_MAX, Metric.TEMP_LOAD), may & ~heated)
    for row, value in enumerate(seen.level):
        ewma, variance, samples = past = tuple(state[name][row] for name in ("ewma", "variance", "samples"))
        moved = update(ewma, variance, samples, value, floor=floor[row], elapsed=elapsed, scale_sec=config.baseline_sec)
        usable = allowed.get(Metric(row), may) & ~np.isnan(value)
        for kept, new in zip(past, moved, strict=True):
            np.copyto(kept, new, where=usable, casting="same_kind")


def refer(
    state: State, metric: Metric, middle: Floats, level: NDArray[np.int8], at: Callable[[int], Floats],
    *, elapsed: Floats,
) -> Floats:  # fmt: skip
    """The reference of one metric, by machine: `middle` on its `level`, -1 where there is none. In place.

    A machine's past is told in the terms of the group that it is compared with. When that is another one than before,
    the past is moved by the difference of both (`at` gives the reference of this very moment on a level). Where too few
    are left, hashrate goes on by itself; what follows the weather waits, unjudged, until its past has faded (half
    a day), and begins again by itself.
    """
    before, samples = state["reference_level"][metric], state["samples"][metric]
    known = samples > 0
    lost = known & (level < 0) & (before >= 0) & (metric is not Metric.HASHRATE_RATIO)
    if lost.any():
        np.multiply(samples, 0.5 ** (elapsed / _FADES_SEC), out=samples, where=lost)
        faded = lost & (samples < 1)
        _forget_metric(state, metric, faded)
        lost &= ~faded
        known = samples > 0
    moved = known & (level != before) & ~lost
    for old in np.unique(before[moved]).tolist():
        rows = moved & (before == old)
        last = state["reference"][metric, rows].astype(np.float64)
        held = np.where(level[rows] >= 0, middle[rows], 0.0)
        then = zeroed(np.where(np.isnan(now := at(old)[rows]), last, now)) if old >= 0 else 0.0
        _shift(state, metric, rows, then - held)
    middle = np.where(level >= 0, middle, 0.0)
    state["reference_level"][metric] = np.where(lost, before, level)
    state["reference"][metric] = np.where(lost, state["reference"][metric], middle)
    return np.where(lost, np.nan, middle)


def _shift(state: State, metric: Metric, rows: Flags, by: Floats) -> None:
    state["ewma"][metric, rows] += by
    if metric < ANCHORED_METRICS:
        state["anchor"][metric, rows] += by
        state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric][:, rows] += by
        state["block_sum"][metric, rows] += by * state["block_samples"][metric, rows]


def rescale(state: State, rows: Flags, factor: Floats) -> None:
    """What was learnt of hashrate over expected hashrate, after the expected one has changed. In place."""
    metric, common = Metric.HASHRATE_RATIO, state["reference"][Metric.HASHRATE_RATIO, rows]
    common = zeroed(common)
    for kept in (state["ewma"][metric], state["anchor"][metric]):
        kept[rows] = (kept[rows] + common) * factor - common
    blocks = state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric]
    blocks[:, rows] = (blocks[:, rows] + common) * factor - common
    state["variance"][metric, rows] *= factor**2
    state["smooth"][metric, rows] *= factor
    count = state["block_samples"][metric, rows]
    state["block_sum"][metric, rows] = (state["block_sum"][metric, rows] + count * common) * factor - count * common


def _forget_metric(state: State, metric: Metric, rows: Flags) -> None:
    for name in ("ewma", "variance", "samples", "smooth"):
        state[name][metric, rows] = FIELDS[name][2]
    if metric < ANCHORED_METRICS:
        for name in ("anchor", "cusum_up", "cusum_down", "block_sum", "block_samples"):
            state[name][metric, rows] = FIELDS[name][2]
        state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric][:, rows] = FIELDS["blocks"][2]


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
    restart(state, rows, ("frozen_since", "own_ths", "inferred_ths"))
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
