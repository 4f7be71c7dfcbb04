"""What a machine should hash where nobody says it: inferred from its kind, else from its own steady hours. Pure.

Collectors in the field often send neither model nor expected hashrate. The figure is marked as inferred wherever it is
shown. When it moves, the machine's past is told in the new terms: nothing that was learnt is lost, and nobody alarms.
"""

import numpy as np

from hashinsight.problems import baselines, group_stats
from hashinsight.problems.codes import ExpectationSource
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.state import State, restart

_MEAN_SEC = 2 * 3600.0
_LEAST_OF_KIND = 5
_ALIKE = 0.25  # spread of a kind over its middle: beyond it the same name stands for several models
_HALVES_SEC = 60 * 86_400.0
_MOVES = 0.02  # of the figure; its kind's middle trembles by less


def expected_of(frame: Frame, state: State) -> Floats:
    """As given, now or last; else as inferred so far; NaN where neither is known. Moves the past, in place.

    A figure that was given once and is left out of some samples still holds.
    """
    given = frame.expected_ths > 0
    before = state["expectation"]
    was_given = ~given & (before == ExpectationSource.GIVEN)
    last = state["expected_ths"].astype(np.float64)
    inferred = state["inferred_ths"].astype(np.float64)
    expected = np.where(given, frame.expected_ths, np.where(was_given, last, inferred))
    by_us = np.where(np.isnan(expected), ExpectationSource.NONE, state["inferred_by"])
    turned = given & (before > ExpectationSource.GIVEN)
    if turned.any():
        _rescale(state, turned, last / expected)
    state["expectation"][:] = np.where(given | was_given, ExpectationSource.GIVEN, by_us)
    state["expected_ths"][:] = expected
    return expected


def begin_anew(state: State, rows: Flags) -> None:
    """Of machines that were set to another mode: their own past is no measure of it. In place."""
    by_past = rows & (state["inferred_by"] == ExpectationSource.OWN_PAST)
    restart(state, by_past, ("own_ths", "inferred_ths"))


def infer(state: State, frame: Frame, group: Ints, groups: int, named: Flags, *, may: Flags, elapsed: Floats) -> None:
    """Moves the inferred figures on, in place. `may`: steady, with its boards; `named`: the machine tells its model."""
    given = frame.expected_ths > 0
    unknown = ~given & (state["expectation"] != ExpectationSource.GIVEN)
    if not unknown.any():
        return
    usable = may & (frame.hashrate_ths > 0)
    is_settled = _follow(state, frame.hashrate_ths, unknown & usable, elapsed)
    of_kind = _of_kind(state, frame, group, groups, measured=usable & named & unknown, given=given & named)
    is_of_kind = named & ~np.isnan(of_kind)
    best = np.where(is_of_kind, of_kind, np.where(is_settled, state["own_ths"], np.nan))
    before = state["inferred_ths"].astype(np.float64)
    kept = before * 0.5 ** (elapsed / _HALVES_SEC)  # it grows at once; what nobody reaches any more fades
    kept = np.where(is_of_kind & (state["inferred_by"] != ExpectationSource.KIND), np.nan, kept)
    moved = np.fmax(best, kept)
    moves = unknown & ~np.isnan(best) & (np.isnan(before) | (np.abs(moved / before - 1) > _MOVES))
    if not moves.any():
        return
    _rescale(state, moves & ~np.isnan(before), before / moved)
    for name in ("inferred_ths", "expected_ths"):
        state[name][moves] = moved[moves]
    state["inferred_by"][moves] = np.where(is_of_kind, ExpectationSource.KIND, ExpectationSource.OWN_PAST)[moves]


def _follow(state: State, hashrate: Floats, rows: Flags, elapsed: Floats) -> Flags:
    """Each machine's own mean, in place; and who has one. A single sample that is far from the next begins none."""
    own = state["own_ths"].astype(np.float64)
    part = 1 - np.exp(-elapsed / _MEAN_SEC)
    step = np.clip(hashrate - own, -_ALIKE * own, _ALIKE * own)
    is_unsettled = np.isnan(state["inferred_ths"]) & (np.abs(hashrate - own) > _ALIKE * own)
    begins = np.isnan(own) | is_unsettled
    moved = np.where(begins, hashrate, own + part * step)
    np.copyto(state["own_ths"], moved, where=rows, casting="same_kind")
    has_one: Flags = rows & ~begins
    return has_one


def _of_kind(state: State, frame: Frame, group: Ints, groups: int, *, measured: Flags, given: Flags) -> Floats:
    """What its kind is said to do; else what enough alike machines of it do, of which nobody says it."""
    said = group_stats.median(frame.expected_ths, group, given, groups)[group]
    own = state["own_ths"].astype(np.float64)
    measured = measured & ~np.isnan(own)
    middle = group_stats.median(own, group, measured, groups)[group]
    spread = group_stats.median(np.abs(own - middle), group, measured, groups)[group]
    count = np.bincount(group[measured], minlength=groups)[group]
    is_alike = (count >= _LEAST_OF_KIND) & (spread <= _ALIKE * middle)
    return np.where(np.isnan(said), np.where(is_alike, middle, np.nan), said)


def _rescale(state: State, rows: Flags, factor: Floats) -> None:
    """Hashrate over what is expected was learnt in terms of another figure."""
    if rows.any():
        baselines.rescale(state, rows, factor[rows])
