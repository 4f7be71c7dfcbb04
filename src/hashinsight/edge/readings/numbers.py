"""Values that a machine told, believed or not. Pure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
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


_TERAS = {"h": 1e-12, "kh": 1e-9, "mh": 1e-6, "gh": 1e-3, "th": 1.0, "ph": 1e3, "eh": 1e6}
_STEP = 1000.0
_MOST_STEPS = 4
_PLAUSIBLE = (0.02, 1.7)  # of the rating
_AGREES = (0.5, 2.0)  # total over the sum of its boards: both are estimates of different spans
_MOST_THS = 3000.0  # what no machine of today does
_MUST_HASH = 0.5  # of the rated watts: who takes so much hashes


@dataclass
class Rates:
    total_ths: float | None
    expected_ths: float | None
    boards_ths: list[float | None]
    flags: list[str] = field(default_factory=list)


def in_ths(rate: Any) -> float | None:
    """Of `{"value", "unit"}` as the library says it; a unit that is not known is no rate."""
    if not isinstance(rate, dict):
        return None
    value = number(rate.get("value"), most=1e30)
    factor = _teras(str(rate.get("unit") or "TH/s"))
    # not rounded yet: a total that is a million times too small has its digits far behind the point
    return None if value is None or factor is None else value * factor


@lru_cache(maxsize=64)
def _teras(unit: str) -> float | None:
    return _TERAS.get(unit.lower().removesuffix("/s").strip())


def mended(rates: Rates, *, rated_ths: float | None, power_w: float | None, rated_w: float | None) -> Rates:
    """The same with units put right where that is certain, and flags for what was done or is doubted."""
    flags: list[str] = []
    expected = _down(rates.expected_ths, rated_ths, flags, "expected_units_mended")
    reference = rated_ths or expected
    boards = rates.boards_ths
    total = _down(rates.total_ths, reference, flags, "hashrate_units_mended")
    share = reference / len(boards) if reference and boards else None
    boards = [_down(ths, share, flags, "board_units_mended") for ths in boards]
    known = [ths for ths in boards if ths is not None]
    summed = sum(known) if known else None
    if total and summed:
        total, boards = _agreed(total, summed, boards, reference, flags)
    elif total is None and summed is not None:
        total = summed
        flags.append("hashrate_from_boards")
    if _is_doubtful(total, reference, power_w, rated_w):
        flags.append("hashrate_doubtful")
    return Rates(_rounded(total), _rounded(expected), [_rounded(ths) for ths in boards], flags)


def _down(ths: float | None, reference: float | None, flags: list[str], flag: str) -> float | None:
    """By thousands, until it is what such a machine can do."""
    most = reference * _PLAUSIBLE[1] * 3 if reference else _MOST_THS
    if ths is None or ths <= most:
        return ths
    lower = ths
    for _ in range(_MOST_STEPS):
        lower /= _STEP
        if lower <= most:
            flags.append(flag)
            return lower
    return None


def _agreed(
    total: float, summed: float, boards: list[float | None], reference: float | None, flags: list[str]
) -> tuple[float, list[float | None]]:
    """Where they are thousands apart, the one that such a machine can do is right and the other is moved to it."""
    ratio = total / summed
    if _AGREES[0] <= ratio <= _AGREES[1]:
        return total, boards
    steps = round(math.log10(ratio) / 3)
    apart = ratio / _STEP**steps
    if steps and _AGREES[0] <= apart <= _AGREES[1]:
        if _is_plausible(summed, reference) and not _is_plausible(total, reference):
            flags.append("hashrate_units_mended")
            return total / _STEP**steps, boards
        if _is_plausible(total, reference) and not _is_plausible(summed, reference):
            flags.append("board_units_mended")
            factor = _STEP**steps
            return total, [None if ths is None else ths * factor for ths in boards]
    flags.append("boards_contradict_total")
    return total, boards


def _is_plausible(ths: float, reference: float | None) -> bool:
    if reference is None:
        return 1.0 <= ths <= _MOST_THS
    return _PLAUSIBLE[0] <= ths / reference <= _PLAUSIBLE[1]


def _is_doubtful(total: float | None, reference: float | None, power_w: float | None, rated_w: float | None) -> bool:
    if not total or not reference or not power_w or not rated_w:
        return False
    return total < _PLAUSIBLE[0] * reference and power_w > _MUST_HASH * rated_w


def _rounded(ths: float | None) -> float | None:
    return None if ths is None else round(ths, 6)
