"""A batch's samples as columns, with a verdict for each. Pure."""

from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.scrub import Scrubber
from hashinsight.telemetry.ingest.decoding import Fault
from hashinsight.telemetry.ingest.lists import Lists
from hashinsight.telemetry.states import Flags

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_MOST_SIGNS = 10_000


@dataclass(frozen=True)
class RateSigns:
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

    def with_more(self, more: "RateSigns") -> "RateSigns":
        counts = [old + new for old, new in zip(astuple(self), astuple(more), strict=True)]
        return RateSigns(*(counts if sum(counts) <= _MOST_SIGNS else (count // 2 for count in counts)))


@dataclass
class Samples:
    """One row a decoded sample; `bad` says which are not stored and why."""

    indexes: list[int]
    miner_ids: list[str]
    ts: NDArray[np.int64]
    numbers: dict[str, Floats]  # only the columns that some sample has; NaN where one does not say
    texts: dict[str, list[str | None]]
    lists: dict[str, Lists]
    status: NDArray[np.int16]
    flags: NDArray[np.int16]
    scrubber: Scrubber  # for their texts, within one allowance
    rate_signs: RateSigns = field(default_factory=RateSigns)
    bad: dict[int, tuple[str, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.indexes)

    def refuse(self, rows: Bools, code: str, reason: str) -> None:
        for row in np.flatnonzero(rows):
            self.bad.setdefault(int(row), (code, reason))

    def flag(self, rows: Bools, flag: Flags) -> None:
        if rows.any():
            self.flags[rows] |= flag.value

    def number(self, column: str) -> Floats:
        found = self.numbers.get(column)
        return np.full(len(self), np.nan) if found is None else found

    def faults(self) -> list[Fault]:
        return [Fault(self.indexes[row], *why) for row, why in sorted(self.bad.items())]
