"""Values that a machine told, believed or not. Pure."""

import math
from collections.abc import Iterable
from typing import Any

from hashinsight.facts.temperatures import is_broken_reading

_COLDEST_C, _HOTTEST_C = -40.0, 200.0
_MOST_COUNT = 10**18


def number(value: Any, *, most: float, least: float = 0.0) -> float | None:
    """A finite number within what such a reading can be; texts are read, as some firmware writes numbers so."""
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%"))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) and least <= found <= most else None


def count(value: Any) -> int | None:
    found = number(value, most=_MOST_COUNT)
    return None if found is None else round(found)


def temperature(value: Any, flags: list[str]) -> float | None:
    """None for a broken sensor, and then the flag says that there is one."""
    if value is None:
        return None
    found = number(value, most=1e9, least=-1e9)
    if found is None or is_broken_reading(found) or not _COLDEST_C < found < _HOTTEST_C:
        flags.append("sensor_broken")
        return None
    return round(found, 2)


def text(value: Any, most: int) -> str | None:
    if not isinstance(value, str):
        return None
    bare = "".join(char if char.isprintable() else " " for char in value[: 2 * most]).strip()
    return bare[:most] or None


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None
