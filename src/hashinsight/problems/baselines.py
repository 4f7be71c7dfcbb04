"""The baseline of a machine: an average that fades with time, learnt only while the machine is healthy.

Values are differences from what is common to machines of its kind (`references`), so that weather moves no baseline,
and a frozen one does not age. A plain average follows a lost hashboard within hours; this one is frozen while a problem
is open, and takes no step larger than three standard deviations.
"""

from dataclasses import dataclass

import numpy as np

from hashinsight.problems import group_stats
from hashinsight.problems.codes import ANCHORED_METRICS, METRICS, REFERENCED_METRICS, Metric, ThawReason
from hashinsight.problems.config import Config
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, zeroed
from hashinsight.problems.peers import PeerLevel
from hashinsight.problems.state import ANCHOR, BASELINE, State, restart

COLD = 6  # samples below which a machine is not compared with its baseline
_CLIP = 3.0  # an outlier moves the baseline no further than a value at 3 sigma
_SMOOTH_CLIP = 8.0
# least standard deviation by metric: what sensors resolve, and a share of the value
_MIN_SIGMA = np.array([0.004, 0.05, 0.5, 0.5, 0.5, 0.02, 0.003, 0.002])[:, None]
_MIN_SIGMA_SHARE = np.array([0.0, 0.006, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[:, None]
_POOLED = 0.5  # of the model's usual one


@dataclass(frozen=True)
class Residuals:
    """(metrics, machines). `smooth` is the mean of about half an hour; z compares it with single samples."""

    value: Floats  # as measured
    level: Floats  # less its reference
    residual: Floats
    sigma: Floats
    smooth: Floats
    z: Floats
    cold: Flags


def metric_values(features: Features) -> Floats:
    rows = np.empty((METRICS, len(features.hashing)))
    for metric in Metric:
        rows[metric] = getattr(features, metric.name.lower())
    return rows


def update(
    ewma: Floats, variance: Floats, samples: Floats, value: Floats, *, floor: Floats, elapsed: Floats, scale_sec: float
) -> tuple[Floats, Floats, Floats]:
    """One step of the average and its variance. A young one weighs all samples alike, an older one by time."""
    begins = samples < 1
    weight = np.maximum(1 - np.exp(-elapsed / scale_sec), 1 / (samples + 1.0))
    bound = np.where(samples < COLD, np.inf, _CLIP * np.sqrt(np.fmax(variance, floor**2)))
    step = np.clip(value - ewma, -bound, bound)
    moved = np.where(begins, value, ewma + weight * step)
    spread = np.where(begins, floor**2, (1 - weight) * (variance + weight * step**2))
    return moved, spread, samples + 1


def sigma_floor(state: State, level: PeerLevel, values: Floats) -> Floats:
    """The least standard deviation: by the model's usual one, the sensor, and the size of the value."""
    floor: Floats = np.maximum(_MIN_SIGMA, _MIN_SIGMA_SHARE * zeroed(np.abs(values)))
    for metric in range(ANCHORED_METRICS):
        sigma = np.sqrt(state["variance"][metric].astype(np.float64))
        grown = state["samples"][metric] >= COLD
        usual = group_stats.median(sigma, level.group, grown, level.groups)[level.group]
        floor[metric] = np.fmax(floor[metric], _POOLED * usual)
    return floor


def compare(
    state: State, values: Floats, reference: Floats, floor: Floats, *, judged: Flags, elapsed: Floats, config: Config
) -> Residuals:
    """How far each machine is from its baseline. Updates the half-hour mean where `judged`, in place."""
    shape = values.shape
    level, residual, sigma, smooth, z = (np.empty(shape) for _ in range(5))
    cold = np.empty(shape, dtype=np.bool_)
    weight = 1 - np.exp(-elapsed / config.smooth_sec)
    for row, value in enumerate(values):  # one metric at a time stays in the processor cache
        level[row] = value - reference[row] if row < REFERENCED_METRICS else value
        residual[row] = level[row] - state["ewma"][row]
        missing = np.isnan(residual[row])
        sigma[row] = np.sqrt(np.fmax(state["variance"][row], floor[row] ** 2))
        cold[row] = (state["samples"][row] < COLD) | missing
        bound = _SMOOTH_CLIP * sigma[row]
        before = state["smooth"][row]
        moved = before + weight * (np.clip(residual[row], -bound, bound) - before)
        smooth[row] = np.where(judged & ~cold[row], moved, before)
        z[row] = smooth[row] / sigma[row]
        state["smooth"][row] = smooth[row]
        np.copyto(state["last_raw"][row], value, where=~np.isnan(value), casting="same_kind")
        np.copyto(state["last_residual"][row], residual[row], where=~missing, casting="same_kind")
    return Residuals(values, level, residual, sigma, smooth, z, cold)


def learn(
    state: State, own: Residuals, floor: Floats, *, may: Flags, boards_may: Flags, board_lost: Flags,
    overheated: Flags, elapsed: Floats, config: Config,
) -> None:  # fmt: skip
    """Takes this cycle's values into the average where that is allowed, in place.

    A lost board never becomes normal, however long it lasts, nor the hashrate without it, nor the temperature of an
    overheated machine. All boards working is normal at once, whatever else is open (`boards_may`).
    """
    allowed = {Metric.BOARDS_RATIO: boards_may, Metric.HASHRATE_RATIO: may & ~board_lost}
    allowed |= dict.fromkeys((Metric.TEMP_MAX, Metric.TEMP_LOAD), may & ~overheated)
    for row, value in enumerate(own.level):
        ewma, variance, samples = learnt = tuple(state[name][row] for name in ("ewma", "variance", "samples"))
        moved = update(ewma, variance, samples, value, floor=floor[row], elapsed=elapsed, scale_sec=config.baseline_sec)
        usable = allowed.get(Metric(row), may) & ~np.isnan(value)
        for stored, new in zip(learnt, moved, strict=True):
            np.copyto(stored, new, where=usable, casting="same_kind")


def rescale(state: State, rows: Flags, factor: Floats) -> None:
    """Converts learnt hashrate ratios after the expected hashrate has changed. In place."""
    metric, common = Metric.HASHRATE_RATIO, state["reference"][Metric.HASHRATE_RATIO, rows]
    common = zeroed(common)
    for learnt in (state["ewma"][metric], state["anchor"][metric]):
        learnt[rows] = (learnt[rows] + common) * factor - common
    blocks = state["blocks"].reshape(ANCHORED_METRICS, -1, state.n)[metric]
    blocks[:, rows] = (blocks[:, rows] + common) * factor - common
    state["variance"][metric, rows] *= factor**2
    state["smooth"][metric, rows] *= factor
    count = state["block_samples"][metric, rows]
    state["block_sum"][metric, rows] = (state["block_sum"][metric, rows] + count * common) * factor - count * common


def freeze(state: State, *, unacknowledged: Flags, acknowledged: Flags, now: float, config: Config) -> Flags:
    """Who does not learn because of an open problem. A freeze ends after a week, or once all are acknowledged."""
    since = state["frozen_since"]
    open_now = unacknowledged | acknowledged
    begins = open_now & np.isnan(since)
    since = np.where(begins, now, np.where(open_now, since, np.nan))
    already_thawed = open_now & (state["thawed_at"] >= since)
    timed_out = open_now & ~already_thawed & (now - since >= config.freeze_sec)
    accepted = open_now & ~already_thawed & acknowledged & ~unacknowledged
    thaws = timed_out | accepted
    state["frozen_since"][:] = since
    state["thawed_at"][thaws] = now
    state["thaw_reason"][timed_out] = ThawReason.TIMEOUT
    state["thaw_reason"][accepted & ~timed_out] = ThawReason.ACKNOWLEDGED
    return open_now & ~(already_thawed | thaws)


def start_over(state: State, rows: Flags, *, now: float, reason: ThawReason) -> None:
    """After a repair or a firmware change the baseline starts again, and a freeze ends. In place."""
    forget(state, rows)
    restart(state, rows, ("frozen_since", "own_ths", "inferred_ths"))
    state["thawed_at"][rows] = now
    state["thaw_reason"][rows] = reason


def forget(state: State, rows: Flags) -> None:
    """Average and anchor start again: they are of one machine in one mode. In place.

    The number of boards does not depend on mode or firmware, and a repair brings them back: that baseline stays.
    """
    boards = {name: state[name][Metric.BOARDS_RATIO].copy() for name in BASELINE if state[name].ndim > 1}
    restart(state, rows, BASELINE + ANCHOR)
    for name, learnt in boards.items():
        state[name][Metric.BOARDS_RATIO] = learnt
