"""Rows in PostgreSQL's binary COPY format, built from columns with NumPy: no Python object per value, no text parsing.

A column is a block of bytes, one line per row, and a mask of the valid ones: NULL is a length of -1 and no bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]

START = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
END = b"\xff\xff"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # PostgreSQL's epoch
_EPOCH_MICROS = 946_684_800_000_000
_NULL = np.frombuffer(b"\xff\xff\xff\xff", np.uint8)
_REAL_OID = 700


@dataclass(frozen=True)
class Column:
    block: Bytes  # (rows, width); each line is a four-byte length and the value
    used: Bools | None = None  # None: all bytes are valid
    fields: int = 1  # columns of the table, side by side


def numbers(values: NDArray[np.generic], kind: str) -> Column:
    """One column, or several side by side. NaN is NULL.

    `kind` is NumPy's type string in network order: '>i2', '>i4', '>i8', '>f4', '>f8'.
    """
    size = int(kind[-1])
    values = values if values.ndim > 1 else values[:, None]
    rows, fields = values.shape
    missing = np.isnan(values) if values.dtype.kind == "f" else None
    if missing is not None and missing.any():
        values = np.where(missing, 0, values)
    else:
        missing = None
    cells = np.empty((rows, fields), [("length", ">i4"), ("value", kind)])
    cells["length"] = size
    cells["value"] = values
    block = cells.view(np.uint8).reshape(rows, fields * (size + 4))
    if missing is None:
        return Column(block, fields=fields)
    cells["length"][missing] = -1
    used = np.ones((rows, fields, size + 4), bool)
    used[missing, 4:] = False
    return Column(block, used.reshape(block.shape), fields)


def times(micros: NDArray[np.int64]) -> Column:
    """From microseconds since 1970."""
    return numbers(micros - _EPOCH_MICROS, ">i8")


def time_of(at: datetime) -> bytes:
    """One time in PostgreSQL's binary format."""
    return ((at - _EPOCH) // timedelta(microseconds=1)).to_bytes(8, "big", signed=True)


def same(rows: int, *values: bytes) -> Column:
    """One value for all rows, in PostgreSQL's binary format; or several side by side."""
    line = np.frombuffer(b"".join(len(value).to_bytes(4, "big") + value for value in values), np.uint8)
    return Column(np.broadcast_to(line, (rows, len(line))), fields=len(values))


def texts(values: Sequence[str | None], *, prefix: bytes = b"") -> Column:
    """`prefix` precedes the text in some types, such as the version byte of jsonb."""
    count = len(values)
    if count and values[0] is not None and values.count(values[0]) == count:  # the usual case in a batch
        return same(count, prefix + values[0].encode())
    raw = [b"" if value is None else prefix + value.encode() for value in values]
    lengths = np.fromiter(map(len, raw), np.int64, count=count)
    width = max(int(lengths.max(initial=0)), 1)
    block = np.empty((count, width + 4), np.uint8)
    block[:, :4] = lengths.astype(">i4").view(np.uint8).reshape(-1, 4)
    joined = np.frombuffer(b"".join(raw), np.uint8)
    if count and int(lengths.min()) == width:  # all of one length, such as numbered names
        block[:, 4:] = joined.reshape(count, width)
        return Column(block)
    used = np.arange(width + 4) < (lengths + 4)[:, None]
    block[:, 4:][used[:, 4:]] = joined
    if None in values:
        block[[value is None for value in values], :4] = _NULL
    return Column(block, used)


def jsons(values: Sequence[str | None]) -> Column:
    return texts(values, prefix=b"\x01")


def real_lists(grid: NDArray[np.float64], lengths: NDArray[np.int64]) -> Column:
    """Arrays of real: one line of the grid per row, its first `length` entries; NULL if none, NaN becomes NULL."""
    rows, width = grid.shape
    missing = np.isnan(grid)
    if rows and not missing.any() and (lengths == width).all():
        header = np.array([24 + width * 8 - 4, 1, 0, _REAL_OID, width, 1], ">i4").view(np.uint8)
        entries = numbers(grid, ">f4").block
        return Column(np.concatenate([np.broadcast_to(header, (rows, 24)), entries], axis=1))
    cells = np.empty((rows, width, 8), np.uint8)
    cells[:, :, :4] = np.frombuffer((4).to_bytes(4, "big"), np.uint8)
    cells[:, :, 4:] = np.where(missing, 0, grid).astype(">f4").view(np.uint8).reshape(rows, width, 4)
    cells[missing, :4] = _NULL
    there = np.ones((rows, width, 8), bool)
    there[missing, 4:] = False
    there &= (np.arange(width) < lengths[:, None])[:, :, None]
    body = there.sum(axis=(1, 2))
    head = np.empty((rows, 24), np.uint8)
    header = np.empty((rows, 6), ">i4")
    header[:, 0] = np.where(lengths == 0, -1, body + 20)
    header[:, 1:4] = (1, 1, _REAL_OID)
    header[:, 4] = lengths
    header[:, 5] = 1
    head[:] = header.view(np.uint8).reshape(rows, 24)
    used = np.ones((rows, 24), bool)
    used[lengths == 0, 4:] = False
    return Column(
        np.concatenate([head, cells.reshape(rows, width * 8)], axis=1),
        np.concatenate([used, there.reshape(rows, width * 8)], axis=1),
    )


_OIDS = {"f4": 700, "f8": 701, "i2": 21, "i4": 23, "i8": 20}


_ARRAY_HEAD = 20


class Raw(bytes):
    """A value in PostgreSQL's binary format."""


def array(values: NDArray[np.generic], kind: str) -> Raw:
    """A non-empty array as a value. NaN stays NaN. `kind` is NumPy's type string without byte order: 'f4', 'i8'."""
    cells = np.empty(len(values), [("length", ">i4"), ("value", f">{kind}")])
    cells["length"] = int(kind[-1])
    cells["value"] = values
    return Raw(np.array([1, 0, _OIDS[kind], len(values), 1], ">i4").tobytes() + cells.tobytes())


def from_array(sent: bytes, kind: str) -> NDArray[Any]:
    """Reads the output of `array_send` for an array without NULLs, of the same `kind`."""
    cells = np.frombuffer(sent, [("length", ">i4"), ("value", f">{kind}")], offset=_ARRAY_HEAD)
    values: NDArray[Any] = cells["value"].astype(kind)
    return values


def packed(values: NDArray[np.generic], kind: str) -> Raw:
    """Numbers as a `bytea`, one after the other in network order. NaN stays NaN."""
    return Raw(values.astype(f">{kind}").tobytes())


def unpacked(stored: bytes, kind: str) -> NDArray[Any]:
    values: NDArray[Any] = np.frombuffer(stored, f">{kind}")
    return values


def rows_of(columns: Sequence[Column]) -> bytes:
    """All columns as COPY rows, to be sent between START and END."""
    count = len(columns[0].block)
    fields = sum(column.fields for column in columns)
    start = np.broadcast_to(np.frombuffer(fields.to_bytes(2, "big"), np.uint8), (count, 2))
    block = np.concatenate([start, *(column.block for column in columns)], axis=1)
    if all(column.used is None for column in columns):
        return block.tobytes()
    used = np.ones(block.shape, bool)
    place = 2
    for column in columns:
        width = column.block.shape[1]
        if column.used is not None:
            used[:, place : place + width] = column.used
        place += width
    return block[used].tobytes()
