"""Times on the wire: ISO 8601 in UTC with `Z`; read also without a zone, or as seconds since 1970."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

_LATEST_SEC = 4_102_444_800  # the year 2100; milliseconds sent by mistake are far beyond it
_EARLIEST_YEAR = 2000  # earlier times come from unset clocks, or are Go's zero time
_MAX_CHARS = 40
_DATE_CHARS = 10


@lru_cache(maxsize=1024)  # the commands of a batch share their times
def write_time(at: datetime) -> str:
    if at.tzinfo is None:
        raise ValueError("a time on the wire needs a time zone")
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).replace(tzinfo=None).isoformat() + "Z"


def find_time(value: Any) -> datetime | None:
    """None if it is not a time. A bare date is not one: it would be read as midnight."""
    try:
        at = _read(value)
    except (ValueError, OverflowError):
        return None
    return at if at is not None and at.year >= _EARLIEST_YEAR else None


def _read(value: Any) -> datetime | None:
    if isinstance(value, str):
        text = value.strip()
        if not _DATE_CHARS < len(text) <= _MAX_CHARS:
            return None
        at = datetime.fromisoformat(text)
        if at.tzinfo is UTC:
            return at
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LATEST_SEC:
        return datetime.fromtimestamp(value, UTC)
    return None
