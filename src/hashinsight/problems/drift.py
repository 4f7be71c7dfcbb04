"""Slow decline, which a baseline of a day follows and never sees: drift from the anchor, and the slope of hashrate.

The anchor is the median of a machine's first healthy days and does not move. Two sums (CUSUM) add up, hour by hour,
what lies beyond one and a half standard deviations of it.
"""

import numpy as np

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import ANCHORED_METRICS, Metric
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.frame import Flags, Floats, Ints
from hashinsight.problems.state import BLOCKS, State, restart

BLOCK_SEC = 6 * 3600.0
_MIN_BLOCKS = 4
_MIN_IN_BLOCK = 12
_SLACK = 1.5
_CLIP = 3.0  # less the slack, this is the most that a sum grows by in an hour
_CAP = 1.5  # of the threshold: after a repair a long decline is soon forgotten
_SLOPE_SEC = 6 * 3600.0
_DAY = 86_400.0


def learn_anchors(state: State, own: Residuals, *, may: Flags, now: float) -> None:
    """Adds healthy values to the current block; a full block goes into the median. In place."""
    level = own.level[:ANCHORED_METRICS]
    usable = may & ~np.isnan(level)
    state["block_sum"][:] += np.where(usable, level, 0.0)
    state["block_samples"][:] += usable
    began = state["block_began"]
    began[:] = np.where(may & np.isnan(began), now, began)
    rows = np.flatnonzero(now - began >= BLOCK_SEC)
    if rows.size:
        _close_blocks(state, rows)
        began[rows] = np.nan


def _close_blocks(state: State, rows: Ints) -> None:
    all_blocks = state["blocks"].reshape(ANCHORED_METRICS, BLOCKS, state.n)
    blocks, count = all_blocks[:, :, rows], state["block_samples"][:, rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = state["block_sum"][:, rows] / count
    filled = (~np.isnan(blocks)).sum(axis=1)
    place = (np.arange(BLOCKS)[None, :, None] == filled[:, None]) & (count >= _MIN_IN_BLOCK)[:, None]
    blocks = np.where(place, mean[:, None], blocks)
    all_blocks[:, :, rows] = blocks
    filled = (~np.isnan(blocks)).sum(axis=1)
    state["anchor"][:, rows] = np.where(filled >= _MIN_BLOCKS, _median(blocks, filled), np.nan)
    state["block_sum"][:, rows] = 0
    state["block_samples"][:, rows] = 0


def _median(blocks: Floats, filled: Floats) -> Floats:
    """Along the blocks; sorting puts NaN last, which is several times faster than nanmedian."""
    ordered = np.sort(blocks, axis=1)
    last = np.maximum(filled - 1, 0)
    low, high = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in (last // 2, (last + 1) // 2))
    median: Floats = (low + high) / 2
    return median


def update_drift(state: State, own: Residuals, limits: MachineLimits, *, may: Flags, elapsed: Floats) -> Floats:
    """How far the last half hour is from the anchor. Updates both sums, in sigma hours, in place."""
    hours, cap = elapsed / 3600, _CAP * limits["cusum_sigma_hours"]
    drift = np.empty((ANCHORED_METRICS, state.n))
    for row in range(ANCHORED_METRICS):
        off = (own.level[row] - state["anchor"][row]) / own.sigma[row]
        usable = may & ~np.isnan(off)
        off = np.clip(off, -_CLIP, _CLIP)
        for name, sign in (("cusum_up", 1.0), ("cusum_down", -1.0)):
            grown = np.clip(state[name][row] + (sign * off - _SLACK) * hours, 0.0, cap)
            np.copyto(state[name][row], grown, where=usable, casting="same_kind")
        drift[row] = state["ewma"][row] + own.smooth[row] - state["anchor"][row]
    return drift


def update_slope(
    state: State, own: Residuals, limits: MachineLimits, *, may: Flags, explained: Flags, elapsed: Floats,
    config: Config,
) -> Floats:  # fmt: skip
    """Slope of hashrate_ratio per day, and in the state for how many hours it has been too steep. In place.

    An average with time scale T lags a ramp by slope times T, so the residual divided by T is the slope.
    """
    days = config.baseline_sec / _DAY
    weight = 1 - np.exp(-elapsed / _SLOPE_SEC)
    slope_now = own.residual[Metric.HASHRATE_RATIO] / days
    usable = may & ~own.cold[Metric.HASHRATE_RATIO]
    bound = 3 * own.sigma[Metric.HASHRATE_RATIO] / days
    before = state["slope"]
    state["slope"][:] = np.where(usable, before + weight * (np.clip(slope_now, -bound, bound) - before), before)
    is_steep = state["slope"] < -limits["trend_per_day"]
    hours = np.where(is_steep, state["slope_hours"] + elapsed / 3600, 0.0)
    state["slope_hours"][:] = np.where(usable, np.minimum(hours, 1000.0), state["slope_hours"])
    # a decline that another problem explains is no trend, and leaves none behind
    restart(state, explained, ("slope", "slope_hours"))
    return state["slope"].astype(np.float64)
