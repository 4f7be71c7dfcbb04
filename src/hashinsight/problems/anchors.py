"""What a machine was like when it was well: the median of its first healthy days, and sums of how far it is from it.

An average of a day follows a slow decline and never sees it. The anchor does not move, and two sums (CUSUM) gather
what lies beyond one and a half standard deviations of it, hour by hour.
"""

import numpy as np

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.codes import ANCHORED_METRICS
from hashinsight.problems.frame import Flags, Floats
from hashinsight.problems.state import BLOCKS, State

BLOCK_SEC = 6 * 3600.0
_LEAST_BLOCKS = 4
_LEAST_IN_BLOCK = 12
_SLACK = 1.5
_CLIP = 3.0
_MOST = 1.5  # of the threshold: what was long bad is soon forgotten when it is mended


def gather(state: State, seen: Residuals, *, may: Flags, now: float) -> None:
    """Adds healthy values to the block that is being filled; a full block goes to the median. In place."""
    level = seen.level[:ANCHORED_METRICS]
    usable = may & ~np.isnan(level)
    state["block_sum"][:] += np.where(usable, level, 0.0)
    state["block_samples"][:] += usable
    began = state["block_began"]
    began[:] = np.where(may & np.isnan(began), now, began)
    rows = np.flatnonzero(now - began >= BLOCK_SEC)
    if rows.size:
        _close(state, rows)
        began[rows] = np.nan


def _close(state: State, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    blocks = state["blocks"].reshape(ANCHORED_METRICS, BLOCKS, state.n)[:, :, rows]
    count = state["block_samples"][:, rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = state["block_sum"][:, rows] / count
    filled = (~np.isnan(blocks)).sum(axis=1)
    place = (np.arange(BLOCKS)[None, :, None] == filled[:, None]) & (count >= _LEAST_IN_BLOCK)[:, None]
    blocks = np.where(place, mean[:, None], blocks)
    state["blocks"].reshape(ANCHORED_METRICS, BLOCKS, state.n)[:, :, rows] = blocks
    filled = (~np.isnan(blocks)).sum(axis=1)
    state["anchor"][:, rows] = np.where(filled >= _LEAST_BLOCKS, _median(blocks, filled), np.nan)
    state["block_sum"][:, rows] = 0
    state["block_samples"][:, rows] = 0


def _median(blocks: Floats, filled: Floats) -> Floats:
    """Along the blocks; sorting puts NaN last, which is several times faster than nanmedian."""
    ordered = np.sort(blocks, axis=1)
    last = np.maximum(filled - 1, 0)
    low, high = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in (last // 2, (last + 1) // 2))
    middle: Floats = (low + high) / 2
    return middle


def drift(state: State, seen: Residuals, *, may: Flags, elapsed: Floats, most: Floats) -> Floats:
    """How far the last half hour is from the anchor; carries both sums on, in sigma times hours, in place."""
    hours = elapsed / 3600
    apart = np.empty((ANCHORED_METRICS, state.n))
    for row in range(ANCHORED_METRICS):
        off = (seen.level[row] - state["anchor"][row]) / seen.sigma[row]
        usable = may & ~np.isnan(off)
        off = np.clip(off, -_CLIP, _CLIP)
        for name, sign in (("cusum_up", 1.0), ("cusum_down", -1.0)):
            grown = np.clip(state[name][row] + (sign * off - _SLACK) * hours, 0.0, _MOST * most)
            np.copyto(state[name][row], grown, where=usable, casting="same_kind")
        apart[row] = state["ewma"][row] + seen.smooth[row] - state["anchor"][row]
    return apart
