"""A batch's samples as columns, with a verdict for each. Pure."""

from dataclasses import dataclass, field

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

    @property
    def is_percent(self) -> bool:
        return self.percent > self.ratio

    def with_more(self, ratio: int, percent: int) -> "RateSigns":
        total = RateSigns(self.ratio + ratio, self.percent + percent)
        if total.ratio + total.percent <= _MOST_SIGNS:
            return total
        return RateSigns(total.ratio // 2, total.percent // 2)


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
