"""A batch's samples as columns, with a verdict for each. Pure."""

from dataclasses import astuple, dataclass, field
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.scrub import Scrubber
from hashinsight.telemetry.ingest.decoder import SampleFault
from hashinsight.telemetry.ingest.lists import ListColumn
from hashinsight.telemetry.states import SampleFlags

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_MOST_SIGNS = 10_000


@dataclass(frozen=True)
class RejectRateUnitCounts:
    """How many samples of a collector spoke for each unit of its reject rates. Old ones fade: it may be updated."""

    ratio: int = 0
    percent: int = 0
    neither: int = 0  # the counters fit no reading: a rate of some other time, which shows no unit
    over_one: int = 0  # no ratio can be

    @property
    def is_percent(self) -> bool:
        """Of rates of some other time a few look like percentages by chance; counters decide only where most fit."""
        fitting = self.percent if self.percent > self.neither else 0
        return fitting + self.over_one > self.ratio

    def with_more(self, more: "RejectRateUnitCounts") -> "RejectRateUnitCounts":
        counts = [old + new for old, new in zip(astuple(self), astuple(more), strict=True)]
        return RejectRateUnitCounts(*(counts if sum(counts) <= _MOST_SIGNS else (count // 2 for count in counts)))


@dataclass
class Samples:
    """One row a decoded sample; `bad` says which are not stored and why."""

    indexes: list[int]
    miner_ids: list[str]
    ts: NDArray[np.int64]
    numbers: dict[str, Floats]  # only the columns that some sample has; NaN where one does not say
    texts: dict[str, list[str | None]]
    lists: dict[str, ListColumn]
    status: NDArray[np.int16]
    flags: NDArray[np.int16]
    scrubber: Scrubber  # for their texts, within one allowance
    rate_signs: RejectRateUnitCounts = field(default_factory=RejectRateUnitCounts)
    bad: dict[int, tuple[str, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.indexes)

    def refuse(self, rows: Bools, code: str, reason: str) -> None:
        for row in np.flatnonzero(rows):
            self.bad.setdefault(int(row), (code, reason))

    def flag(self, rows: Bools, flag: SampleFlags) -> None:
        if rows.any():
            self.flags[rows] |= flag.value

    def number(self, column: str) -> Floats:
        found = self.numbers.get(column)
        return np.full(len(self), np.nan) if found is None else found

    def faults(self) -> list[SampleFault]:
        return [SampleFault(self.indexes[row], *why) for row, why in sorted(self.bad.items())]


FUTURE = timedelta(seconds=300)
_MOST_SKEW = timedelta(minutes=15)


@dataclass(frozen=True)
class Window:
    """From when to when a sample may be, by the server's clock; a collector's known skew moves its end."""

    now: datetime
    kept: timedelta
    skew_sec: float = 0.0

    def refuse_outside(self, samples: Samples) -> None:
        latest = self.now + FUTURE + min(max(timedelta(seconds=self.skew_sec), timedelta(0)), _MOST_SKEW)
        oldest = self.now - self.kept
        future = samples.ts > _micros(latest)
        old = samples.ts < _micros(oldest)
        samples.refuse(future, "IN_THE_FUTURE", "the sample is from the future: check the collector's clock")
        samples.refuse(old, "TOO_OLD", f"the sample is older than {self.kept.total_seconds() / 3600:.0f} hours")


def good_rows(samples: Samples, miner_nos: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The rows to store, each machine and time once, the first of equal ones; and how many were repeated.

    By time and machine: shards that send the same at once wait for each other then, and never in a circle.
    """
    rows = np.arange(len(samples))
    if samples.bad:
        rows = rows[~np.isin(rows, list(samples.bad))]
    if not len(rows):
        return rows, 0
    keys = np.stack([miner_nos[rows], samples.ts[rows]])
    later = np.diff(keys[1])
    if (later > 0).all():  # as they come from a collector that reads one machine after the other
        return rows, 0
    order = np.lexsort(keys)
    rows = rows[order]
    same = (np.diff(keys[:, order], axis=1) == 0).all(axis=0)
    if not same.any():
        return rows, 0
    return rows[np.concatenate([[True], ~same])], int(same.sum())


def _micros(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)
