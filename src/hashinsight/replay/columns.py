"""The replay format: the columns of a file, as they are written and as they are meant."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

FORMS = (".parquet", ".csv")
NEEDED = ("ts", "miner_id")
NUMBERS = (
    "hashrate_ths", "expected_ths", "temp_avg", "temp_max", "power_w", "fan_rpm", "fan_avg_rpm",
    "boards_healthy", "boards_total", "hw_errors", "accepted", "rejected", "reject_rate", "uptime_seconds", "online",
    "suppressed",
)  # fmt: skip
TEXTS = ("site", "zone", "model", "firmware", "mode", "collector", "pool_url", "worker", "expected_state")
TIMES = ("ts", "arrived_at", "expected_until")
BOARDS = tuple(f"board{number}_ths" for number in range(1, 9))
_MOMENT = pl.Datetime("ms", "UTC")
# ISO text, after its T has become a blank; each file is read in pieces, so that none may be guessed from the first
_WRITTEN = ("%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M")
_YES_NO = {"true": "1", "false": "0", "yes": "1", "no": "0"}


class Unreadable(ValueError):
    """A file that cannot be replayed; the message is one sentence for whoever wrote it."""


@dataclass(frozen=True)
class Opened:
    """A file's columns that we know, as they are written and as they are meant, in the order of the file."""

    path: Path
    raw: pl.LazyFrame
    typed: dict[str, pl.Expr]
    words: frozenset[str]  # columns that are text in the file

    @property
    def arrives(self) -> str:
        """The column by which rows are taken."""
        return "arrived_at" if "arrived_at" in self.typed else "ts"

    @property
    def at(self) -> pl.Expr:
        """When a row arrived: that is only said where it was later than it was measured."""
        measured = self.typed["ts"]
        return pl.coalesce(self.typed["arrived_at"], measured) if "arrived_at" in self.typed else measured


def open_file(path: Path) -> Opened:
    if path.suffix not in FORMS or not path.is_file():
        raise Unreadable(f"{path} is no {' or '.join(FORMS)} file")
    with readable(path):
        # a column is what we say and not what its first hundred rows look like
        rows = pl.scan_csv(path, infer_schema=False) if path.suffix == ".csv" else pl.scan_parquet(path)
        schema = rows.collect_schema()
    if not len(schema):
        raise Unreadable(f"{path} has no columns")
    missing = [name for name in NEEDED if name not in schema]
    if missing:
        raise Unreadable(f"{path} has no column {' and no column '.join(missing)}")
    known = [name for name in ("miner_id", *TIMES, *TEXTS, *NUMBERS, *BOARDS) if name in schema]
    typed = {name: _typed(path, name, schema[name]) for name in known}
    return Opened(path, rows.select(known), typed, frozenset(name for name in known if schema[name] == pl.String))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Files are read when they are needed: whatever is wrong with one then is said in one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".:")
        raise Unreadable(f"{path} cannot be read: {reason}") from None


def _typed(path: Path, name: str, kind: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if name in TIMES:
        return _time(path, name, kind)
    if name in NUMBERS or name in BOARDS:
        if kind == pl.String:
            column = column.str.strip_chars().str.to_lowercase().replace(_YES_NO)
        number = column.cast(pl.Float64, strict=False)
        return pl.when(number.is_finite()).then(number)  # infinite is not known, either
    return column.cast(pl.String)


def _time(path: Path, name: str, kind: pl.DataType) -> pl.Expr:
    """ISO text without a zone is UTC; numbers are seconds since 1970."""
    column = pl.col(name)
    if kind == pl.String:
        text = column.str.strip_chars()
        iso = text.str.replace("T", " ", literal=True)
        written = [iso.str.to_datetime(one, time_unit="ms", time_zone="UTC", strict=False) for one in _WRITTEN]
        return pl.coalesce(*written, _seconds(text))
    if kind.is_numeric():
        return _seconds(column)
    if isinstance(kind, pl.Datetime) and kind.time_zone is None:
        return column.dt.replace_time_zone("UTC").cast(_MOMENT)
    if isinstance(kind, pl.Datetime | pl.Date | pl.Null):
        return column.cast(_MOMENT)
    raise Unreadable(f"{path} has a column {name} that holds no times, but {kind}")


def _seconds(column: pl.Expr) -> pl.Expr:
    number = column.cast(pl.Float64, strict=False)
    return (pl.when(number.is_finite()).then(number) * 1000).cast(pl.Int64, strict=False).cast(_MOMENT)
