"""Readings that come several at a time: chips, fans. Their mean, least and most, and the list itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.telemetry.fields import Field

MOST_ENTRIES = 512
Floats = NDArray[np.float64]
Bad = dict[int, tuple[str, str]]


@dataclass
class Lists:
    mean: Floats
    least: Floats
    most: Floats
    broken: NDArray[np.bool_]  # some entry is no reading
    said: Floats  # (rows, longest), NaN where a list is shorter
    lengths: NDArray[np.int64]


def read_lists(values: Sequence[Any], field: Field, bad: Bad, *, broken: tuple[float, ...], zeros: bool) -> Lists:
    """`broken` readings do not count. Where all are 0 it means that nobody knows, unless `zeros` are readings."""
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
    for row in np.flatnonzero(np.asarray(((said < field.least) | (said > field.most)).any(axis=1))).tolist():
        bad.setdefault(row, ("OUT_OF_RANGE", f"{field.column} is out of range"))
    unread = said < 0
    if broken:
        unread = (said[..., None] == broken).any(axis=-1)
    known = ~(np.isnan(said) | unread)
    if not zeros:
        unread[(np.nan_to_num(said) == 0).all(axis=1)] = False  # not known is not broken
        silent = (np.where(known, said, 0) == 0).all(axis=1)
        known[silent] = False
        lengths[silent] = 0
    counted = known.sum(axis=1)
    mean = np.where(known, said, 0).sum(axis=1) / np.maximum(counted, 1)
    least = np.where(known, said, np.inf).min(axis=1, initial=np.inf)
    most = np.where(known, said, -np.inf).max(axis=1, initial=-np.inf)
    for settled in (mean, least, most):
        settled[counted == 0] = np.nan
    broken_rows = np.asarray(unread.any(axis=1))
    said[unread] = np.nan
    return Lists(mean, least, most, broken_rows, said, lengths)


def _grid(rows: Sequence[list[Any]], lengths: NDArray[np.int64]) -> Floats:
    """One line a sample. Most batches are rectangular, and know every entry."""
    width = int(lengths.max(initial=0))
    if int(lengths.min(initial=width)) < width:
        rows = [row if len(row) == width else row + [None] * (width - len(row)) for row in rows]
    try:
        said = np.fromiter(chain.from_iterable(rows), np.float64, count=len(rows) * width)
    except TypeError:  # a None among them
        said = np.array(rows, dtype=np.float64)
    return said.reshape(len(rows), width)
