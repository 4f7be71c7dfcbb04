"""Every temperature that a machine gives, by what its sensor sits on. The hottest counts, never a mean. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.antminer import WATER
from hashinsight.edge.readings.makes import Make
from hashinsight.edge.readings.numbers import mean, number
from hashinsight.facts.temperatures import SensorKind

CHIP, BOARD = SensorKind.CHIP, SensorKind.BOARD
_CHIPS, _BOARDS = CHIP.value, BOARD.value
MEAN = "temp_max_is_a_mean"  # the flag of a record
_COLDEST_C, _HOTTEST_C = 0.0, 150.0  # outside of it no sensor reads: 0, 255, -1, -273 are what a broken one says
_COLD_C, _COLDEST_AIR_C = 15.0, -40.0  # beside so cold a sensor, one below zero is not broken but cold
_CORNERS = ("TopLeft", "TopRight", "BottomLeft", "BottomRight", "Board")
_LIBRARYS = ("board_temperature", "inlet_chip_temperature", "outlet_chip_temperature")
_WHATSMINER = frozenset({"Chip Temp Max", "Fan Speed In"})  # in the summary of no other make
_PLAUSIBLE_LIMIT_C = (40.0, 130.0)
_WHOLE_C = {str(temp): float(temp) for temp in range(1, 150)}  # an Avalon says hundreds of chips in such texts


class Sensors:
    """Of the valid readings of one board, or of the machine beside its boards: the hottest by kind, and the mean."""

    __slots__ = ("board_c", "chip_c", "hottest_c", "mean_c")

    def __init__(self, chip: list[float], board: list[float]) -> None:
        self.chip_c = max(chip) if chip else None
        self.board_c = max(board) if board else None
        self.hottest_c = _hottest([self.chip_c, self.board_c])
        self.mean_c = mean(chip or board)  # of the chips, where they say anything


def board_sensors(board: Mapping[str, Any], make: Make, flags: list[str]) -> Sensors:
    """Of one board as the library or `chains` has it. Names are the library's; what they hold differs by make."""
    if "sensors" in board:  # each corner, from a table of its own
        listed = board["sensors"]
        chip, on_board = _valid(listed.get(_CHIPS) or (), flags), _valid(listed.get(_BOARDS) or (), flags)
        if listed.get(WATER) and not chip and not on_board:
            chip = _valid(listed[WATER], flags)  # better than nothing, by the limit that stops nobody
            flags.append("temp_is_water")
        if chip or on_board or not make.is_luxos:
            return Sensors(chip, on_board)
        if any(board.get(name) is not None for name in _LIBRARYS):
            flags.append(MEAN)  # its table says nothing of this board, and the library the mean
    own, inlet, outlet = (board.get(name) for name in _LIBRARYS)
    if make.is_avalon:  # the board's is the mean of its chips, a home model's the hottest; the inlet's is the air
        chip, on_board = _valid((own, outlet), flags), []
    elif make.is_luxos or make.is_auradine:  # all of them sit on the board
        chip, on_board = [], _valid((own, inlet, outlet), flags)
    else:
        is_copy = make.is_whatsminer and own == inlet  # its newer firmware gives the coolest chip for a board
        on_board = [] if is_copy else _valid((own,), flags)
        chip = _valid((inlet, outlet), flags)
    return Sensors(chip + _valid(board.get("chip_temperatures") or (), flags), on_board)


def machine_sensors(told: Mapping[str, Any], make: Make, flags: list[str]) -> Sensors:
    """What a Whatsminer says beside its boards: its hottest chip."""
    summary = told.get("summary") or {}
    if not make.is_whatsminer and _WHATSMINER.isdisjoint(summary):
        return Sensors([], [])
    rows = [summary, *(told.get("devs") or [])]
    chip = _valid([row.get("Chip Temp Max") for row in rows], flags)
    return Sensors(chip, _valid([row.get("Temperature") for row in rows], flags))


