"""An Avalon's long texts `NAME[values] NAME[values] …`, one per module, in the library's shape. Pure.

From the A10 on a machine is one module with boards. Up to the A9 several modules hang on one controller: each counts as
a board.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hashinsight.edge.readings.makes import MAX_BOARDS
from hashinsight.edge.readings.numbers import number
from hashinsight.facts.temperatures import SensorKind

_CHIP = SensorKind.CHIP.value
_MAX_MODULES = 64
_MAX_FANS = 16
_MAX_CHIPS = 1000
_MAX_TEXT = 65_536
_MODULE = re.compile(r"MM ID\d{1,2}(:Summary)?")
_BRACKETED = re.compile(r"(?<!\w)(\w++)\[([^\[\]]*+)\]")
_MODES = {"0": "low", "1": "normal", "2": "high"}
_OUTPUT_W, _WALL_W = 4, 6  # positions in `PS`: the fifth is the power supply's output, the seventh its input
_GHS_PER_WORK = 2**32 / 60 / 1e9  # `WU` counts work of difficulty one per minute
_NO_CHIP = frozenset({"0", "-1"})
Fields = dict[str, Any]


def list_modules(stats: Iterable[Mapping[str, Any]]) -> list[Fields]:
    """Each module's values by name; every controller numbers its modules from the start."""
    modules: list[Fields] = []
    for row in stats:
        for name, text in row.items():
            match = _MODULE.fullmatch(name)
            if match is None or not isinstance(text, str) or len(modules) == _MAX_MODULES:
                continue
            # a home model has its chips in a separate text
            chips = str(row.get("HBinfo") or "") if match.group(1) else ""
            values = dict(_BRACKETED.findall(text[:_MAX_TEXT] + " " + chips[:_MAX_TEXT]))
            modules.append({**values, "is_home": bool(match.group(1))})
    return modules


def to_library_shape(modules: list[Fields]) -> Fields:
    first = modules[0]
    boards = _boards(first) if "MGHS" in first else [_as_board(no, module) for no, module in enumerate(modules)]
    ideal = [ghs for ghs in (number(module.get("GHSmm"), maximum=1e30) for module in modules) if ghs]
    now = number(first.get("GHSspd"), maximum=1e30) if len(modules) == 1 else None
    return {
        "hashboards": boards,
        "are_modules": "MGHS" not in first and not first["is_home"],
        "fans": [{"position": no, "rpm": rpm} for no, rpm in enumerate(_fans(modules))],
        "wattage": _watts(first),
        "power_limit_w": number(first.get("MPO"), maximum=1e5) or None,
        "hashrate": None if now is None else {"value": now, "unit": "GH/s"},
        "expected_hashrate": {"value": sum(ideal), "unit": "GH/s"} if ideal else None,
        "mode": _MODES.get(first.get("WORKMODE", "")),
        "model": _model(first),
    }


def _boards(module: Fields) -> list[Fields]:
    """`MGHS` is an average since the start: a machine that is stopped now has 0, whatever it did before."""
    is_stopped = number(module.get("GHSspd"), maximum=1e30) == 0
    rates, hottest = (str(module.get(name, "")).split()[:MAX_BOARDS] for name in ("MGHS", "MTmax"))
    boards = []
    for no, rate in enumerate(rates):
        listed = str(module.get(f"PVT_T{no}", "")).split()[:_MAX_CHIPS]
        if not _NO_CHIP.isdisjoint(listed):
            listed = [temp for temp in listed if temp not in _NO_CHIP]
        top = hottest[no] if no < len(hottest) else module.get("TMax")
        is_stale = is_stopped and number(top, maximum=1e3, minimum=-1e3) == 0  # chips keep their last figure
        boards.append(
            {
                "position": no,
                "hashrate": {"value": 0.0 if is_stopped else number(rate, maximum=1e30), "unit": "GH/s"},
                "sensors": {_CHIP: [] if is_stale else [*([] if top is None else [top]), *listed]},
                "working_chips": len(listed) if f"PVT_T{no}" in module else None,
                "frequency": number(module.get("Freq"), maximum=1e4),
            }
        )
    return boards


def _as_board(no: int, module: Fields) -> Fields:
    work = number(module.get("WU"), maximum=1e30)
    return {
        "position": no,
        "hashrate": {"value": None if work is None else work * _GHS_PER_WORK, "unit": "GH/s"},
        "sensors": {_CHIP: [module["TMax"]] if "TMax" in module else []},
        "frequency": number(module.get("Freq"), maximum=1e4),
    }


def _fans(modules: list[Fields]) -> list[float | None]:
    names = ("Fan", *(f"Fan{no}" for no in range(1, _MAX_FANS + 1)))
    speeds = [module[name] for module in modules for name in names if name in module]
    return [number(rpm, maximum=1e5, minimum=-1e5) for rpm in speeds]


def _watts(module: Fields) -> float | None:
    """A home model leaves its output at 0 and puts its set voltage in the next position."""
    values = str(module.get("PS", "")).split()
    position = _WALL_W if module["is_home"] else _OUTPUT_W
    return number(values[position], maximum=1e5) or None if len(values) > position else None


def _model(module: Fields) -> str | None:
    """`Ver[1126Pro-S-68-20010101_…]`; up to the A9 model and month in one number: `Ver[9211801-…]`."""
    name = str(module.get("Ver", "")).partition("-")[0]
    old = re.fullmatch(r"([789]\d\d)\d{4}", name)
    return f"AvalonMiner {old.group(1) if old else name}" if name else None
