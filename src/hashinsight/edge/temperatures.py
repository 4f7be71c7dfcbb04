"""Every temperature that a machine gives, by what its sensor sits on. The hottest counts, never a mean. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.chains import WATER
from hashinsight.edge.normalising_numbers import mean, number
from hashinsight.facts.temperatures import SensorKind

CHIP, BOARD = SensorKind.CHIP, SensorKind.BOARD
_CHIPS, _BOARDS = CHIP.value, BOARD.value
MEAN = "temp_max_is_a_mean"  # the flag of a record
_COLDEST_C, _HOTTEST_C = 0.0, 150.0  # outside of it no sensor reads: 0, 255, -1, -273 are what a broken one says
_COLD_C, _COLDEST_AIR_C = 15.0, -40.0  # beside so cold a sensor, one below zero is not broken but cold
_CORNERS = ("TopLeft", "TopRight", "BottomLeft", "BottomRight")
_LIBRARYS = ("board_temperature", "inlet_chip_temperature", "outlet_chip_temperature")
_WHATSMINER = ("Chip Temp Max", "Fan Speed In")  # in the summary of no other make
_PLAUSIBLE_LIMIT_C = (40.0, 130.0)
# of these the library gives means, and a table each corner
_MEANS_WITHOUT = (("antminer stock", "stats"), ("marathon", "stats"), ("luxos", "temps"))


@dataclass
class Sensors:
    """The valid readings of one board, or of the machine beside its boards."""

    chip: list[float] = field(default_factory=list)
    board: list[float] = field(default_factory=list)

    def add(self, kind: SensorKind, values: Iterable[Any], flags: list[str]) -> None:
        """A corner that says 0 may have no sensor; anything else that cannot be is a broken one."""
        into = self.chip if kind is CHIP else self.board
        before, is_silent, broken = len(into), False, []
        for value in values:
            if value is None:
                continue
            temp = _celsius(value)
            if temp is not None and _COLDEST_C < temp < _HOTTEST_C:
                into.append(temp)
            elif temp == 0:
                is_silent = True
            else:
                broken.append(temp)
        is_cold = any(temp < _COLD_C for temp in into[before:])
        if any(not is_cold or temp is None or not _COLDEST_AIR_C < temp < 0 for temp in broken):
            flags.append("sensor_broken")
        elif is_silent and len(into) > before:  # all of them 0: there is no sensor of this kind
            flags.append("sensor_silent")

    @property
    def every(self) -> list[float]:
        return self.chip + self.board

    @property
    def hottest_c(self) -> float | None:
        return max(self.every, default=None)

    @property
    def mean_c(self) -> float | None:
        """Of the chips, where they say anything."""
        return mean(self.chip or self.board)


def board_sensors(board: Mapping[str, Any], make: str, flags: list[str]) -> Sensors:
    """Of one board as the library or `chains` has it. Names are the library's; what they hold differs by make."""
    found = Sensors()
    if "sensors" in board:  # each corner, from a table of its own
        found.add(CHIP, board["sensors"].get(_CHIPS) or (), flags)
        found.add(BOARD, board["sensors"].get(_BOARDS) or (), flags)
        if board["sensors"].get(WATER) and not found.every:
            found.add(CHIP, board["sensors"][WATER], flags)  # better than nothing, by the limit that stops nobody
            flags.append("temp_is_water")
        if found.every or "lux" not in make:
            return found
        if any(board.get(name) is not None for name in _LIBRARYS):
            flags.append(MEAN)  # its table says nothing of this board, and the library the mean
    on_board, inlet, outlet = (board.get(name) for name in _LIBRARYS)
    if "avalon" in make:  # the board's is the mean of its chips, a home model's the hottest; the inlet's is the air
        found.add(CHIP, (on_board, outlet), flags)
    elif "lux" in make or "auradine" in make:  # all of them sit on the board
        found.add(BOARD, (on_board, inlet, outlet), flags)
    else:
        is_copy = "whatsminer" in make and on_board == inlet  # its newer firmware gives the coolest chip for a board
        found.add(BOARD, () if is_copy else (on_board,), flags)
        found.add(CHIP, (inlet, outlet), flags)
    found.add(CHIP, board.get("chip_temperatures") or (), flags)
    return found


