"""Readings that come several at a time: chips, fans. Their mean, least and most, and the list itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.telemetry.fields import Field

MOST_ENTRIES = 512
MOST_SENSORS = 16
Floats = NDArray[np.float64]
Bad = dict[int, tuple[str, str]]


@dataclass
class ListColumn:
    mean: Floats
    least: Floats
    most: Floats
    broken: NDArray[np.bool_]  # some entry is no reading
    said: Floats  # (rows, longest), NaN where a list is shorter
    lengths: NDArray[np.int64]


@dataclass(frozen=True)
class Plausible:
    """What a reading of such a list can be: not in `broken`, and not above `most`.

    Some collectors list cgminer's `fan_num` or `temp_num` among the readings: a value up to `MOST_SENSORS` that is
    `apart` from the highest is such a count.
    """

    broken: tuple[float, ...] = ()
    most: float = np.inf
    apart: float = 0.0


def read_lists(values: Sequence[Any], field: Field, bad: Bad, *, plausible: Plausible, zeros: bool) -> ListColumn:
    """Broken readings do not count. Where all are 0 it means that nobody knows, unless `zeros` are readings."""
    broken = plausible.broken
    rows: Sequence[list[Any]] = values
    if set(map(type, values)) != {list}:
        rows = [value if type(value) is list else [] if value is None else [value] for value in values]
    lengths = np.fromiter(map(len, rows), np.int64, count=len(rows))
    too_long = np.flatnonzero(lengths > MOST_ENTRIES).tolist()
    if too_long:
        rows = [[] if len(row) > MOST_ENTRIES else row for row in rows]
        lengths[too_long] = 0
    for row in too_long:
        bad.setdefault(row, ("TOO_LONG", f"{field.column}: at most {MOST_ENTRIES} values"))
    said = _grid(rows, lengths)
    entries = np.ascontiguousarray(said.T)  # one line an entry: NumPy is fast along lines, and lists are short
    for row in np.flatnonzero(((entries < field.least) | (entries > field.most)).any(axis=0)).tolist():
        bad.setdefault(row, ("OUT_OF_RANGE", f"{field.column} is out of range"))
    fine = (entries > MOST_SENSORS) & (entries <= plausible.most)
    if len(entries) and bool(fine.all()) and not np.isin(entries, broken).any():
        none = np.zeros(len(rows), bool)
        return ListColumn(entries.mean(axis=0), entries.min(axis=0), entries.max(axis=0), none, said, lengths)
    unread = (np.isin(entries, broken) if broken else entries < 0) | (entries > plausible.most)
    top = np.where(np.isnan(entries) | unread, -np.inf, entries).max(axis=0, initial=-np.inf)
    counts = (entries > 0) & (entries <= MOST_SENSORS) & (top - entries >= plausible.apart)
    said[counts.T] = np.nan
    known = ~(np.isnan(entries) | unread | counts)
    if not zeros:
        unread[:, (np.nan_to_num(entries) == 0).all(axis=0)] = False  # not known is not broken
        silent = (np.where(known, entries, 0) == 0).all(axis=0)
        known[:, silent] = False
        lengths[silent] = 0
    counted = known.sum(axis=0)
    mean = np.where(known, entries, 0).sum(axis=0) / np.maximum(counted, 1)
    least = np.where(known, entries, np.inf).min(axis=0, initial=np.inf)
    most = np.where(known, entries, -np.inf).max(axis=0, initial=-np.inf)
    for settled in (mean, least, most):
        settled[counted == 0] = np.nan
    said[unread.T] = np.nan
    return ListColumn(mean, least, most, np.asarray(unread.any(axis=0)), said, lengths)


def _grid(rows: Sequence[list[Any]], lengths: NDArray[np.int64]) -> Floats:
    """One line a sample. Most batches are rectangular, and know every entry."""
    width, count = int(lengths.max(initial=0)), int(lengths.sum())
    try:
        said = np.fromiter(chain.from_iterable(rows), np.float64, count=count)
    except TypeError:  # a None among them
        said = np.array([*chain.from_iterable(rows)], dtype=np.float64)
    if count == len(rows) * width:
        return said.reshape(len(rows), width)
    grid = np.full((len(rows), width), np.nan)
    grid[np.arange(width) < lengths[:, None]] = said
    return grid
