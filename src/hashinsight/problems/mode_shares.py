"""What machines of a kind do in eco or perf, as a share of their reference hashrate. Pure.

By the median of the sound ones of the same site, model, firmware and mode; of too few, by a machine's own past. The
share is 1 where firmware reports what the machine should do in its mode.
"""

import numpy as np

from hashinsight.problems import group_stats, populations
from hashinsight.problems.codes import Metric, Mode
from hashinsight.problems.features import HASHING_RATIO
from hashinsight.problems.frame import Floats
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State

_LEAST_MACHINES = 5
_LEAST_SAMPLES = 6
_AS_REPORTED = 0.03
_MODES = len(Mode)


def mode_shares(found: CycleResult, state: State) -> Floats:
    """By machine of the frame; NaN in normal mode, and where nobody knows."""
    seen, frame = found.observed.features, found.observed.frame
    apart = (found.mode == Mode.ECO) | (found.mode == Mode.PERF)
    if not apart.any():
        return np.full(frame.n, np.nan)
    kinds = populations.groups(frame, found.observed.limits)
    group = kinds.of * _MODES + found.mode
    is_sound = apart & seen.hashing & ~seen.booting & ~found.observed.data.planned_outage
    is_sound &= ~(seen.boards_ratio < 1) & ~found.observed.shown.any(axis=0)
    ordered = group_stats.sort(seen.hashrate_ratio, group, is_sound, len(kinds.names) * _MODES)
    of_kind = np.where(ordered.count >= _LEAST_MACHINES, group_stats.quantile(ordered, 0.5), np.nan)[group]
    metric = int(Metric.HASHRATE_RATIO)
    samples, past = state["samples"][metric], state["ewma"][metric] + state["reference"][metric]
    own = np.where(samples >= _LEAST_SAMPLES, past, np.where(seen.hashing, np.nan, _last(state, samples, past)))
    share = np.where(np.isnan(of_kind), own, of_kind)
    return np.where(apart, np.where(np.abs(share - 1) <= _AS_REPORTED, 1.0, share), np.nan)


def _last(state: State, samples: Floats, past: Floats) -> Floats:
    """What a machine that went dark early did in its mode: its few samples, else its last reading."""
    reading = state["last_raw"][int(Metric.HASHRATE_RATIO)].astype(np.float64)
    return np.where(samples >= 1, past, np.where(reading > HASHING_RATIO, reading, np.nan))
