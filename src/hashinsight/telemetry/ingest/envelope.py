"""What an envelope says of itself: schema, mode, how many records, when it was sent. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from hashinsight.telemetry.ingest.payload import MalformedBatch
from hashinsight.telemetry.ingest.times import UNREADABLE, read_time
from hashinsight.telemetry.states import UploadMode

SCHEMA = "telemetry_envelope.v1"
_SECOND = 1_000_000


def check_schema(envelope: Mapping[str, Any]) -> None:
    """One that names none is taken as the first; one that we do not know is not guessed at."""
    schema = envelope.get("schema")
    if schema not in (None, "", SCHEMA):
        raise MalformedBatch(f"this is not an envelope of {SCHEMA}", code="SCHEMA_UNKNOWN")


def place_of(envelope: Mapping[str, Any], name: str) -> str | None:
    """A site or zone that the envelope names, as text; another kind of value names nothing that could be ours."""
    named = envelope.get(name)
    if named is None or named == "":
        return None
    is_number = isinstance(named, int) and not isinstance(named, bool) and abs(named) < _SECOND**2
    return str(named).strip() if is_number or isinstance(named, str) else "?"


def mode_of(header: str, envelope: Mapping[str, Any]) -> UploadMode:
    said = header.strip().lower() or str(envelope.get("mode", ""))[:10].lower()
    return UploadMode.LATEST if said == "latest" else UploadMode.RAW


def zeros_are_readings(envelope: Mapping[str, Any]) -> bool:
    """Our own edge leaves out what it does not know, and says so; others write 0 for it."""
    return envelope.get("zeros_are_readings") is True


def is_miscounted(envelope: Mapping[str, Any], count: int) -> bool:
    said = envelope.get("record_count")
    return said is not None and said != count


def skew_sec_of(envelope: Mapping[str, Any], now: datetime) -> float | None:
    """How far the sender's clock is ahead of ours, less the time on the way; None when it does not say."""
    sent = read_time(envelope.get("sent_at"))
    return None if sent == UNREADABLE else round(sent / _SECOND - now.timestamp(), 3)


_REMEMBERED = timedelta(minutes=10)
_TELL_EVERY = timedelta(seconds=30)
_TELL_FROM_SEC = 1.0
_MOST = 10_000

DeviceKey = tuple[UUID, str | None]  # collector and device: shards of one token have a clock each


@dataclass
class ClockSkews:
    _best: dict[DeviceKey, tuple[datetime, float]] = field(default_factory=dict)
    _told: dict[UUID, tuple[datetime, float]] = field(default_factory=dict)

    def note(self, who: DeviceKey, skew_sec: float, *, now: datetime) -> float:
        """One more observation; gives the estimate."""
        kept = self._best.get(who)
        if kept is None or skew_sec >= kept[1] or now - kept[0] > _REMEMBERED:
            if len(self._best) >= _MOST:
                self._best.clear()
            self._best[who] = kept = (now, skew_sec)
        return kept[1]

    def find(self, who: DeviceKey) -> float | None:
        kept = self._best.get(who)
        return None if kept is None else kept[1]

    def is_news(self, collector_id: UUID, skew_sec: float, stored: float | None, *, now: datetime) -> bool:
        """Whether to store it: changed by more than a second, and not said half a minute ago."""
        at, told = self._told.get(collector_id, (None, stored))
        if told is not None and abs(skew_sec - told) <= _TELL_FROM_SEC:
            return False
        if at is not None and now - at < _TELL_EVERY:
            return False
        self._told[collector_id] = (now, skew_sec)
        return True
