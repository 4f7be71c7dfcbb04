"""Values that a machine told, believed or not. Pure."""

from collections.abc import Iterable
from typing import Any

_MOST_COUNT = 10**18
_MOST_EXACT = 2**53  # up to here a float is the same whole number


def number(value: Any, *, most: float, least: float = 0.0) -> float | None:
    """A number within what such a reading can be; texts are read, as some firmware writes numbers so."""
    if type(value) is not float:
        value = _as_float(value)
        if value is None:
            return None
    return value if least <= value <= most else None  # neither NaN nor infinity is between them


def _as_float(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return float(value.strip().rstrip("%"))
        except ValueError:
            return None
    if type(value) is not int:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def count(value: Any) -> int | None:
    if type(value) is int and 0 <= value <= _MOST_EXACT:
        return value
    found = number(value, most=_MOST_COUNT)
    return None if found is None else round(found)


def text(value: Any, most: int) -> str | None:
    if not isinstance(value, str):
        return None
    bare = value[: 2 * most]
    if not bare.isprintable():
        bare = "".join(char if char.isprintable() else " " for char in bare)
    return bare.strip()[:most] or None


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
