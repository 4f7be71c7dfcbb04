"""Sample times: ISO 8601 (UTC without a zone) or epoch seconds, read as epoch microseconds. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNREADABLE = int(np.iinfo(np.int64).min)
_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 4_102_444_800  # the year 2100 in seconds; milliseconds sent by mistake are far beyond it
_ISO_CHARS = 40
_PATTERN = np.frombuffer(b"0000-00-00T00:00:00.000000", np.uint8)
_USUAL_CHARS = (19, *range(21, len(_PATTERN) + 1))
_DIGIT, _NINE, _Z = b"09Z"
_YEAR_ONE = -62_135_596_800_000_000  # the first year that `datetime` knows


def read_times(values: Sequence[Any]) -> NDArray[np.int64]:
    """The usual format all at once, other ISO formats one by one; UNREADABLE for the rest."""
    parsed = _parse_usual(values)
    return np.fromiter(map(read_time, values), np.int64, count=len(values)) if parsed is None else parsed


def _parse_usual(values: Sequence[Any]) -> NDArray[np.int64] | None:
    """All of one length, 2026-03-01T12:00:00 with or without fraction and Z, as one collector always sends."""
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
    pattern = _PATTERN[:width]
    # NumPy accepts other formats too, and zones with a warning: only this exact pattern is taken
    is_usual = np.where(pattern == _DIGIT, (chars >= _DIGIT) & (chars <= _NINE), chars == pattern)
    if not is_usual.all():
        return None
    try:
        micros = np.ascontiguousarray(chars).view(f"S{width}").ravel().astype("datetime64[us]").astype(np.int64)
    except ValueError:  # one of them is not a date
        return None
    return None if (micros < _YEAR_ONE).any() else micros


def read_time(value: Any) -> int:
    if isinstance(value, str):
        return _parse_iso(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LATEST:
        return round(value * _SECOND)
    return UNREADABLE


def _parse_iso(text: str) -> int:
    # `fromisoformat` also accepts "2026" and "20260301", which are mistakes here
    if len(text) > _ISO_CHARS or text[4:5] != "-" or text[7:8] != "-" or text[10:11] not in ("T", " "):
        return UNREADABLE
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            at = at.replace(tzinfo=UTC)
        return (at - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return UNREADABLE
