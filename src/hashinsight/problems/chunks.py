"""Arrays over machines, cut into rows of a table: 1,024 machine numbers per row, one array per field. Pure.

A field with several rows of its own (one per metric) is stored row after row. Arrays travel in the binary form of
`array_send`: as lists they would cost a step per number. Fields that SQL never reads are packed as bytes, which the
server copies at once.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Chunk:
    """One row to write: machines, then fields. None is an unchanged field."""

    number: int
    is_new: bool
    values: list[binary.Raw | None]


def cut(miner_no: Ints) -> Iterator[tuple[int, slice]]:
    """The chunks of these machines, in order: number and slice."""
    numbers = miner_no // CHUNK
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(miner_no)]):
        yield int(numbers[start]), slice(start, end)


def rows(
    miner_no: Ints, of: Arrays, known: tuple[Ints, Arrays] | None = None, *, packed: Collection[str] = ()
) -> list[Chunk]:
    """What to write so that the table has these arrays where it had the `known` ones."""
    places = {} if known is None else dict(cut(known[0]))
    made = []
    for number, here in cut(miner_no):
        before = places.get(number)
        if known is not None and before is not None and np.array_equal(known[0][before], miner_no[here]):
            fields = [
                _sent(array, here, is_packed=name in packed) if _differs(array, here, known[1][name], before) else None
                for name, array in of.items()
            ]
            made.append(Chunk(number, is_new=False, values=[None, *fields]))
        else:
            fields = [_sent(array, here, is_packed=name in packed) for name, array in of.items()]
            made.append(Chunk(number, is_new=before is None, values=[binary.array(miner_no[here], "i4"), *fields]))
    return made


def read(
    frame: pl.DataFrame, fields: Mapping[str, tuple[int, Any]], *, packed: Collection[str] = ()
) -> tuple[Ints, dict[str, NDArray[Any]]]:
    """Machines and arrays of stored chunks, in order. `fields` says how many rows each has, and of which type."""
    machines = [binary.from_array(sent, "i4") for sent in frame["miner_no"]]
    sizes = [len(numbers) for numbers in machines]
    of = {}
    for name, (count, kind) in fields.items():
        wire, unpack = _KINDS[np.dtype(kind).str[1:]], binary.unpacked if name in packed else binary.from_array
        parts = [unpack(sent, wire).reshape(count, size) for sent, size in zip(frame[name], sizes, strict=True)]
        whole = np.concatenate([np.empty((count, 0), dtype=kind), *parts], axis=1).astype(kind)
        of[name] = whole[0] if count == 1 else whole
    return np.concatenate([np.empty(0, dtype=np.int64), *machines]).astype(np.int64), of


def _differs(array: NDArray[Any], here: slice, known: NDArray[Any], before: slice) -> bool:
    """Compared bit by bit, so that NaN equals NaN."""
    return _flat(array, here).tobytes() != _flat(known, before).tobytes()


def _sent(array: NDArray[Any], here: slice, *, is_packed: bool) -> binary.Raw:
    flat = _flat(array, here)
    wire = _KINDS[flat.dtype.str[1:]]
    return binary.packed(flat, wire) if is_packed else binary.array(flat, wire)


def _flat(array: NDArray[Any], here: slice) -> NDArray[Any]:
    return np.ascontiguousarray(array[..., here]).reshape(-1)
