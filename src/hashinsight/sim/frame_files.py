"""Writes frames to a file one by one: memory does not grow with the length of a run."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import polars as pl
import polars.selectors as cs
from polars.io.plugins import register_io_source

FORMS = (".parquet", ".csv")


def write_frames(frames: Iterator[pl.DataFrame], out: Path, *, wrote: Callable[[int], None]) -> int:
    """Returns the number of rows. `wrote` gets the rows of every frame. An incomplete file is not left behind."""
    part = out.with_name(f".{out.name}.part")
    rows = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal rows
        for frame in frames:
            rows += frame.height
            wrote(frame.height)
            yield frame

    try:
        (_write_csv if out.suffix == ".csv" else _write_parquet)(counted(), part)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return rows


def _write_csv(frames: Iterator[pl.DataFrame], out: Path) -> None:
    with out.open("wb") as file:
        for no, frame in enumerate(frames):
            flat = frame.with_columns(cs.by_dtype(pl.List(pl.String)).list.join(" "))  # CSV has no lists
            flat.write_csv(file, include_header=no == 0)


def _write_parquet(frames: Iterator[pl.DataFrame], out: Path) -> None:
    """Uses the streaming engine: polars has no incremental Parquet writer."""
    first = next(frames)

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        del with_columns, predicate, n_rows, batch_size  # a sink asks for everything
        yield from chain([first], frames)

    register_io_source(source, schema=first.schema).sink_parquet(out, maintain_order=True)
