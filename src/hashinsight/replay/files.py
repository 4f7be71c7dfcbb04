"""The replay format: the columns of a file, as they are written and as they are meant."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

FILE_SUFFIXES = (".parquet", ".csv")
REQUIRED = ("ts", "miner_id")
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


class UnreadableFile(ValueError):
    """A file that cannot be replayed; the message is one sentence for whoever wrote it."""


@dataclass(frozen=True)
class ReplayFile:
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


def open_file(path: Path) -> ReplayFile:
    if path.suffix not in FILE_SUFFIXES or not path.is_file():
        raise UnreadableFile(f"{path} is no {' or '.join(FILE_SUFFIXES)} file")
    with readable(path):
        # a column is what we say and not what its first hundred rows look like
        rows = pl.scan_csv(path, infer_schema=False) if path.suffix == ".csv" else pl.scan_parquet(path)
        schema = rows.collect_schema()
    if not len(schema):
        raise UnreadableFile(f"{path} has no columns")
    missing = [name for name in REQUIRED if name not in schema]
    if missing:
        raise UnreadableFile(f"{path} has no column {' and no column '.join(missing)}")
    known = [name for name in ("miner_id", *TIMES, *TEXTS, *NUMBERS, *BOARDS) if name in schema]
    typed = {name: _typed(path, name, schema[name]) for name in known}
    return ReplayFile(path, rows.select(known), typed, frozenset(name for name in known if schema[name] == pl.String))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Files are read when they are needed: whatever is wrong with one then is said in one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".:")
        raise UnreadableFile(f"{path} cannot be read: {reason}") from None


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
    raise UnreadableFile(f"{path} has a column {name} that holds no times, but {kind}")


def _seconds(column: pl.Expr) -> pl.Expr:
    number = column.cast(pl.Float64, strict=False)
    return (pl.when(number.is_finite()).then(number) * 1000).cast(pl.Int64, strict=False).cast(_MOMENT)


_ROWS = 200_000
_BYTES = 8_000_000
_DAY = "%Y-%m-%d"


def raw_pieces(opened: ReplayFile) -> Iterator[pl.DataFrame]:
    """The columns that we know as they are written, in the order of the file."""
    with readable(opened.path):
        yield from _of_csv(opened) if opened.path.suffix == ".csv" else _of_parquet(opened)


def typed_pieces(opened: ReplayFile) -> Iterator[pl.DataFrame]:
    """The same as they are meant; whoever does not say when it arrived did so when it was measured."""
    columns = opened.typed | ({"arrived_at": opened.at} if "arrived_at" in opened.typed else {})
    for piece in raw_pieces(opened):
        with readable(opened.path):
            yield piece.select(*(column.alias(name) for name, column in columns.items()))


def lay_out(opened: ReplayFile, folder: Path) -> list[Path]:
    """The rows by the day of their arrival, a folder each; within a day in the order of the file."""
    by = opened.arrives
    for number, piece in enumerate(typed_pieces(opened)):
        for (day,), rows in piece.group_by(pl.col(by).dt.strftime(_DAY), maintain_order=True):
            place = folder / str(day)
            place.mkdir(exist_ok=True)
            rows.write_parquet(place / f"{number:08}.parquet", compression="lz4")
    return sorted(folder.iterdir())


def sorted_days(opened: ReplayFile, days: list[Path]) -> Iterator[pl.DataFrame]:
    for day in days:
        parts = [pl.read_parquet(part) for part in sorted(day.iterdir())]
        yield pl.concat(parts, how="vertical_relaxed").sort(opened.arrives, maintain_order=True)


def _of_parquet(opened: ReplayFile) -> Iterator[pl.DataFrame]:
    rows = opened.raw.select(pl.len()).collect().item()
    for begin in range(0, rows, _ROWS):
        yield opened.raw.slice(begin, _ROWS).collect()


def _of_csv(opened: ReplayFile) -> Iterator[pl.DataFrame]:
    """Polars reads far ahead of whoever takes its batches: blocks of lines are cut here."""
    blocks = _blocks(opened.path)
    head = next(blocks, b"")
    for block in blocks:
        yield pl.read_csv(head + block, infer_schema=False).select(list(opened.typed))


def _blocks(path: Path) -> Iterator[bytes]:
    """The header, then some whole lines at a time."""
    with path.open("rb") as file:
        rest, wanted = b"", 1  # the header alone
        while block := file.read(_BYTES):
            rest += block
            cut = _line_end(rest, first=bool(wanted))
            while cut:
                yield rest[:cut]
                rest, was_head, wanted = rest[cut:], wanted, 0
                cut = _line_end(rest, first=False) if was_head else 0
        if rest:
            yield rest


def _line_end(block: bytes, *, first: bool) -> int:
    """Behind the first or the last line end that is not within quotes; 0 where there is none."""
    cut = block.find(b"\n") + 1 if first else block.rfind(b"\n") + 1
    while cut and block.count(b'"', 0, cut) % 2:
        cut = block.find(b"\n", cut) + 1 if first else block.rfind(b"\n", 0, cut - 1) + 1
    return cut
