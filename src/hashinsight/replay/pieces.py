"""A file a piece at a time, so that a long one needs no more memory than a short one.

Rows that are not in order of arrival are laid out by days on disk first: a day is sorted by itself.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from hashinsight.replay.columns import Opened, readable

_ROWS = 200_000
_BYTES = 8_000_000
_DAY = "%Y-%m-%d"


def raw_pieces(opened: Opened) -> Iterator[pl.DataFrame]:
    """The columns that we know as they are written, in the order of the file."""
    with readable(opened.path):
        yield from _of_csv(opened) if opened.path.suffix == ".csv" else _of_parquet(opened)


def typed_pieces(opened: Opened) -> Iterator[pl.DataFrame]:
    """The same as they are meant; whoever does not say when it arrived did so when it was measured."""
    columns = opened.typed | ({"arrived_at": opened.at} if "arrived_at" in opened.typed else {})
    for piece in raw_pieces(opened):
        with readable(opened.path):
            yield piece.select(*(column.alias(name) for name, column in columns.items()))


def lay_out(opened: Opened, folder: Path) -> list[Path]:
    """The rows by the day of their arrival, a folder each; within a day in the order of the file."""
    by = opened.arrives
    for number, piece in enumerate(typed_pieces(opened)):
        for (day,), rows in piece.group_by(pl.col(by).dt.strftime(_DAY), maintain_order=True):
            place = folder / str(day)
            place.mkdir(exist_ok=True)
            rows.write_parquet(place / f"{number:08}.parquet", compression="lz4")
    return sorted(folder.iterdir())


def sorted_days(opened: Opened, days: list[Path]) -> Iterator[pl.DataFrame]:
    for day in days:
        parts = [pl.read_parquet(part) for part in sorted(day.iterdir())]
        yield pl.concat(parts, how="vertical_relaxed").sort(opened.arrives, maintain_order=True)


def _of_parquet(opened: Opened) -> Iterator[pl.DataFrame]:
    rows = opened.raw.select(pl.len()).collect().item()
    for begin in range(0, rows, _ROWS):
        yield opened.raw.slice(begin, _ROWS).collect()


def _of_csv(opened: Opened) -> Iterator[pl.DataFrame]:
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