def machine_sensors(told: Mapping[str, Any], make: str, flags: list[str]) -> Sensors:
    """What it says beside its boards: a Whatsminer its hottest chip, an Avalon too."""
    found = Sensors()
    if "whatsminer" in make or any(name in (told.get("summary") or {}) for name in _WHATSMINER):
        rows = [told.get("summary") or {}, *(told.get("devs") or [])]
        found.add(CHIP, (row.get("Chip Temp Max") for row in rows), flags)
        found.add(BOARD, (row.get("Temperature") for row in rows), flags)
    found.add(CHIP, (told.get("chip_max"),), flags)
    return found


def table_sensors(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, list[Any]]]:
    """By board, from the table `temps`: corners of the board in one firmware, board and chip in another."""
    found = []
    for row in rows:
        corners = [row[name] for name in (*_CORNERS, "Board") if name in row]
        chips = [row["Chip"]] if _celsius(row.get("Chip")) else []  # 0: it has no such sensor
        found.append({_BOARDS: corners, _CHIPS: chips})
    return found


def told_temperatures(
    boards: Iterable[Sensors], beside: Sensors, usual: SensorKind, flags: list[str], *, is_mean: bool
) -> dict[str, Any]:
    """The record's fields. `usual` is the kind that this firmware measures: it decides between equals."""
    known = [board for board in boards if board.chip or board.board]
    chips = [temp for one in (*known, beside) for temp in one.chip]
    on_board = [temp for one in (*known, beside) for temp in one.board]
    if not chips and not on_board:
        return {}
    tops = {CHIP: max(chips, default=None), BOARD: max(on_board, default=None)}
    hottest = max(chips + on_board)
    if is_mean:
        flags.append(MEAN)
    sensor = usual if tops[usual] == hottest else next(kind for kind, temp in tops.items() if temp == hottest)
    told = {
        "temp_avg": mean(board.mean_c for board in known) or beside.mean_c,
        "temp_max": hottest,
        "temp_min": min((board.hottest_c for board in known if board.hottest_c is not None), default=hottest),
        "temp_chip_max": tops[CHIP],
        "temp_board_max": tops[BOARD],
        "temp_sensor": sensor.value,
    }
    return {name: value for name, value in told.items() if value is not None}


def is_mean_only(make: str, tables: Mapping[str, Any]) -> bool:
    """Where the library averages, and the table that says each corner is not there."""
    return any(word in make and not tables.get(name) for word, name in _MEANS_WITHOUT)


def told_limits(
    rows: Iterable[Mapping[str, Any]], temps: Iterable[Mapping[str, Any]], usual: SensorKind, sensor: str | None
) -> dict[str, Any]:
    """The machine's own, from the table `tempctrl`: fans at full, too hot, stops.

    Of its chips where `temps` gives them, as LuxOS does on an S9, else of what its firmware measures.
    """
    row = next(iter(rows), {})
    kind = CHIP if any(_celsius(temp.get("Chip")) for temp in temps) else usual
    warn_c, stop_c = _limit(row.get("Hot")), _limit(row.get("Dangerous"))
    if stop_c is None:
        return {}
    limits = {"stop_c": stop_c} if warn_c is None or warn_c > stop_c else {"warn_c": warn_c, "stop_c": stop_c}
    told: dict[str, Any] = {"temp_limits": {kind.value: limits}}
    if sensor == kind.value:
        told["temp_limit_c"] = stop_c
        told |= {"temp_warn_c": limits["warn_c"]} if "warn_c" in limits else {}
    return told


def _limit(value: Any) -> float | None:
    return number(value, least=_PLAUSIBLE_LIMIT_C[0], most=_PLAUSIBLE_LIMIT_C[1])


def _celsius(value: Any) -> float | None:
    found = number(value, most=1e9, least=-1e9)
    return None if found is None else round(found, 2)
