"""Values that a machine told, believed or not. Pure."""

from collections.abc import Iterable
from typing import Any

_MOST_COUNT = 10**18


def number(value: Any, *, most: float, least: float = 0.0) -> float | None:
    """A number within what such a reading can be; texts are read, as some firmware writes numbers so."""
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%"))
        except ValueError:
            return None
    kind = type(value)
    if kind is int:
        try:
            value = float(value)
        except OverflowError:
            return None
    elif kind is not float:
        return None
    return value if least <= value <= most else None  # neither NaN nor infinity is between them


def count(value: Any) -> int | None:
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
