"""The rows of a replay file in order of arrival; the whole file is checked before the first row is given."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from hashinsight.replay.files import (
    BOARDS,
    NUMBERS,
    TIMES,
    ReplayFile,
    UnreadableFile,
    open_file,
    raw_chunks,
    readable,
    sorted_days,
    split_by_day,
    typed_chunks,
)
from hashinsight.wire.freshness import DEFAULT_INTERVAL_SEC

_SAMPLED_ROWS = 200_000  # for the interval
_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
# a gap is replayed cycle by cycle: 31 days are 9,000 cycles
LONGEST_GAP = timedelta(days=31)
_RAW = "raw "  # prefix of a column as written
_UNKNOWN = ("", "nan", "null", "none", "n/a", "na", "-", "inf", "-inf")  # words for an unknown number


def check_file(file: ReplayFile) -> bool:
    """Whether the rows are in order of arrival. Raises `UnreadableFile` if the file cannot be replayed."""
    times = [name for name in TIMES if name in file.typed]
    numbers = [name for name in (*NUMBERS, *BOARDS) if name in file.text_columns]
    row, in_order, last = 0, True, None
    seen = dict.fromkeys(numbers, (0, 0))
    hours: list[pl.DataFrame] = []
    for written in raw_chunks(file):
        with readable(file.path):
            chunk = written.select(*_checked_columns(file, times, numbers))
        _check_rows(file, chunk, times, row)
        row += chunk.height
        for name in numbers:
            given, known = seen[name]
            words = chunk[f"{_RAW}{name}"].drop_nulls().str.strip_chars().str.to_lowercase()
            seen[name] = given + int((~words.is_in(_UNKNOWN)).sum()), known + chunk[name].count()
        at = chunk["at"] if last is None else pl.concat([last, chunk["at"]])
        in_order = in_order and at.is_sorted()
        last = chunk["at"].tail(1)
        hours = [_hours(pl.concat([*hours, _spans(chunk["at"])]))]
    if not row:
        raise UnreadableFile(f"{file.path} has no rows")
    _check_gaps(file, hours[0])
    for name, (given, known) in seen.items():
        if given and not known:
            raise UnreadableFile(f"{file.path}: column {name} has no numbers")
    return in_order


def _checked_columns(file: ReplayFile, times: Sequence[str], numbers: Sequence[str]) -> list[pl.Expr]:
    written = [pl.col(name).alias(f"{_RAW}{name}") for name in (*times, *numbers)]
    return [
        *written,
        *(file.typed[name].alias(name) for name in ("miner_id", *times, *numbers)),
        file.at.alias("at"),
    ]


def _check_rows(file: ReplayFile, chunk: pl.DataFrame, times: Sequence[str], row: int) -> None:
    """Raise for the first row of this chunk that cannot be replayed."""
    faults = [(_first(_is_empty(chunk["miner_id"])), "miner_id is missing")]
    for name in times:
        written, at = chunk[f"{_RAW}{name}"], chunk[name]
        is_empty = _is_empty(written)
        if name == "ts":
            faults.append((_first(is_empty), "ts is missing"))
        wrong = _first(at.is_null() & ~is_empty)
        faults.append((wrong, f"{name} {_quote(written, wrong)} is not a time"))
        far = _first(((at < _EARLIEST) | (at >= _LATEST)).fill_null(value=False)) if name != "expected_until" else None
        faults.append((far, f"{name} {_quote(written, far)} is not between the years 2000 and 2100"))
    first = min(((index, reason) for index, reason in faults if index is not None), default=None)
    if first is not None:
        index, reason = first
        after = " after the header" if file.path.suffix == ".csv" else ""
        raise UnreadableFile(f"{file.path}: row {row + index + 1}{after}: {reason}")


def _spans(at: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"begin": at, "end": at})


def _hours(spans: pl.DataFrame) -> pl.DataFrame:
    """The first and last row of each hour with data: one entry per hour, however many rows."""
    by_hour = spans.group_by(pl.col("begin").dt.truncate("1h").alias("hour"))
    return by_hour.agg(pl.col("begin").min(), pl.col("end").max()).sort("hour").drop("hour")


def _check_gaps(file: ReplayFile, hours: pl.DataFrame) -> None:
    gaps = hours.with_columns(before=pl.col("end").shift()).with_columns(length=pl.col("begin") - pl.col("before"))
    too_long = gaps.filter(pl.col("length") > LONGEST_GAP).sort("length").tail(1)
    for before, after in too_long.select("before", "begin").iter_rows():
        raise UnreadableFile(
            f"{file.path}: no rows between {before:%Y-%m-%d %H:%M} and {after:%Y-%m-%d %H:%M}; gaps of more than"
            f" {LONGEST_GAP.days} days are not replayed, split the file"
        )


def _is_empty(written: pl.Series) -> pl.Series:
    return written.is_null() | (written.str.strip_chars() == "") if written.dtype == pl.String else written.is_null()


def _first(mask: pl.Series) -> int | None:
    return mask.arg_max() if mask.any() else None


def _quote(written: pl.Series, index: int | None) -> str:
    return "" if index is None else f"{written[index]!s:.40}"


@dataclass(frozen=True)
class FileRows:
    """The known columns of a file, typed, in order of arrival; `chunks` can be called again."""

    chunks: Callable[[], Iterator[pl.DataFrame]]

    def head(self, count: int) -> pl.DataFrame:
        taken: list[pl.DataFrame] = []
        for chunk in self.chunks():
            taken.append(chunk)
            if sum(part.height for part in taken) >= count:
                break
        return pl.concat(taken, how="vertical_relaxed").head(count)


@contextmanager
def open_rows(path: Path) -> Iterator[FileRows]:
    """Raises `UnreadableFile` if the file cannot be replayed. A file out of order is sorted in temporary files."""
    file = open_file(path)
    if check_file(file):
        yield FileRows(lambda: typed_chunks(file))
        return
    with tempfile.TemporaryDirectory(prefix="hi-replay-") as folder:
        days = split_by_day(file, Path(folder))
        yield FileRows(lambda: sorted_days(file, days))


def interval_of(rows: FileRows) -> float:
    """Seconds between two samples of a machine: the median of the first rows."""
    first = rows.head(_SAMPLED_ROWS).select("miner_id", "ts").sort("miner_id", "ts")
    apart = first["ts"].diff().dt.total_milliseconds().to_numpy() / 1000
    same = (first["miner_id"] == first["miner_id"].shift()).fill_null(value=False).to_numpy()
    gaps = apart[same & (apart > 1)]
    return float(np.round(np.median(gaps))) if gaps.size else float(DEFAULT_INTERVAL_SEC)
