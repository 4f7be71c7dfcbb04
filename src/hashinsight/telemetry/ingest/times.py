"""When a sample was taken: ISO (no zone is UTC) or seconds since 1970, as microseconds since 1970. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNREADABLE = int(np.iinfo(np.int64).min)
_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 4_102_444_800  # the year 2100, in seconds: milliseconds by mistake lie far behind it
_ISO_CHARS = 40
_USUAL_CHARS = range(19, 27)  # 2026-03-01T12:00:00 to .000000


def read_times(values: Sequence[Any]) -> NDArray[np.int64]:
    """The usual form all at once, whatever else is ISO one by one; UNREADABLE for the rest."""
    if all(type(value) is str for value in values):
        bare = [value[:-1] if value[-1:] == "Z" else value for value in values]
        if all(
            # NumPy would also read a zone after the seconds, with a warning
            len(one) in _USUAL_CHARS
            and one[10] == "T"
            and one[4] == "-"
            and (len(one) == _USUAL_CHARS.start or (one[19] == "." and one[20:].isdecimal()))
            for one in bare
        ):
            try:
                return np.array(bare, dtype="datetime64[us]").astype(np.int64)
            except ValueError:  # one of them is no date
                pass
    return np.fromiter(map(read_time, values), np.int64, count=len(values))


def read_time(value: Any) -> int:
    if isinstance(value, str):
        return _iso(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LATEST:
        return round(value * _SECOND)
    return UNREADABLE


def _iso(text: str) -> int:
    # "2026" or "20260301" are dates to the library, and mistakes to us
    if len(text) > _ISO_CHARS or text[4:5] != "-" or text[7:8] != "-" or text[10:11] not in ("T", " "):
        return UNREADABLE
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            at = at.replace(tzinfo=UTC)
        return (at - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return UNREADABLE
