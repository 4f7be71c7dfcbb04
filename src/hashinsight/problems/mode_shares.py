"""What machines of a kind do in eco or perf, as a share of what they are rated for. Pure.

By the median of the sound ones of the same site, model, firmware and mode; of too few, by a machine's own past. What
does about what it is rated for needs no share: firmware that says what it should do in its mode has said so already.
"""

import numpy as np

from hashinsight.problems import group_stats, populations
from hashinsight.problems.codes import Metric, Mode
from hashinsight.problems.frame import Floats
from hashinsight.problems.pipeline import CycleResult
from hashinsight.problems.state import State

_LEAST_MACHINES = 5
_LEAST_SAMPLES = 6
_AS_RATED = 0.03
_MODES = len(Mode)


def mode_shares(found: CycleResult, state: State) -> Floats:
    """By machine of the frame; NaN where it is expected to do what it is rated for, or nobody knows."""
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
    has_past = state["samples"][metric] >= _LEAST_SAMPLES
    own = np.where(has_past, state["ewma"][metric] + state["reference"][metric], np.nan)
    share = np.where(np.isnan(of_kind), own, of_kind)
    return np.where(apart & (np.abs(share - 1) > _AS_RATED), share, np.nan)
