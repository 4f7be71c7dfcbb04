"""Reads a file a piece at a time in the order of arrival.

It is looked through once before anything is done with it: what cannot be replayed is refused as a whole.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from hashinsight.replay.columns import Unreadable, open_file
from hashinsight.replay.pieces import lay_out, sorted_days, typed_pieces
from hashinsight.replay.refusing import look_through

_FIRST = 200_000
_USUAL_SEC = 60.0


@dataclass(frozen=True)
class Rows:
    """The rows of a file with the columns that we know, typed, in order of arrival; they can be read again."""

    pieces: Callable[[], Iterator[pl.DataFrame]]

    def head(self, count: int) -> pl.DataFrame:
        taken: list[pl.DataFrame] = []
        for piece in self.pieces():
            taken.append(piece)
            if sum(one.height for one in taken) >= count:
                break
        return pl.concat(taken, how="vertical_relaxed").head(count)


@contextmanager
def open_rows(path: Path) -> Iterator[Rows]:
    """Refuses what cannot be replayed. A file that is not in order is laid out by days beside other temporary files."""
    opened = open_file(path)
    if look_through(opened):
        yield Rows(lambda: typed_pieces(opened))
        return
    with tempfile.TemporaryDirectory(prefix="hi-replay-") as folder:
        days = lay_out(opened, Path(folder))
        yield Rows(lambda: sorted_days(opened, days))


def interval_of(rows: Rows) -> float:
    """Seconds between two samples of a machine: what most pairs of neighbours in the first rows have."""
    first = rows.head(_FIRST).select("miner_id", "ts").sort("miner_id", "ts")
    apart = first["ts"].diff().dt.total_milliseconds().to_numpy() / 1000
    same = (first["miner_id"] == first["miner_id"].shift()).fill_null(value=False).to_numpy()
    gaps = apart[same & (apart > 1)]
    return float(np.round(np.median(gaps))) if gaps.size else _USUAL_SEC


__all__ = ["Rows", "Unreadable", "interval_of", "open_rows"]
