"""Good samples as the rows that are copied into the raw table. Pure."""

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

_WHOLES = {"accepted": ">i8", "rejected": ">i8", "hw_errors": ">i8", "uptime_sec": ">i8"}
_SMALL = {"boards_healthy": ">i2", "boards_total": ">i2"}
# that become part of something else
_GONE = (
    *("board1_c", "board2_c", "board3_c", "fan1", "fan2", "fan3", "fan4", "temp_limit_c", "temp_warn_c"),
    *("hashrate_1m", "hashrate_5m", "hashrate_15m", "reject_percent"),
)
_REALS = (*(one.column for one in FIELDS if one.kind is Kind.NUMBER and one.column not in _GONE), "fan_min_rpm")
NUMBERS = {**dict.fromkeys(_REALS, ">f4"), **_WHOLES, **_SMALL}
_UNSTORED = ("mac", "serial", "temp_sensor")  # to the inventory, or a flag
_TEXTS = (*(one.column for one in FIELDS if one.kind is Kind.TEXT and one.column not in _UNSTORED), "temp_limits")
_JSONS = ("boards", "extra")
_ALWAYS = ("miner_no", "ts", "tenant_id", "site_id", "received_at", "upload_mode", "collector_no", "status", "flags")
_AT_ONCE = 2_000
_HOUR_MICROS = 3_600_000_000
_BUCKET_MICROS = 300_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Stamp:
    """Whose it is says the token, never the sample."""

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
    """The chosen samples. Their bytes are made some at a time: one long text widens every row that it is made with."""

    samples: Samples
    miner_nos: NDArray[np.int64]
    chosen: NDArray[np.int64]
    stamp: Stamp
    names: tuple[str, ...]  # the columns that any sample of the batch has

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def ts(self) -> NDArray[np.int64]:
        return self.samples.ts[self.chosen]

    def hours(self) -> list[datetime]:
        return _instants(self.ts // _HOUR_MICROS, _HOUR_MICROS)

    def buckets(self) -> list[datetime]:
        return _instants(self.ts // _BUCKET_MICROS, _BUCKET_MICROS)

    def all(self) -> Iterator[bytes]:
        """All rows, as the bytes of a COPY."""
        yield from self._copied(self.chosen)

    def within_hour(self, begins: datetime) -> Iterator[bytes]:
        """The same for the rows of one hour."""
        yield from self._copied(self.chosen[self.ts // _HOUR_MICROS == _micros(begins) // _HOUR_MICROS])

    def _copied(self, chosen: NDArray[np.int64]) -> Iterator[bytes]:
        yield binary.START
        for begin in range(0, len(chosen), _AT_ONCE):
            part = chosen[begin : begin + _AT_ONCE]
            yield binary.rows_of(self._columns(part))
        yield binary.END

    def _columns(self, rows: NDArray[np.int64]) -> list[binary.Column]:
        samples, count = self.samples, len(rows)
        every = count == len(samples) and bool((rows[1:] > rows[:-1]).all())  # as they came
        columns = [
            binary.numbers(self.miner_nos[rows], ">i4"),
            binary.times(samples.ts[rows]),
            binary.same(count, *self.stamp.as_binary()),
            binary.numbers(np.stack([samples.status[rows], samples.flags[rows]], axis=1), ">i2"),
        ]
        said = self.names[len(_ALWAYS) :]
        for kind, names in groupby((name for name in said if name in NUMBERS), NUMBERS.__getitem__):
            values = np.stack([samples.numbers[name] for name in names], axis=1)
            columns.append(binary.numbers(values if every else values[rows], kind))
        for name in said:
            if name in NUMBERS:
                continue
            if name in samples.lists:
                lists = samples.lists[name]
                columns.append(binary.real_lists(lists.said[rows], lists.lengths[rows]))
            else:
                texts = samples.texts[name] if every else np.array(samples.texts[name], object)[rows].tolist()
                columns.append(binary.jsons(texts) if name in _JSONS else binary.texts(texts))
        return columns


def to_rows(samples: Samples, miner_nos: NDArray[np.int64], chosen: NDArray[np.int64], stamp: Stamp) -> RawRows:
    names = (
        *_ALWAYS,
        *(name for name in NUMBERS if name in samples.numbers and not np.isnan(samples.numbers[name]).all()),
        *(name for name, lists in samples.lists.items() if lists.said.shape[1]),
        *(name for name in (*_TEXTS, *_JSONS) if name in samples.texts),
    )
    return RawRows(samples, miner_nos, chosen, stamp, names)


def _instants(numbers: NDArray[np.int64], length: int) -> list[datetime]:
    return [_EPOCH + timedelta(microseconds=int(one) * length) for one in np.unique(numbers)]


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)
