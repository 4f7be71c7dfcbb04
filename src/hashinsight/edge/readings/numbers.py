"""Numbers and texts as machines report them, checked; hashrates in TH/s with wrong units corrected. Pure.

One make reports its total a million times too large, another its boards in a different unit than its total. No machine
does a thousand times its rating, so too much is always a wrong unit and is corrected. Too little may be a machine that
is starting or failing, so it is corrected only if its boards prove it; otherwise it is only flagged.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

_MAX_COUNT = 10**18
_MAX_EXACT = 2**53  # a float holds whole numbers exactly up to here
_TERAS = {"h": 1e-12, "kh": 1e-9, "mh": 1e-6, "gh": 1e-3, "th": 1.0, "ph": 1e3, "eh": 1e6}
_STEP = 1000.0
_MAX_STEPS = 4
_PLAUSIBLE = (0.02, 1.7)  # of the rating
_AGREES = (0.5, 2.0)  # total over the sum of boards: both are averages over different spans
# No machine does more today. Lower than the server's limit, because here more is scaled by thousands and not dropped:
# 4,700 TH/s without a rating is an old machine of 4.7 TH/s in GH/s.
_MAX_THS = 3000.0
_MUST_HASH = 0.5  # of rated power: a machine that draws this much hashes


def number(value: Any, *, maximum: float, minimum: float = 0.0) -> float | None:
    """A number within the limits of such a reading; also from text, because some firmware writes numbers as text."""
    if type(value) is not float:
        value = _as_float(value)
        if value is None:
            return None
    return value if minimum <= value <= maximum else None  # also false for NaN and infinity


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
    if type(value) is int and 0 <= value <= _MAX_EXACT:
        return value
    value = number(value, maximum=_MAX_COUNT)
    return None if value is None else round(value)


def text(value: Any, maximum: int) -> str | None:
    if not isinstance(value, str):
        return None
    cut = value[: 2 * maximum]
    if not cut.isprintable():
        cut = "".join(char if char.isprintable() else " " for char in cut)
    return cut.strip()[:maximum] or None


def host_and_path(url: object) -> str:
    """A pool address without its scheme, to compare two of them."""
    return str(url or "").lower().rpartition("://")[2].rstrip("/")


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 3) if known else None


@dataclass
class Hashrates:
    total_ths: float | None
    expected_ths: float | None
    boards_ths: list[float | None]
    flags: list[str] = field(default_factory=list)


def to_ths(rate: Any) -> float | None:
    """From the library's `{"value", "unit"}`; None for an unknown unit."""
    if not isinstance(rate, dict):
        return None
    value = number(rate.get("value"), maximum=1e30)
    factor = _teras(str(rate.get("unit") or "TH/s"))
    # not rounded yet: a total a million times too small has its digits far behind the decimal point
    return None if value is None or factor is None else value * factor


@lru_cache(maxsize=64)
def _teras(unit: str) -> float | None:
    return _TERAS.get(unit.lower().removesuffix("/s").strip())


def correct_units(
    rates: Hashrates, *, rated_ths: float | None, power_w: float | None, rated_w: float | None
) -> Hashrates:
    """With units corrected if that is certain, and flags for what was corrected or is doubtful."""
    flags: list[str] = []
    expected = _scale_down(rates.expected_ths, rated_ths, flags, "expected_units_mended")
    reference = rated_ths or expected
    boards = rates.boards_ths
    total = _scale_down(rates.total_ths, reference, flags, "hashrate_units_mended")
    share = reference / len(boards) if reference and boards else None
    boards = [_scale_down(ths, share, flags, "board_units_mended") for ths in boards]
    known = [ths for ths in boards if ths is not None]
    summed = sum(known) if known else None
    if total and summed:
        total, boards = _reconcile(total, summed, boards, reference, flags)
    elif total is None and summed is not None:
        total = summed
        flags.append("hashrate_from_boards")
    if _is_doubtful(total, reference, power_w, rated_w):
        flags.append("hashrate_doubtful")
    return Hashrates(_rounded(total), _rounded(expected), [_rounded(ths) for ths in boards], flags)


def _scale_down(ths: float | None, reference: float | None, flags: list[str], flag: str) -> float | None:
    """By thousands, until it is plausible for such a machine."""
    maximum = reference * _PLAUSIBLE[1] * 3 if reference else _MAX_THS
    if ths is None or ths <= maximum:
        return ths
    lower = ths
    for _ in range(_MAX_STEPS):
        lower /= _STEP
        if lower <= maximum:
            flags.append(flag)
            return lower
    return None


def _reconcile(
    total: float, summed: float, boards: list[float | None], reference: float | None, flags: list[str]
) -> tuple[float, list[float | None]]:
    """If they differ by thousands, the plausible one is right and the other is scaled to it."""
    ratio = total / summed
    if _AGREES[0] <= ratio <= _AGREES[1]:
        return total, boards
    steps = round(math.log10(ratio) / 3)
    remainder = ratio / _STEP**steps
    if steps and _AGREES[0] <= remainder <= _AGREES[1]:
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
        return 1.0 <= ths <= _MAX_THS
    return _PLAUSIBLE[0] <= ths / reference <= _PLAUSIBLE[1]


def _is_doubtful(total: float | None, reference: float | None, power_w: float | None, rated_w: float | None) -> bool:
    if not total or not reference or not power_w or not rated_w:
        return False
    return total < _PLAUSIBLE[0] * reference and power_w > _MUST_HASH * rated_w


def _rounded(ths: float | None) -> float | None:
    return None if ths is None else round(ths, 6)
