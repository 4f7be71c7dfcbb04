"""Reference hashrate: the expected figure as given, else inferred from the kind, else from its own steady hours. Pure.

Collectors in the field often send neither model nor expected hashrate. An inferred figure is marked as such wherever it
is shown. When it moves, learnt ratios are converted: nothing learnt is lost, and no alarm is raised.
"""

import numpy as np

from hashinsight.problems import baselines, group_stats
from hashinsight.problems.codes import ExpectationSource
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.state import State, restart

_MEAN_SEC = 2 * 3600.0
_MIN_OF_KIND = 5
_ALIKE = 0.25  # spread of a kind over its median: beyond it one name stands for several models
_HALVES_SEC = 60 * 86_400.0
_MOVES = 0.02  # of the figure; the median of a kind varies by less


def expected_of(frame: Frame, state: State) -> Floats:
    """As given, now or last; else as inferred so far; NaN where neither is known. Converts learnt ratios, in place.

    A figure that was given once and is missing in some samples still applies.
    """
    given = frame.expected_ths > 0
    before = state["expectation"]
    was_given = ~given & (before == ExpectationSource.GIVEN)
    last = state["expected_ths"].astype(np.float64)
    inferred = state["inferred_ths"].astype(np.float64)
    expected = np.where(given, frame.expected_ths, np.where(was_given, last, inferred))
    source = np.where(np.isnan(expected), ExpectationSource.NONE, state["inferred_by"])
    replaced = given & (before > ExpectationSource.GIVEN)
    if replaced.any():
        _rescale(state, replaced, last / expected)
    state["expectation"][:] = np.where(given | was_given, ExpectationSource.GIVEN, source)
    state["expected_ths"][:] = expected
    return expected


def start_over(state: State, rows: Flags) -> None:
    """Of machines set to another mode: their own past does not apply to it. In place."""
    from_past = rows & (state["inferred_by"] == ExpectationSource.OWN_PAST)
    restart(state, from_past, ("own_ths", "inferred_ths"))


def infer(
    state: State, frame: Frame, group: Ints, groups: int, has_model: Flags, *, may: Flags, elapsed: Floats
) -> None:
    """Updates the inferred figures, in place. `may`: steady, with all boards."""
    given = frame.expected_ths > 0
    unknown = ~given & (state["expectation"] != ExpectationSource.GIVEN)
    if not unknown.any():
        return
    usable = may & (frame.hashrate_ths > 0)
    is_settled = _follow(state, frame.hashrate_ths, unknown & usable, elapsed)
    of_kind = _of_kind(state, frame, group, groups, measured=usable & has_model & unknown, given=given & has_model)
    is_of_kind = has_model & ~np.isnan(of_kind)
    best = np.where(is_of_kind, of_kind, np.where(is_settled, state["own_ths"], np.nan))
    before = state["inferred_ths"].astype(np.float64)
    faded = before * 0.5 ** (elapsed / _HALVES_SEC)  # it grows at once; what is not reached any more fades
    faded = np.where(is_of_kind & (state["inferred_by"] != ExpectationSource.KIND), np.nan, faded)
    moved = np.fmax(best, faded)
    moves = unknown & ~np.isnan(best) & (np.isnan(before) | (np.abs(moved / before - 1) > _MOVES))
    if not moves.any():
        return
    _rescale(state, moves & ~np.isnan(before), before / moved)
    for name in ("inferred_ths", "expected_ths"):
        state[name][moves] = moved[moves]
    state["inferred_by"][moves] = np.where(is_of_kind, ExpectationSource.KIND, ExpectationSource.OWN_PAST)[moves]


def _follow(state: State, hashrate: Floats, rows: Flags, elapsed: Floats) -> Flags:
    """Each machine's own mean, in place; and who has one. A single sample far from the next does not start one."""
    own = state["own_ths"].astype(np.float64)
    weight = 1 - np.exp(-elapsed / _MEAN_SEC)
    step = np.clip(hashrate - own, -_ALIKE * own, _ALIKE * own)
    is_unsettled = np.isnan(state["inferred_ths"]) & (np.abs(hashrate - own) > _ALIKE * own)
    starts = np.isnan(own) | is_unsettled
    moved = np.where(starts, hashrate, own + weight * step)
    np.copyto(state["own_ths"], moved, where=rows, casting="same_kind")
    has_one: Flags = rows & ~starts
    return has_one


def _of_kind(state: State, frame: Frame, group: Ints, groups: int, *, measured: Flags, given: Flags) -> Floats:
    """The figure given for its kind; else the median of its kind, where enough machines are alike."""
    given_ths = group_stats.median(frame.expected_ths, group, given, groups)[group]
    own = state["own_ths"].astype(np.float64)
    measured = measured & ~np.isnan(own)
    median = group_stats.median(own, group, measured, groups)[group]
    spread = group_stats.median(np.abs(own - median), group, measured, groups)[group]
    count = np.bincount(group[measured], minlength=groups)[group]
    is_alike = (count >= _MIN_OF_KIND) & (spread <= _ALIKE * median)
    return np.where(np.isnan(given_ths), np.where(is_alike, median, np.nan), given_ths)


def _rescale(state: State, rows: Flags, factor: Floats) -> None:
    """Ratios were learnt over another figure."""
    if rows.any():
        baselines.rescale(state, rows, factor[rows])
