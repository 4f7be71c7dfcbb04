"""The replay format: one row a sample, Parquet or CSV, read a piece at a time in the order of arrival."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

FORMS = (".parquet", ".csv")
NEEDED = ("ts", "miner_id")
NUMBERS = (
    "hashrate_ths", "expected_ths", "temp_avg", "temp_max", "power_w", "fan_rpm", "boards_healthy", "boards_total",
    "hw_errors", "accepted", "rejected", "reject_rate", "uptime_seconds", "online", "suppressed",
)  # fmt: skip
TEXTS = ("site", "model", "firmware", "mode", "collector", "pool_url", "worker", "expected_state")
TIMES = ("ts", "arrived_at", "expected_until")
BOARDS = tuple(f"board{number}_ths" for number in range(1, 9))
_PIECE = 400_000
_FIRST = 200_000
_USUAL_SEC = 60.0


class Unreadable(ValueError):
    """A file that cannot be replayed; the message is one sentence for whoever wrote it."""


def open_rows(path: Path) -> pl.LazyFrame:
    """The rows of a file with the columns that we know, typed, in order of arrival."""
    if path.suffix not in FORMS or not path.is_file():
        raise Unreadable(f"{path} is no {' or '.join(FORMS)} file")
    try:
        rows = pl.scan_csv(path) if path.suffix == ".csv" else pl.scan_parquet(path)
        schema = rows.collect_schema()
    except pl.exceptions.PolarsError as error:
        raise Unreadable(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    missing = [name for name in NEEDED if name not in schema]
    if missing:
        raise Unreadable(f"{path} has no column {' and no column '.join(missing)}")
    known = [name for name in ("miner_id", *TIMES, *TEXTS, *NUMBERS, *BOARDS) if name in schema]
    typed = rows.select(*(_typed(name, schema[name]) for name in known))
    by = "arrived_at" if "arrived_at" in known else "ts"
    return typed if _in_order(typed, by) else typed.sort(by, maintain_order=True)


def pieces(rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    yield from rows.collect_batches(chunk_size=_PIECE, maintain_order=True)


def interval_of(rows: pl.LazyFrame) -> float:
    """Seconds between two samples of a machine: what most pairs of neighbours in the first rows have."""
    first = rows.select("miner_id", "ts").head(_FIRST).collect().sort("miner_id", "ts")
    apart = first["ts"].diff().dt.total_milliseconds().to_numpy() / 1000
    same = (first["miner_id"] == first["miner_id"].shift()).fill_null(value=False).to_numpy()
    gaps = apart[same & (apart > 1)]
    return float(np.round(np.median(gaps))) if gaps.size else _USUAL_SEC


def _in_order(rows: pl.LazyFrame, by: str) -> bool:
    return bool(rows.select((pl.col(by).diff().dt.total_milliseconds() >= 0).all()).collect().item())


def _typed(name: str, kind: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if name in TIMES:
        return _time(column, kind)
    if name in NUMBERS or name in BOARDS:
        return column.cast(pl.Float64, strict=False)
    return column.cast(pl.String)


def _time(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """ISO text without a zone is UTC; numbers are seconds since 1970."""
    moment = pl.Datetime("ms", "UTC")
    if kind == pl.String:
        return column.str.to_datetime(time_unit="ms", time_zone="UTC", strict=True)
    if kind.is_numeric():
        return (column.cast(pl.Float64) * 1000).cast(pl.Int64).cast(pl.Datetime("ms")).dt.replace_time_zone("UTC")
    if isinstance(kind, pl.Datetime) and kind.time_zone is None:
        return column.dt.replace_time_zone("UTC").cast(moment)
    return column.cast(moment)


def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None or not np.isfinite(seconds) else datetime.fromtimestamp(seconds, UTC)
