"""Reads a file a piece at a time in the order of arrival.

It is looked through once before anything is done with it: what cannot be replayed is refused as a whole.
"""

from pathlib import Path

import numpy as np
import polars as pl

from hashinsight.replay.columns import Unreadable, open_file, readable
from hashinsight.replay.refusing import look_through

_FIRST = 200_000
_USUAL_SEC = 60.0


def open_rows(path: Path) -> pl.LazyFrame:
    """The rows of a file with the columns that we know, typed, in order of arrival. Refuses what cannot be replayed."""
    opened = open_file(path)
    in_order = look_through(opened)
    columns = opened.typed | ({"arrived_at": opened.at} if "arrived_at" in opened.typed else {})
    rows = opened.raw.select(*(column.alias(name) for name, column in columns.items()))
    by = "arrived_at" if "arrived_at" in columns else "ts"
    return rows if in_order else rows.sort(by, maintain_order=True)


def interval_of(path: Path, rows: pl.LazyFrame) -> float:
    """Seconds between two samples of a machine: what most pairs of neighbours in the first rows have."""
    with readable(path):
        first = rows.select("miner_id", "ts").head(_FIRST).collect().sort("miner_id", "ts")
    apart = first["ts"].diff().dt.total_milliseconds().to_numpy() / 1000
    same = (first["miner_id"] == first["miner_id"].shift()).fill_null(value=False).to_numpy()
    gaps = apart[same & (apart > 1)]
    return float(np.round(np.median(gaps))) if gaps.size else _USUAL_SEC


__all__ = ["Unreadable", "interval_of", "open_rows"]
