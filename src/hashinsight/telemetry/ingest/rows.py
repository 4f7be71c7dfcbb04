"""Samples as the rows that are copied into the raw table. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.db import binary
from hashinsight.telemetry.fields import FIELDS, Kind
from hashinsight.telemetry.ingest.samples import Samples

_INTEGERS = {"accepted": ">i8", "rejected": ">i8", "hw_errors": ">i8", "uptime_sec": ">i8"}
_SMALL_INTEGERS = {"boards_healthy": ">i2", "boards_total": ">i2"}
# merged into other columns
_MERGED = (
    *("board1_c", "board2_c", "board3_c", "fan1", "fan2", "fan3", "fan4", "temp_limit_c", "temp_warn_c"),
    *("hashrate_1m", "hashrate_5m", "hashrate_15m", "reject_percent"),
)
_REALS = (
    *(field.column for field in FIELDS if field.kind is Kind.NUMBER and field.column not in _MERGED),
    "fan_min_rpm",
)
NUMBERS = {**dict.fromkeys(_REALS, ">f4"), **_INTEGERS, **_SMALL_INTEGERS}
_NOT_STORED = ("mac", "serial", "temp_sensor")  # go to the inventory, or become a flag
_TEXTS = (
    *(field.column for field in FIELDS if field.kind is Kind.TEXT and field.column not in _NOT_STORED),
    "temp_limits",
)
_JSON = ("boards", "extra")
_ALWAYS = ("miner_no", "ts", "tenant_id", "site_id", "received_at", "upload_mode", "collector_no", "status", "flags")
_ROWS_PER_BLOCK = 2_000
_HOUR_MICROS = 3_600_000_000
_BUCKET_MICROS = 300_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Stamp:
    """Tenant, site and collector come from the token, never from the sample."""

    tenant_id: UUID
    site_id: int
    received_at: datetime
    upload_mode: int
    collector_no: int

    def as_binary(self) -> tuple[bytes, ...]:
        site, mode = self.site_id.to_bytes(4, "big"), self.upload_mode.to_bytes(2, "big")
        return (
            self.tenant_id.bytes, site, binary.time_of(self.received_at), mode, self.collector_no.to_bytes(4, "big"),
        )  # fmt: skip


@dataclass(frozen=True)
class RawRows:
    """The chosen samples, encoded in blocks: a long text widens every row of its block."""

    samples: Samples
    miner_nos: NDArray[np.int64]
    chosen: NDArray[np.int64]
    stamp: Stamp
    names: tuple[str, ...]  # columns that some sample of the batch has

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def ts(self) -> NDArray[np.int64]:
        return self.samples.ts[self.chosen]

    def hours(self) -> list[datetime]:
        return _starts(self.ts // _HOUR_MICROS, _HOUR_MICROS)

    def buckets(self) -> list[datetime]:
        return _starts(self.ts // _BUCKET_MICROS, _BUCKET_MICROS)

    def all(self) -> Iterator[bytes]:
        """All rows, as binary COPY data."""
        yield from self._copied(self.chosen)

    def within_hour(self, begins: datetime) -> Iterator[bytes]:
        """The rows of one hour, as binary COPY data."""
        yield from self._copied(self.chosen[self.ts // _HOUR_MICROS == _micros(begins) // _HOUR_MICROS])

    def _copied(self, chosen: NDArray[np.int64]) -> Iterator[bytes]:
        yield binary.START
        for start in range(0, len(chosen), _ROWS_PER_BLOCK):
            block = chosen[start : start + _ROWS_PER_BLOCK]
            yield binary.rows_of(self._columns(block))
        yield binary.END

    def _columns(self, rows: NDArray[np.int64]) -> list[binary.Column]:
        samples, count = self.samples, len(rows)
        every = count == len(samples) and bool((rows[1:] > rows[:-1]).all())  # in their original order
        columns = [
            binary.numbers(self.miner_nos[rows], ">i4"),
            binary.times(samples.ts[rows]),
            binary.same(count, *self.stamp.as_binary()),
            binary.numbers(np.stack([samples.status[rows], samples.flags[rows]], axis=1), ">i2"),
        ]
        reading_names = self.names[len(_ALWAYS) :]
        for kind, names in groupby((name for name in reading_names if name in NUMBERS), NUMBERS.__getitem__):
            values = np.stack([samples.numbers[name] for name in names], axis=1)
            columns.append(binary.numbers(values if every else values[rows], kind))
        for name in reading_names:
            if name in NUMBERS:
                continue
            if name in samples.lists:
                lists = samples.lists[name]
                columns.append(binary.real_lists(lists.values[rows], lists.lengths[rows]))
            else:
                texts = samples.texts[name] if every else np.array(samples.texts[name], object)[rows].tolist()
                columns.append(binary.jsons(texts) if name in _JSON else binary.texts(texts))
        return columns


def to_rows(samples: Samples, miner_nos: NDArray[np.int64], chosen: NDArray[np.int64], stamp: Stamp) -> RawRows:
    names = (
        *_ALWAYS,
        *(name for name in NUMBERS if name in samples.numbers and not np.isnan(samples.numbers[name]).all()),
        *(name for name, lists in samples.lists.items() if lists.values.shape[1]),
        *(name for name in (*_TEXTS, *_JSON) if name in samples.texts),
    )
    return RawRows(samples, miner_nos, chosen, stamp, names)


def _starts(numbers: NDArray[np.int64], length: int) -> list[datetime]:
    return [_EPOCH + timedelta(microseconds=int(number) * length) for number in np.unique(numbers)]


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)
