"""All temperatures of a machine by sensor kind. The hottest counts, never a mean. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.antminer import WATER
from hashinsight.edge.readings.makes import Make
from hashinsight.edge.readings.numbers import mean, number
from hashinsight.facts.temperatures import SensorKind

CHIP, BOARD = SensorKind.CHIP, SensorKind.BOARD
_CHIPS, _BOARDS = CHIP.value, BOARD.value
MEAN = "temp_max_is_a_mean"  # flag of a record
_COLDEST_C, _HOTTEST_C = 0.0, 150.0  # valid readings lie between: 0, 255, -1, -273 come from broken sensors
_COLD_C, _COLDEST_AIR_C = 15.0, -40.0  # next to a sensor this cold, one below zero is not broken but cold
_CORNERS = ("TopLeft", "TopRight", "BottomLeft", "BottomRight", "Board")
_LIBRARY_FIELDS = ("board_temperature", "inlet_chip_temperature", "outlet_chip_temperature")
_WHATSMINER = frozenset({"Chip Temp Max", "Fan Speed In"})  # only a Whatsminer's summary has them
_PLAUSIBLE_LIMIT_C = (40.0, 130.0)
_WHOLE_C = {str(temp): float(temp) for temp in range(1, 150)}  # fast path: an Avalon reports hundreds of chips as text


class Sensors:
    """Valid readings of one board, or of the machine besides its boards: the hottest by kind, and the mean."""

    __slots__ = ("board_c", "chip_c", "hottest_c", "mean_c")

    def __init__(self, chip: list[float], board: list[float]) -> None:
        self.chip_c = max(chip) if chip else None
        self.board_c = max(board) if board else None
        self.hottest_c = _hottest([self.chip_c, self.board_c])
        self.mean_c = mean(chip or board)  # of the chips, if there are any


def board_sensors(board: Mapping[str, Any], make: Make, flags: list[str]) -> Sensors:
    """One board, from the library or from `antminer`. The names are the library's; their meaning differs by make."""
    if "sensors" in board:  # each corner, from the machine's own table
        listed = board["sensors"]
        chip, on_board = _valid(listed.get(_CHIPS) or (), flags), _valid(listed.get(_BOARDS) or (), flags)
        if listed.get(WATER) and not chip and not on_board:
            chip = _valid(listed[WATER], flags)  # treated as chip: too cool to trigger a stop
            flags.append("temp_is_water")
        if chip or on_board or not make.is_luxos:
            return Sensors(chip, on_board)
        if any(board.get(name) is not None for name in _LIBRARY_FIELDS):
            flags.append(MEAN)  # the table has nothing for this board, and the library gives a mean
    own, inlet, outlet = (board.get(name) for name in _LIBRARY_FIELDS)
    if make.is_avalon:  # board: mean of its chips, on a home model the hottest; inlet: air
        chip, on_board = _valid((own, outlet), flags), []
    elif make.is_luxos or make.is_auradine:  # all sensors are on the board
        chip, on_board = [], _valid((own, inlet, outlet), flags)
    else:
        is_copy = make.is_whatsminer and own == inlet  # newer firmware gives the coolest chip as board temperature
        on_board = [] if is_copy else _valid((own,), flags)
        chip = _valid((inlet, outlet), flags)
    return Sensors(chip + _valid(board.get("chip_temperatures") or (), flags), on_board)


def machine_sensors(reading: Mapping[str, Any], make: Make, flags: list[str]) -> Sensors:
    """A Whatsminer reports its hottest chip besides its boards."""
    summary = reading.get("summary") or {}
    if not make.is_whatsminer and _WHATSMINER.isdisjoint(summary):
        return Sensors([], [])
    rows = [summary, *(reading.get("devs") or [])]
    chip = _valid([row.get("Chip Temp Max") for row in rows], flags)
    return Sensors(chip, _valid([row.get("Temperature") for row in rows], flags))


