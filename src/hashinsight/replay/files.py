"""Replay files: their columns with types, read in chunks so that a long file needs no more memory than a short one."""

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
_TIME_TYPE = pl.Datetime("ms", "UTC")
# ISO text, its T replaced by a blank; tried in turn on every chunk, never guessed from the first rows
_TIME_FORMATS = ("%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M")
_YES_NO = {"true": "1", "false": "0", "yes": "1", "no": "0"}


class UnreadableFile(ValueError):
    """A file that cannot be replayed; the message is one sentence for the person who wrote the file."""


@dataclass(frozen=True)
class ReplayFile:
    """The known columns of a file: as parsed (`raw`) and with their types (`typed`), in file order."""

    path: Path
    raw: pl.LazyFrame
    typed: dict[str, pl.Expr]
    text_columns: frozenset[str]

    @property
    def arrival_column(self) -> str:
        """The column that gives the order of arrival."""
        return "arrived_at" if "arrived_at" in self.typed else "ts"

    @property
    def at(self) -> pl.Expr:
        """When a row arrived; without `arrived_at`, when it was measured."""
        measured = self.typed["ts"]
        return pl.coalesce(self.typed["arrived_at"], measured) if "arrived_at" in self.typed else measured


def open_file(path: Path) -> ReplayFile:
    if path.suffix not in FILE_SUFFIXES or not path.is_file():
        raise UnreadableFile(f"{path} is not a {' or '.join(FILE_SUFFIXES)} file")
    with readable(path):
        # types come from the replay format, never from the first hundred rows
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
    """Files are read lazily: errors while reading become one sentence."""
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
        return pl.when(number.is_finite()).then(number)  # infinite counts as unknown
    return column.cast(pl.String)


def _time(path: Path, name: str, kind: pl.DataType) -> pl.Expr:
    """ISO text without a zone is UTC; numbers are seconds since 1970."""
    column = pl.col(name)
    if kind == pl.String:
        text = column.str.strip_chars()
        iso = text.str.replace("T", " ", literal=True)
        parsed = [iso.str.to_datetime(form, time_unit="ms", time_zone="UTC", strict=False) for form in _TIME_FORMATS]
        return pl.coalesce(*parsed, _seconds(text))
    if kind.is_numeric():
        return _seconds(column)
    if isinstance(kind, pl.Datetime) and kind.time_zone is None:
        return column.dt.replace_time_zone("UTC").cast(_TIME_TYPE)
    if isinstance(kind, pl.Datetime | pl.Date | pl.Null):
        return column.cast(_TIME_TYPE)
    raise UnreadableFile(f"{path}: column {name} has type {kind}, not times")


def _seconds(column: pl.Expr) -> pl.Expr:
    number = column.cast(pl.Float64, strict=False)
    return (pl.when(number.is_finite()).then(number) * 1000).cast(pl.Int64, strict=False).cast(_TIME_TYPE)


_CHUNK_ROWS = 200_000
_CHUNK_BYTES = 8_000_000
_DAY = "%Y-%m-%d"


def raw_chunks(file: ReplayFile) -> Iterator[pl.DataFrame]:
    """The columns that we know as they are parsed, in the order of the file."""
    with readable(file.path):
        yield from _csv_chunks(file) if file.path.suffix == ".csv" else _parquet_chunks(file)


def typed_chunks(file: ReplayFile) -> Iterator[pl.DataFrame]:
    """The known columns with their types; a missing `arrived_at` is the time of measurement."""
    columns = file.typed | ({"arrived_at": file.at} if "arrived_at" in file.typed else {})
    for chunk in raw_chunks(file):
        with readable(file.path):
            yield chunk.select(*(column.alias(name) for name, column in columns.items()))


def split_by_day(file: ReplayFile, folder: Path) -> list[Path]:
    """One folder per day of arrival; within a day, rows keep file order."""
    by = file.arrival_column
    for number, chunk in enumerate(typed_chunks(file)):
        for (day,), rows in chunk.group_by(pl.col(by).dt.strftime(_DAY), maintain_order=True):
            day_folder = folder / str(day)
            day_folder.mkdir(exist_ok=True)
            rows.write_parquet(day_folder / f"{number:08}.parquet", compression="lz4")
    return sorted(folder.iterdir())


def sorted_days(file: ReplayFile, days: list[Path]) -> Iterator[pl.DataFrame]:
    for day in days:
        parts = [pl.read_parquet(part) for part in sorted(day.iterdir())]
        yield pl.concat(parts, how="vertical_relaxed").sort(file.arrival_column, maintain_order=True)


def _parquet_chunks(file: ReplayFile) -> Iterator[pl.DataFrame]:
    rows = file.raw.select(pl.len()).collect().item()
    for begin in range(0, rows, _CHUNK_ROWS):
        yield file.raw.slice(begin, _CHUNK_ROWS).collect()


def _csv_chunks(file: ReplayFile) -> Iterator[pl.DataFrame]:
    """Polars' own batches read far ahead of the consumer, so blocks of lines are cut here."""
    blocks = _blocks(file.path)
    head = next(blocks, b"")
    for block in blocks:
        yield pl.read_csv(head + block, infer_schema=False).select(list(file.typed))


def _blocks(path: Path) -> Iterator[bytes]:
    """The header line, then blocks of whole lines."""
    with path.open("rb") as file:
        rest, wanted = b"", 1  # the header alone
        while block := file.read(_CHUNK_BYTES):
            rest += block
            cut = _line_end(rest, first=bool(wanted))
            while cut:
                yield rest[:cut]
                rest, was_head, wanted = rest[cut:], wanted, 0
                cut = _line_end(rest, first=False) if was_head else 0
        if rest:
            yield rest


def _line_end(block: bytes, *, first: bool) -> int:
    """The position after the first or last line end outside quotes; 0 if there is none."""
    cut = block.find(b"\n") + 1 if first else block.rfind(b"\n") + 1
    while cut and block.count(b'"', 0, cut) % 2:
        cut = block.find(b"\n", cut) + 1 if first else block.rfind(b"\n", 0, cut - 1) + 1
    return cut