def _valid(values: Sequence[Any], flags: list[str]) -> list[float]:
    """A corner that says 0 may have no sensor; anything else that cannot be is a broken one."""
    if not values:
        return []
    temps = [
        _WHOLE_C[value] if type(value) is str and value in _WHOLE_C else _celsius(value)
        for value in values
        if value is not None
    ]
    valid = [temp for temp in temps if temp is not None and _COLDEST_C < temp < _HOTTEST_C]
    if len(valid) < len(temps):
        _doubt(temps, valid, flags)
    return valid


def _doubt(temps: list[float | None], valid: list[float], flags: list[str]) -> None:
    may_be_cold = any(temp < _COLD_C for temp in valid)
    for temp in temps:
        is_cold = may_be_cold and temp is not None and _COLDEST_AIR_C < temp < 0
        if (temp is None or not _COLDEST_C <= temp < _HOTTEST_C) and not is_cold:
            flags.append("sensor_broken")
            return
    if valid and 0 in temps:  # all of them 0: there is no sensor of this kind
        flags.append("sensor_silent")


def table_sensors(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, list[Any]]]:
    """By board, from the table `temps`: corners of the board in one firmware, board and chip in another."""
    found = []
    for row in rows:
        corners = [row[name] for name in _CORNERS if name in row]
        chips = [row["Chip"]] if _celsius(row.get("Chip")) else []  # 0: it has no such sensor
        found.append({_BOARDS: corners, _CHIPS: chips})
    return found


def told_temperatures(
    boards: Sequence[Sensors], beside: Sensors, usual: SensorKind, flags: list[str], *, is_mean: bool
) -> dict[str, Any]:
    """The record's fields. `usual` is the kind that this firmware measures: it decides between equals."""
    every = [*boards, beside]
    tops = {
        CHIP: _hottest([sensors.chip_c for sensors in every]),
        BOARD: _hottest([sensors.board_c for sensors in every]),
    }
    hottest = _hottest([sensors.hottest_c for sensors in every])
    if hottest is None:
        return {}
    if is_mean:
        flags.append(MEAN)
    sensor = usual if tops[usual] == hottest else next(kind for kind, temp in tops.items() if temp == hottest)
    return {
        "temp_avg": mean([board.mean_c for board in boards]) or beside.mean_c,
        "temp_max": hottest,
        "temp_min": min((temp for board in boards if (temp := board.hottest_c) is not None), default=hottest),
        "temp_chip_max": tops[CHIP],
        "temp_board_max": tops[BOARD],
        "temp_sensor": sensor.value,
    }


def is_mean_only(make: Make, tables: Mapping[str, Any]) -> bool:
    """Where the library averages, and the table that says each corner is not there."""
    return not all(map(tables.get, make.corners_in))


def told_limits(
    rows: Iterable[Mapping[str, Any]], temps: Iterable[Mapping[str, Any]], usual: SensorKind, sensor: str | None
) -> dict[str, Any]:
    """The machine's own, from the table `tempctrl`: fans at full, too hot, stops.

    Of its chips where `temps` gives them, as LuxOS does on an S9, else of what its firmware measures.
    """
    row = next(iter(rows), {})
    warn_c, stop_c = _limit(row.get("Hot")), _limit(row.get("Dangerous"))
    if stop_c is None:
        return {}
    kind = (CHIP if any(_celsius(temp.get("Chip")) for temp in temps) else usual).value
    limits = {"stop_c": stop_c} if warn_c is None or warn_c > stop_c else {"warn_c": warn_c, "stop_c": stop_c}
    told: dict[str, Any] = {"temp_limits": {kind: limits}}
    if sensor == kind:
        told["temp_limit_c"] = stop_c
        told |= {"temp_warn_c": limits["warn_c"]} if "warn_c" in limits else {}
    return told


def _hottest(temps: list[float | None]) -> float | None:
    known = [temp for temp in temps if temp is not None]
    return max(known) if known else None


def _limit(value: Any) -> float | None:
    return number(value, least=_PLAUSIBLE_LIMIT_C[0], most=_PLAUSIBLE_LIMIT_C[1])


def _celsius(value: Any) -> float | None:
    found = number(value, most=1e9, least=-1e9)
    return found if found is None or found.is_integer() else round(found, 2)
