"""Which samples are stored: not those from the future, not those that are older than what is kept. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from hashinsight.telemetry.ingest.samples import Samples

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
