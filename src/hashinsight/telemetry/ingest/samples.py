"""The samples of a batch as columns, with the reason for each that is rejected. Pure."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.scrub import Scrubber
from hashinsight.telemetry.fields import Field
from hashinsight.telemetry.ingest.decoder import SampleFault
from hashinsight.telemetry.layers import HOUR, RAW_RETENTION
from hashinsight.telemetry.states import SampleFlags

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rejections = dict[int, tuple[str, str]]  # code and reason by row

MAX_ENTRIES = 512
MAX_SENSORS = 16
FUTURE_ALLOWANCE = timedelta(seconds=300)
_MAX_SKEW = timedelta(minutes=15)
_MAX_COUNTED = 10_000


@dataclass
class ListColumn:
    """Readings that come several at a time (chips, fans): mean, least and most, and the lists themselves."""

    mean: Floats
    least: Floats
    most: Floats
    broken: Bools  # some entry is not a reading
    values: Floats  # (rows, longest), NaN where a list is shorter
    lengths: NDArray[np.int64]


@dataclass(frozen=True)
class Plausible:
    """Readings of such a list are not in `broken` and not above `most`.

    Some collectors list cgminer's `fan_num` or `temp_num` among the readings: a value up to `MAX_SENSORS` that is at
    least `apart` below the highest is such a count.
    """

    broken: tuple[float, ...] = ()
    most: float = np.inf
    apart: float = 0.0


@dataclass(frozen=True)
class RejectRateUnitCounts:
    """How many samples of a collector support each unit of its reject rates. Old ones fade: it may be updated."""

    ratio: int = 0
    percent: int = 0
    neither: int = 0  # the counters match neither: a rate over another time, which shows no unit
    over_one: int = 0  # cannot be a ratio

    @property
    def is_percent(self) -> bool:
        """Of rates over another time a few match a percentage by chance; counters decide only if most match."""
        matching = self.percent if self.percent > self.neither else 0
        return matching + self.over_one > self.ratio

    def add(self, more: "RejectRateUnitCounts") -> "RejectRateUnitCounts":
        counts = [old + new for old, new in zip(astuple(self), astuple(more), strict=True)]
        return RejectRateUnitCounts(*(counts if sum(counts) <= _MAX_COUNTED else (count // 2 for count in counts)))


@dataclass
class Samples:
    """One row per decoded sample; `rejected` says which are not stored and why."""

    indexes: list[int]
    miner_ids: list[str]
    ts: NDArray[np.int64]
    numbers: dict[str, Floats]  # only columns that some sample has; NaN where one is unknown
    texts: dict[str, list[str | None]]
    lists: dict[str, ListColumn]
    status: NDArray[np.int16]
    flags: NDArray[np.int16]
    scrubber: Scrubber  # one budget for all texts of the batch
    rate_units: RejectRateUnitCounts = field(default_factory=RejectRateUnitCounts)
    rejected: Rejections = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.indexes)

    def reject(self, rows: Bools, code: str, reason: str) -> None:
        for row in np.flatnonzero(rows):
            self.rejected.setdefault(int(row), (code, reason))

    def flag(self, rows: Bools, flag: SampleFlags) -> None:
        if rows.any():
            self.flags[rows] |= flag.value

    def number(self, column: str) -> Floats:
        values = self.numbers.get(column)
        return np.full(len(self), np.nan) if values is None else values

    def set_first_known(self, column: str, sources: list[Floats]) -> None:
        """Of several sources of a column, the first that is known; no source leaves the column as it is."""
        if sources:
            self.numbers[column] = first_known(*sources)

    def faults(self) -> list[SampleFault]:
        return [SampleFault(self.indexes[row], *reason) for row, reason in sorted(self.rejected.items())]


def first_known(first: Floats, *others: Floats) -> Floats:
    values = first
    for other in others:
        missing = np.isnan(values)
        if not missing.any():
            break
        values = np.where(missing, other, values)
    return values


def reject_outside_window(samples: Samples, *, skew_sec: float, now: datetime) -> None:
    """Not from the future, by the collector's known clock skew, and not older than raw samples are kept."""
    latest = now + FUTURE_ALLOWANCE + min(max(timedelta(seconds=skew_sec), timedelta(0)), _MAX_SKEW)
    future, old = samples.ts > _micros(latest), samples.ts < _micros(now - RAW_RETENTION)
    samples.reject(future, "IN_THE_FUTURE", "the sample is from the future: check the collector's clock")
    samples.reject(old, "TOO_OLD", f"the sample is older than {RAW_RETENTION / HOUR:.0f} hours")


