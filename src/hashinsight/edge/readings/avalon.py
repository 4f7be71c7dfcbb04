"""What an Avalon tells in long texts `NAME[values] NAME[values] …`, one for each module, in the library's words. Pure.

From the A10 on a machine is one module with boards. Up to the A9 several modules hang on one controller: each of them
is told as a board.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hashinsight.edge.readings.numbers import number
from hashinsight.facts.temperatures import SensorKind

_CHIP = SensorKind.CHIP.value
_MOST_BOARDS = 16
_MOST_MODULES = 64
_MOST_FANS = 16
_MOST_CHIPS = 1000
_MOST_TEXT = 65_536
_MODULE = re.compile(r"MM ID\d{1,2}(:Summary)?")
_BRACKETED = re.compile(r"(?<!\w)(\w++)\[([^\[\]]*+)\]")
_MODES = {"0": "low", "1": "normal", "2": "high"}
_OUTPUT_W, _WALL_W = 4, 6  # places in `PS`: the fifth is at the power supply's output, the seventh before it
_GHS_PER_WORK = 2**32 / 60 / 1e9  # `WU` is work of difficulty one a minute
_NO_CHIP = frozenset({"0", "-1"})
Told = dict[str, Any]


def modules_of(stats: Iterable[Mapping[str, Any]]) -> list[Told]:
    """Each module's values by name, row by row: every controller begins to count anew."""
    found: list[Told] = []
    for row in stats:
        for name, text in row.items():
            meant = _MODULE.fullmatch(name)
            if meant is None or not isinstance(text, str) or len(found) == _MOST_MODULES:
                continue
            # a home model tells its chips in a text beside it
            beside = str(row.get("HBinfo") or "") if meant.group(1) else ""
            values = dict(_BRACKETED.findall(text[:_MOST_TEXT] + " " + beside[:_MOST_TEXT]))
            found.append({**values, "is_home": bool(meant.group(1))})
    return found


def from_modules(modules: list[Told]) -> Told:
    first = modules[0]
    boards = _boards(first) if "MGHS" in first else [_as_board(no, module) for no, module in enumerate(modules)]
    ideal = [ghs for ghs in (number(module.get("GHSmm"), most=1e30) for module in modules) if ghs]
    now = number(first.get("GHSspd"), most=1e30) if len(modules) == 1 else None
    return {
        "hashboards": boards,
        "are_modules": "MGHS" not in first and not first["is_home"],
        "fans": [{"position": no, "rpm": rpm} for no, rpm in enumerate(_fans(modules))],
        "wattage": _watts(first),
        "power_limit_w": number(first.get("MPO"), most=1e5) or None,
        "hashrate": None if now is None else {"value": now, "unit": "GH/s"},
        "expected_hashrate": {"value": sum(ideal), "unit": "GH/s"} if ideal else None,
        "mode": _MODES.get(first.get("WORKMODE", "")),
        "model": _model(first),
    }


def _boards(module: Told) -> list[Told]:
    """`MGHS` is a mean since the start: a machine that rests now has 0, whatever it did before."""
    rests = number(module.get("GHSspd"), most=1e30) == 0
    rates, hottest = (str(module.get(name, "")).split()[:_MOST_BOARDS] for name in ("MGHS", "MTmax"))
    boards = []
    for no, rate in enumerate(rates):
        listed = str(module.get(f"PVT_T{no}", "")).split()[:_MOST_CHIPS]
        if not _NO_CHIP.isdisjoint(listed):
            listed = [temp for temp in listed if temp not in _NO_CHIP]
        top = hottest[no] if no < len(hottest) else module.get("TMax")
        is_stale = rests and number(top, most=1e3, least=-1e3) == 0  # chips keep their last figure when it rests
        boards.append(
            {
                "position": no,
                "hashrate": {"value": 0.0 if rests else number(rate, most=1e30), "unit": "GH/s"},
                "sensors": {_CHIP: [] if is_stale else [*([] if top is None else [top]), *listed]},
                "working_chips": len(listed) if f"PVT_T{no}" in module else None,
                "frequency": number(module.get("Freq"), most=1e4),
            }
        )
    return boards


def _as_board(no: int, module: Told) -> Told:
    work = number(module.get("WU"), most=1e30)
    return {
        "position": no,
        "hashrate": {"value": None if work is None else work * _GHS_PER_WORK, "unit": "GH/s"},
        "sensors": {_CHIP: [module["TMax"]] if "TMax" in module else []},
        "frequency": number(module.get("Freq"), most=1e4),
    }


def _fans(modules: list[Told]) -> list[float | None]:
    names = ("Fan", *(f"Fan{no}" for no in range(1, _MOST_FANS + 1)))
    told = [module[name] for module in modules for name in names if name in module]
    return [number(rpm, most=1e5, least=-1e5) for rpm in told]


def _watts(module: Told) -> float | None:
    """A home model leaves its output at 0, and says in the next place to which hundredth of a volt it is set."""
    values = str(module.get("PS", "")).split()
    place = _WALL_W if module["is_home"] else _OUTPUT_W
    return number(values[place], most=1e5) or None if len(values) > place else None


def _model(module: Told) -> str | None:
    """`Ver[1126Pro-S-68-20010101_…]`; up to the A9 model and month in one number: `Ver[9211801-…]`."""
    name = str(module.get("Ver", "")).partition("-")[0]
    old = re.fullmatch(r"([789]\d\d)\d{4}", name)
    return f"AvalonMiner {old.group(1) if old else name}" if name else None
