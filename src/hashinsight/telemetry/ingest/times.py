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
_FORM = np.frombuffer(b"0000-00-00T00:00:00.000000", np.uint8)
_USUAL_CHARS = (19, *range(21, len(_FORM) + 1))
_DIGIT, _NINE, _Z = b"09Z"
_YEAR_ONE = -62_135_596_800_000_000  # NumPy knows a year before it, the library does not


def read_times(values: Sequence[Any]) -> NDArray[np.int64]:
    """The usual form all at once, whatever else is ISO one by one; UNREADABLE for the rest."""
    usual = _usual(values)
    return np.fromiter(map(read_time, values), np.int64, count=len(values)) if usual is None else usual


def _usual(values: Sequence[Any]) -> NDArray[np.int64] | None:
    """All of one length, 2026-03-01T12:00:00 with or without a fraction and a Z: what one collector always sends."""
    if set(map(type, values)) != {str} or len(lengths := set(map(len, values))) != 1:
        return None
    joined = "".join(values)
    if not joined.isascii():
        return None
    width = lengths.pop()
    chars = np.frombuffer(joined.encode(), np.uint8).reshape(len(values), width)
    if width and (chars[:, -1] == _Z).all():
        width -= 1
        chars = chars[:, :width]
    if width not in _USUAL_CHARS:
        return None
    form = _FORM[:width]
    # NumPy would also read other forms, and a zone with a warning: only digits and marks, each in its place
    is_usual = np.where(form == _DIGIT, (chars >= _DIGIT) & (chars <= _NINE), chars == form)
    if not is_usual.all():
        return None
    try:
        found = np.ascontiguousarray(chars).view(f"S{width}").ravel().astype("datetime64[us]").astype(np.int64)
    except ValueError:  # one of them is no date
        return None
    return None if (found < _YEAR_ONE).any() else found


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
