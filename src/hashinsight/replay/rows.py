"""Looks a file through before it is replayed: which row cannot be taken, and how long the file is silent."""

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
    lay_out,
    open_file,
    raw_pieces,
    readable,
    sorted_days,
    typed_pieces,
)

_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
# silence is walked through cycle by cycle: 31 days are 9,000 of them
LONGEST_SILENCE = timedelta(days=31)
_RAW = "raw "  # before a column as it is written
_UNKNOWN = ("", "nan", "null", "none", "n/a", "na", "-", "inf", "-inf")  # words for a number that nobody knows


def check_file(opened: ReplayFile) -> bool:
    """Whether the rows are in order of arrival. Raises `Unreadable` for what cannot be replayed."""
    times = [name for name in TIMES if name in opened.typed]
    numbers = [name for name in (*NUMBERS, *BOARDS) if name in opened.words]
    row, in_order, last = 0, True, None
    seen = dict.fromkeys(numbers, (0, 0))
    hours: list[pl.DataFrame] = []
    for written in raw_pieces(opened):
        with readable(opened.path):
            piece = written.select(*_looked_at(opened, times, numbers))
        _refuse_rows(opened, piece, times, row)
        row += piece.height
        for name in numbers:
            told, known = seen[name]
            words = piece[f"{_RAW}{name}"].drop_nulls().str.strip_chars().str.to_lowercase()
            seen[name] = told + int((~words.is_in(_UNKNOWN)).sum()), known + piece[name].count()
        at = piece["at"] if last is None else pl.concat([last, piece["at"]])
        in_order = in_order and at.is_sorted()
        last = piece["at"].tail(1)
        hours = [_hours(pl.concat([*hours, _ends(piece["at"])]))]
    if not row:
        raise UnreadableFile(f"{opened.path} has no rows")
    _refuse_silence(opened, hours[0])
    for name, (told, known) in seen.items():
        if told and not known:
            raise UnreadableFile(f"{opened.path} has a column {name} in which nothing is a number")
    return in_order


def _looked_at(opened: ReplayFile, times: Sequence[str], numbers: Sequence[str]) -> list[pl.Expr]:
    written = [pl.col(name).alias(f"{_RAW}{name}") for name in (*times, *numbers)]
    return [
        *written,
        *(opened.typed[name].alias(name) for name in ("miner_id", *times, *numbers)),
        opened.at.alias("at"),
    ]


def _refuse_rows(opened: ReplayFile, piece: pl.DataFrame, times: Sequence[str], row: int) -> None:
    """The first row of this piece that cannot be taken, if there is one."""
    found = [(_first(_is_empty(piece["miner_id"])), "has no miner_id")]
    for name in times:
        written, at = piece[f"{_RAW}{name}"], piece[name]
        is_empty = _is_empty(written)
        if name == "ts":
            found.append((_first(is_empty), "has no ts"))
        wrong = _first(at.is_null() & ~is_empty)
        found.append((wrong, f"has the {name} {_said(written, wrong)}, which is no time"))
        far = _first(((at < _EARLIEST) | (at >= _LATEST)).fill_null(value=False)) if name != "expected_until" else None
        found.append((far, f"has the {name} {_said(written, far)}, which is not between the years 2000 and 2100"))
    first = min(((place, words) for place, words in found if place is not None), default=None)
    if first is not None:
        place, words = first
        after = " after the header" if opened.path.suffix == ".csv" else ""
        raise UnreadableFile(f"{opened.path}: row {row + place + 1}{after} {words}")


def _ends(at: pl.Series) -> pl.DataFrame:
    return pl.DataFrame({"begin": at, "end": at})


def _hours(spans: pl.DataFrame) -> pl.DataFrame:
    """The first and the last row of each hour that has any: as many as the file has hours, however many rows."""
    by_hour = spans.group_by(pl.col("begin").dt.truncate("1h").alias("hour"))
    return by_hour.agg(pl.col("begin").min(), pl.col("end").max()).sort("hour").drop("hour")


def _refuse_silence(opened: ReplayFile, hours: pl.DataFrame) -> None:
    silent = hours.with_columns(before=pl.col("end").shift()).with_columns(lasts=pl.col("begin") - pl.col("before"))
    longest = silent.filter(pl.col("lasts") > LONGEST_SILENCE).sort("lasts").tail(1)
    for before, after in longest.select("before", "begin").iter_rows():
        raise UnreadableFile(
            f"{opened.path} has nothing between {before:%Y-%m-%d %H:%M} and {after:%Y-%m-%d %H:%M}: more than"
            f" {LONGEST_SILENCE.days} days of silence are not replayed, make two files of it"
        )


def _is_empty(written: pl.Series) -> pl.Series:
    return written.is_null() | (written.str.strip_chars() == "") if written.dtype == pl.String else written.is_null()


def _first(wrong: pl.Series) -> int | None:
    return wrong.arg_max() if wrong.any() else None


def _said(written: pl.Series, place: int | None) -> str:
    return "" if place is None else f"{written[place]!s:.40}"


_SAMPLED_ROWS = 200_000
_USUAL_SEC = 60.0


@dataclass(frozen=True)
class FileRows:
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
def open_rows(path: Path) -> Iterator[FileRows]:
    """Refuses what cannot be replayed. A file that is not in order is laid out by days beside other temporary files."""
    opened = open_file(path)
    if check_file(opened):
        yield FileRows(lambda: typed_pieces(opened))
        return
    with tempfile.TemporaryDirectory(prefix="hi-replay-") as folder:
        days = lay_out(opened, Path(folder))
        yield FileRows(lambda: sorted_days(opened, days))


def interval_of(rows: FileRows) -> float:
    """Seconds between two samples of a machine: what most pairs of neighbours in the first rows have."""
    first = rows.head(_SAMPLED_ROWS).select("miner_id", "ts").sort("miner_id", "ts")
    apart = first["ts"].diff().dt.total_milliseconds().to_numpy() / 1000
    same = (first["miner_id"] == first["miner_id"].shift()).fill_null(value=False).to_numpy()
    gaps = apart[same & (apart > 1)]
    return float(np.round(np.median(gaps))) if gaps.size else _USUAL_SEC