def rows_to_store(samples: Samples, miner_nos: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The rows to store, each machine and time once, and how many were repeated.

    Sorted by time and machine: shards that send the same samples at once then lock rows in the same order.
    """
    rows = np.arange(len(samples))
    if samples.rejected:
        rows = rows[~np.isin(rows, list(samples.rejected))]
    if not len(rows):
        return rows, 0
    keys = np.stack([miner_nos[rows], samples.ts[rows]])
    later = np.diff(keys[1])
    if (later > 0).all():  # the usual order: a collector reads one machine after the other
        return rows, 0
    order = np.lexsort(keys)
    rows = rows[order]
    same = (np.diff(keys[:, order], axis=1) == 0).all(axis=0)
    if not same.any():
        return rows, 0
    return rows[np.concatenate([[True], ~same])], int(same.sum())


def read_lists(
    values: Sequence[Any], field: Field, rejected: Rejections, *, plausible: Plausible, zeros: bool
) -> ListColumn:
    """Broken readings do not count. A list of zeros is unknown, unless `zeros` are readings."""
    broken = plausible.broken
    rows: Sequence[list[Any]] = values
    if set(map(type, values)) != {list}:
        rows = [value if type(value) is list else [] if value is None else [value] for value in values]
    lengths = np.fromiter(map(len, rows), np.int64, count=len(rows))
    too_long = np.flatnonzero(lengths > MAX_ENTRIES).tolist()
    if too_long:
        rows = [[] if len(row) > MAX_ENTRIES else row for row in rows]
        lengths[too_long] = 0
    for row in too_long:
        rejected.setdefault(row, ("TOO_LONG", f"{field.column}: at most {MAX_ENTRIES} values"))
    grid = _grid(rows, lengths)
    entries = np.ascontiguousarray(grid.T)  # one line per entry: NumPy is fast along lines, and lists are short
    for row in np.flatnonzero(((entries < field.least) | (entries > field.most)).any(axis=0)).tolist():
        rejected.setdefault(row, ("OUT_OF_RANGE", f"{field.column} is out of range"))
    fine = (entries > MAX_SENSORS) & (entries <= plausible.most)
    if len(entries) and bool(fine.all()) and not np.isin(entries, broken).any():
        none = np.zeros(len(rows), bool)
        return ListColumn(entries.mean(axis=0), entries.min(axis=0), entries.max(axis=0), none, grid, lengths)
    unread = (np.isin(entries, broken) if broken else entries < 0) | (entries > plausible.most)
    top = np.where(np.isnan(entries) | unread, -np.inf, entries).max(axis=0, initial=-np.inf)
    counts = (entries > 0) & (entries <= MAX_SENSORS) & (top - entries >= plausible.apart)
    grid[counts.T] = np.nan
    known = ~(np.isnan(entries) | unread | counts)
    if not zeros:
        unread[:, (np.nan_to_num(entries) == 0).all(axis=0)] = False  # unknown is not broken
        silent = (np.where(known, entries, 0) == 0).all(axis=0)
        known[:, silent] = False
        lengths[silent] = 0
    counted = known.sum(axis=0)
    mean = np.where(known, entries, 0).sum(axis=0) / np.maximum(counted, 1)
    least = np.where(known, entries, np.inf).min(axis=0, initial=np.inf)
    most = np.where(known, entries, -np.inf).max(axis=0, initial=-np.inf)
    for column in (mean, least, most):
        column[counted == 0] = np.nan
    grid[unread.T] = np.nan
    return ListColumn(mean, least, most, np.asarray(unread.any(axis=0)), grid, lengths)


def _grid(rows: Sequence[list[Any]], lengths: NDArray[np.int64]) -> Floats:
    """One line per sample. Most batches are rectangular with every entry known."""
    width, count = int(lengths.max(initial=0)), int(lengths.sum())
    try:
        flat = np.fromiter(chain.from_iterable(rows), np.float64, count=count)
    except TypeError:  # a None among them
        flat = np.array([*chain.from_iterable(rows)], dtype=np.float64)
    if count == len(rows) * width:
        return flat.reshape(len(rows), width)
    grid = np.full((len(rows), width), np.nan)
    grid[np.arange(width) < lengths[:, None]] = flat
    return grid


def _micros(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)
