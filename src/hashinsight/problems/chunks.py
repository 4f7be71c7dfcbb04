"""Arrays over machines, cut into rows of a table: 1,024 machine numbers a row, one array a field. Pure.

A field that has several rows of its own (one a metric) lies in a chunk row after row.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.kit.db import binary
from hashinsight.problems.frame import Ints

CHUNK = 1024
_KINDS: dict[str, str] = {"f4": "f4", "f8": "f8", "i1": "i2", "i2": "i2", "i4": "i4", "i8": "i8"}
Arrays = Mapping[str, NDArray[Any]]


def cut(miner_no: Ints) -> Iterator[tuple[int, slice]]:
    """The chunks of these machines, in order: number and place."""
    numbers = miner_no // CHUNK
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(miner_no)]):
        yield int(numbers[start]), slice(start, end)


def rows(miner_no: Ints, of: Arrays, known: tuple[Ints, Arrays] | None = None) -> bytes:
    """Lines of a COPY: chunk, machines, fields. A field that is as `known` has it is NULL: it need not be written."""
    places = dict(cut(known[0])) if known is not None else {}
    lines = []
    for number, here in cut(miner_no):
        before = places.get(number)
        kept = (
            known[1]
            if known is not None and before is not None and np.array_equal(known[0][before], miner_no[here])
            else None
        )
        values: list[bytes | None] = [number.to_bytes(4, "big"), binary.array(miner_no[here], "i4")]
        for name, array in of.items():
            flat = _flat(array, here)
            same = kept is not None and before is not None and _same(flat, _flat(kept[name], before))
            values.append(None if same else binary.array(flat, _KINDS[flat.dtype.str[1:]]))
        lines.append(binary.row(values))
    return b"".join(lines)


def read(frame: pl.DataFrame, fields: Mapping[str, tuple[int, Any]]) -> tuple[Ints, dict[str, NDArray[Any]]]:
    """Machines and arrays of stored chunks, in order. `fields` says how many rows each has, and of which type."""
    sizes = frame["miner_no"].list.len().to_list()
    machines = frame["miner_no"].explode(empty_as_null=False).cast(pl.Int64).to_numpy()
    of = {}
    for name, (count, kind) in fields.items():
        flat = frame[name].explode(empty_as_null=False).to_numpy().astype(kind)
        of[name] = flat if count == 1 else _stack(flat, sizes, count)
    return machines, of


def _stack(flat: NDArray[Any], sizes: Sequence[int], count: int) -> NDArray[Any]:
    if not sizes:
        return flat.reshape(count, 0)
    ends = np.cumsum(sizes) * count
    parts = np.split(flat, ends[:-1])
    return np.concatenate([part.reshape(count, size) for part, size in zip(parts, sizes, strict=True)], axis=1)


def _flat(array: NDArray[Any], here: slice) -> NDArray[Any]:
    return np.ascontiguousarray(array[..., here]).reshape(-1)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Bit by bit, so that NaN is as NaN."""
    return one.nbytes == other.nbytes and one.tobytes() == other.tobytes()
