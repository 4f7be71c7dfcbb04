"""The newest sample of each machine in Redis: one hash per site, written after the response, and optional.

A value is a record of fixed width, so a batch is one block of bytes and one call. The first eight bytes of a record are
its time; a script in Redis compares them, so that an older sample never replaces a newer one.
"""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import structlog
from numpy.typing import NDArray
from prometheus_client import Counter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from hashinsight.telemetry.ingest.samples import Samples

log = structlog.get_logger(__name__)

KEPT = timedelta(hours=1)
_LAYOUT = 1
_REALS = (
    *("hashrate_ths", "hashrate_5s_ths", "expected_ths", "temp_c", "temp_max_c", "temp_min_c", "fan_rpm"),
    *("fan_min_rpm", "power_w", "voltage_v", "frequency_mhz", "reject_rate", "pool_latency_ms"),
)
_INTEGERS = ("accepted", "rejected", "hw_errors", "uptime_sec", "boards_healthy", "boards_total")  # NaN: unknown
RECORD = np.dtype(
    [
        ("ts", ">i8"),
        ("layout", "u1"),
        ("status", "u1"),
        ("flags", ">i2"),
        *((name, ">f4") for name in _REALS),
        *((name, ">f8") for name in _INTEGERS),
    ]
)
_CALL_SAMPLES = 2_000  # a call keeps Redis busy for some milliseconds
_MAX_WAITING = 100_000
_PAUSE_SECONDS = 5.0  # no retry for this long after a failure
_READ_SECONDS = 0.5
_SCRIPT = """
local width, place = tonumber(ARGV[1]), 1
for id in string.gmatch(ARGV[4], '[^\\n]+') do
    local new = string.sub(ARGV[3], place, place + width - 1)
    local old = redis.call('HGET', KEYS[1], id)
    if not old or #old ~= width or struct.unpack('>i8', new) >= struct.unpack('>i8', old) then
        redis.call('HSET', KEYS[1], id, new)
    end
    place = place + width
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
"""
_DROPPED = Counter("hashinsight_right_now_dropped", "Samples that were not written to the right-now view")

Waiting = tuple[int, NDArray[Any], list[str]]


def key_of(site_id: int) -> str:
    return f"telemetry:realtime:{site_id}"


class RightNow:
    """One per process. Adding takes microseconds and never fails; without Redis only freshness is lost."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._script = redis.register_script(_SCRIPT)
        self._waiting: deque[Waiting] = deque()
        self._count = 0
        self._not_before = 0.0
        self._unread_until = 0.0
        self._task: asyncio.Task[None] | None = None

    def add(self, site_id: int, samples: Samples, rows: NDArray[np.int64], *, now: datetime) -> None:
        """Called after the commit with the stored rows of a batch. Returns at once."""
        if time.monotonic() < self._not_before:
            _DROPPED.inc(len(rows))
            return
        rows = rows[samples.ts[rows] > (now - KEPT).timestamp() * 1e6]
        for begins in range(0, len(rows), _CALL_SAMPLES):
            part = rows[begins : begins + _CALL_SAMPLES]
            self._waiting.append((site_id, _records(samples, part), [samples.miner_ids[row] for row in part.tolist()]))
            self._count += len(part)
        while self._count > _MAX_WAITING:
            self._drop(self._waiting.popleft())
        if self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._write())

    async def read(self, site_id: int, miner_ids: Sequence[str] | None = None) -> pl.DataFrame | None:
        """The newest samples of a site, or of these machines of it; None if Redis does not respond."""
        if time.monotonic() < self._unread_until:
            return None
        try:
            async with asyncio.timeout(_READ_SECONDS):
                records = await self._values(site_id, miner_ids)
        except (RedisError, OSError, TimeoutError) as error:
            self._unread_until = time.monotonic() + _PAUSE_SECONDS
            log.warning("right_now_read_failed", error=str(error) or type(error).__name__)
            return None
        complete = {
            name: value for name, value in records.items() if value is not None and len(value) == RECORD.itemsize
        }
        return _frame(site_id, list(complete), np.frombuffer(b"".join(complete.values()), RECORD))

    async def settle(self) -> None:
        """Wait until the added samples are written or dropped."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _values(self, site_id: int, miner_ids: Sequence[str] | None) -> dict[str, bytes | None]:
        if miner_ids is None:
            every: dict[Any, Any] = await self._redis.hgetall(key_of(site_id))
            return {name.decode(): value for name, value in every.items()}
        if not miner_ids:
            return {}
        some: list[Any] = await self._redis.hmget(key_of(site_id), list(miner_ids))
        return dict(zip(miner_ids, some, strict=True))

    async def _write(self) -> None:
        while self._waiting:
            site_id, records, ids = taken = self._waiting.popleft()
            self._count -= len(ids)
            seconds = int(KEPT.total_seconds())
            try:
                await self._script(
                    keys=[key_of(site_id)], args=[RECORD.itemsize, seconds, records.tobytes(), "\n".join(ids)]
                )
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("right_now_write_failed", error=str(error), again_in_seconds=_PAUSE_SECONDS)
                self._not_before = time.monotonic() + _PAUSE_SECONDS
                _DROPPED.inc(len(taken[2]))
                while self._waiting:
                    self._drop(self._waiting.popleft())

    def _drop(self, waiting: Waiting) -> None:
        self._count -= len(waiting[2])
        _DROPPED.inc(len(waiting[2]))


def _records(samples: Samples, rows: NDArray[np.int64]) -> NDArray[Any]:
    records = np.empty(len(rows), RECORD)
    records["ts"], records["layout"] = samples.ts[rows], _LAYOUT
    records["status"], records["flags"] = samples.status[rows], samples.flags[rows]
    for name in (*_REALS, *_INTEGERS):
        records[name] = samples.numbers[name][rows] if name in samples.numbers else np.nan
    return records


def _frame(site_id: int, miner_ids: list[str], records: NDArray[Any]) -> pl.DataFrame:
    """Columns named as in the live layer; NaN becomes null."""
    native = {name: records[name].astype(records[name].dtype.newbyteorder("=")) for name in RECORD.names or ()}
    frame = pl.DataFrame({"miner_id": pl.Series(miner_ids, dtype=pl.String), **native}).filter(
        pl.col("layout") == _LAYOUT
    )
    return frame.with_columns(
        pl.col("ts").cast(pl.Datetime("us")).dt.replace_time_zone("UTC"),
        pl.col("status").cast(pl.Int16),
        *(pl.col(name).fill_nan(None) for name in _REALS),
        *(pl.col(name).fill_nan(None).cast(pl.Int64) for name in _INTEGERS),
        site_id=pl.lit(site_id, pl.Int32),
    ).drop("layout")