def _valid(values: Sequence[Any], flags: list[str]) -> list[float]:
    """A corner at 0 may have no sensor; any other impossible value is a broken one."""
    if not values:
        return []
    temps = [
        _WHOLE_C[value] if type(value) is str and value in _WHOLE_C else _celsius(value)
        for value in values
        if value is not None
    ]
    valid = [temp for temp in temps if temp is not None and _COLDEST_C < temp < _HOTTEST_C]
    if len(valid) < len(temps):
        _flag_invalid(temps, valid, flags)
    return valid


def _flag_invalid(temps: list[float | None], valid: list[float], flags: list[str]) -> None:
    may_be_cold = any(temp < _COLD_C for temp in valid)
    for temp in temps:
        is_cold = may_be_cold and temp is not None and _COLDEST_AIR_C < temp < 0
        if (temp is None or not _COLDEST_C <= temp < _HOTTEST_C) and not is_cold:
            flags.append("sensor_broken")
            return
    if valid and 0 in temps:  # if all are 0, there is no sensor of this kind
        flags.append("sensor_silent")


def table_sensors(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, list[Any]]]:
    """Per board, from the table `temps`: corners of the board in one firmware, board and chip in another."""
    boards = []
    for row in rows:
        corners = [row[name] for name in _CORNERS if name in row]
        chips = [row["Chip"]] if _celsius(row.get("Chip")) else []  # 0: no such sensor
        boards.append({_BOARDS: corners, _CHIPS: chips})
    return boards


def temperature_fields(
    boards: Sequence[Sensors], machine: Sensors, usual: SensorKind, flags: list[str], *, is_mean: bool
) -> dict[str, Any]:
    """The record's fields. `usual`: the sensor kind of this firmware, which wins a tie."""
    every = [*boards, machine]
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
        "temp_avg": mean([board.mean_c for board in boards]) or machine.mean_c,
        "temp_max": hottest,
        "temp_min": min((temp for board in boards if (temp := board.hottest_c) is not None), default=hottest),
        "temp_chip_max": tops[CHIP],
        "temp_board_max": tops[BOARD],
        "temp_sensor": sensor.value,
    }


def is_mean_only(make: Make, tables: Mapping[str, Any]) -> bool:
    """The library gives a mean, and the table with every corner is missing."""
    return not all(map(tables.get, make.corners_in))


def limit_fields(
    rows: Iterable[Mapping[str, Any]], temps: Iterable[Mapping[str, Any]], usual: SensorKind, sensor: str | None
) -> dict[str, Any]:
    """The machine's own limits, from the table `tempctrl`.

    For its chips if `temps` has them, as LuxOS on an S9, otherwise for what its firmware measures.
    """
    row = next(iter(rows), {})
    warn_c, stop_c = _limit(row.get("Hot")), _limit(row.get("Dangerous"))
    if stop_c is None:
        return {}
    kind = (CHIP if any(_celsius(temp.get("Chip")) for temp in temps) else usual).value
    limits = {"stop_c": stop_c} if warn_c is None or warn_c > stop_c else {"warn_c": warn_c, "stop_c": stop_c}
    fields: dict[str, Any] = {"temp_limits": {kind: limits}}
    if sensor == kind:
        fields["temp_limit_c"] = stop_c
        fields |= {"temp_warn_c": limits["warn_c"]} if "warn_c" in limits else {}
    return fields


def _hottest(temps: list[float | None]) -> float | None:
    known = [temp for temp in temps if temp is not None]
    return max(known) if known else None


def _limit(value: Any) -> float | None:
    return number(value, minimum=_PLAUSIBLE_LIMIT_C[0], maximum=_PLAUSIBLE_LIMIT_C[1])


def _celsius(value: Any) -> float | None:
    temp_c = number(value, maximum=1e9, minimum=-1e9)
    return temp_c if temp_c is None or temp_c.is_integer() else round(temp_c, 2)
