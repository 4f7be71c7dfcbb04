"""The envelope of a batch: schema, place, mode, record count, and the sender's clock. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from hashinsight.telemetry.ingest.payload import MalformedBatch
from hashinsight.telemetry.ingest.times import UNREADABLE, read_time
from hashinsight.telemetry.states import UploadMode

SCHEMA = "telemetry_envelope.v1"
_MICROS = 1_000_000
_MAX_ID = 10**12
_SKEW_WINDOW = timedelta(minutes=10)
_SKEW_STORED_EVERY = timedelta(seconds=30)
_SKEW_CHANGE_SEC = 1.0
_MAX_DEVICES = 10_000

DeviceKey = tuple[UUID, str | None]  # collector and device: shards of one token have their own clocks


def check_schema(envelope: Mapping[str, Any]) -> None:
    """A missing schema counts as the first version; an unknown one is refused."""
    schema = envelope.get("schema")
    if schema not in (None, "", SCHEMA):
        raise MalformedBatch(f"unknown schema: expected {SCHEMA}", code="SCHEMA_UNKNOWN")


def place_name(envelope: Mapping[str, Any], field_name: str) -> str | None:
    """The site or zone that the envelope names, as text; "?" for a value that cannot be a name of ours."""
    value = envelope.get(field_name)
    if value is None or value == "":
        return None
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_ID
    return str(value).strip() if is_number or isinstance(value, str) else "?"


def upload_mode(header: str, envelope: Mapping[str, Any]) -> UploadMode:
    mode = header.strip().lower() or str(envelope.get("mode", ""))[:10].lower()
    return UploadMode.LATEST if mode == "latest" else UploadMode.RAW


def zeros_are_readings(envelope: Mapping[str, Any]) -> bool:
    """Our edge omits unknown values and sets this flag; other collectors write 0 for unknown."""
    return envelope.get("zeros_are_readings") is True


def is_miscounted(envelope: Mapping[str, Any], count: int) -> bool:
    record_count = envelope.get("record_count")
    return record_count is not None and record_count != count


def measured_skew_sec(envelope: Mapping[str, Any], now: datetime) -> float | None:
    """How far the sender's clock is ahead of ours, minus the transmission time; None without `sent_at`."""
    sent = read_time(envelope.get("sent_at"))
    return None if sent == UNREADABLE else round(sent / _MICROS - now.timestamp(), 3)


@dataclass
class ClockSkews:
    """Estimates of how far collectors' clocks are ahead of ours.

    Transmission and time in a spool only ever make a clock look slower than it is. So the largest value of the last
    minutes is the best estimate, and a backlog wrapped hours ago does not make a good clock look bad.
    """

    _best: dict[DeviceKey, tuple[datetime, float]] = field(default_factory=dict)
    _stored: dict[UUID, tuple[datetime, float]] = field(default_factory=dict)

    def add(self, device: DeviceKey, skew_sec: float, *, now: datetime) -> float:
        """Adds an observation and returns the estimate."""
        best = self._best.get(device)
        if best is None or skew_sec >= best[1] or now - best[0] > _SKEW_WINDOW:
            if len(self._best) >= _MAX_DEVICES:
                self._best.clear()
            self._best[device] = best = (now, skew_sec)
        return best[1]

    def find(self, device: DeviceKey) -> float | None:
        best = self._best.get(device)
        return None if best is None else best[1]

    def should_store(self, collector_id: UUID, skew_sec: float, stored_sec: float | None, *, now: datetime) -> bool:
        """If it changed by more than a second and was not stored in the last half minute."""
        at, last_sec = self._stored.get(collector_id, (None, stored_sec))
        if last_sec is not None and abs(skew_sec - last_sec) <= _SKEW_CHANGE_SEC:
            return False
        if at is not None and now - at < _SKEW_STORED_EVERY:
            return False
        self._stored[collector_id] = (now, skew_sec)
        return True
