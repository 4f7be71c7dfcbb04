"""Groups of machines: numbering, medians and quantiles of all groups at once, without a loop over groups or machines.

A value's 32 bits are turned so that they sort like the value itself, its group goes in front, and both are one key:
sorting plain integers is several times faster than sorting rows or taking the median of each group.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.problems.frame import Flags, Floats, Ints

Keys = NDArray[np.uint64]
_SIGN = np.uint32(0x80000000)
_MAX_TABLE = 1 << 16


@dataclass(frozen=True)
class Sorted:
    """Values in order of group and size."""

    keys: Keys
    values: NDArray[np.float32]
    start: Ints  # by group
    count: Ints


def keys_of(values: Floats, group: Ints) -> Keys:
    bits = values.astype(np.float32).view(np.uint32)
    ordered = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    return (group.astype(np.uint64) << np.uint64(32)) | ordered


def sort(values: Floats, group: Ints, use: Flags, groups: int) -> Sorted:
    keys = np.sort(keys_of(values[use], group[use]))
    ordered = (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    bits = np.where(ordered & _SIGN, ordered ^ _SIGN, ~ordered)
    count = np.bincount(group[use], minlength=groups)
    return Sorted(keys, bits.view(np.float32), np.cumsum(count) - count, count)


def quantile(ordered: Sorted, share: float) -> Floats:
    """By group, between neighbours as NumPy does it; NaN for an empty group."""
    if not len(ordered.values):
        return np.full(len(ordered.count), np.nan)
    place = share * np.maximum(ordered.count - 1, 0)
    low = np.floor(place).astype(np.int64)
    last = len(ordered.values) - 1
    first = ordered.values[np.minimum(ordered.start + low, last)].astype(np.float64)
    second = ordered.values[np.minimum(ordered.start + np.minimum(low + 1, np.maximum(ordered.count - 1, 0)), last)]
    between = first + (second - first) * (place - low)
    return np.where(ordered.count > 0, between, np.nan)


def median(values: Floats, group: Ints, use: Flags, groups: int) -> Floats:
    return quantile(sort(values, group, use, groups), 0.5)


def percentile(ordered: Sorted, values: Floats, group: Ints) -> Floats:
    """The share of its group that each value is at or above, 0 to 1; NaN without a group or a value."""
    known = ~np.isnan(values) & (group >= 0)
    place = np.searchsorted(ordered.keys, keys_of(np.where(known, values, 0.0), np.maximum(group, 0)), side="right")
    group_of = np.maximum(group, 0)
    part = (place - ordered.start[group_of]) / np.maximum(ordered.count[group_of], 1)
    return np.where(known & (ordered.count[group_of] > 0), part, np.nan)


def distinct_rows(*codes: Ints) -> tuple[Ints, Ints]:
    """The distinct rows of several columns of small numbers, and which of them each row is.

    By one packed number per row: far cheaper than sorting rows.
    """
    sizes = [int(code.max(initial=-1)) + 2 for code in codes]
    packed = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        packed = packed * size + (code + 1)
    values, which = _numbered(packed, math.prod(sizes))
    columns = []
    for size in reversed(sizes):
        columns.append(values % size - 1)
        values = values // size
    return np.stack(columns[::-1], axis=1), which


def _numbered(packed: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct numbers in order, and which of them each one is: by a table of all, where that is short enough."""
    if size > _MAX_TABLE:
        values, which = np.unique(packed, return_inverse=True)
        return values, which.reshape(-1)
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[packed] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[packed]
