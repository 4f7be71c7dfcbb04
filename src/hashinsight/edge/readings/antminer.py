"""The chains in an Antminer's `stats`: which boards are fitted, and the figures of their sensors and chips. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.numbers import count, number
from hashinsight.facts.temperatures import SensorKind

MAX_CHAINS = 16
_FIRST_CHAINS = (1, 6)  # an S9 numbers its boards from 6, and lists sixteen connectors
_CHIP, _BOARD = SensorKind.CHIP.value, SensorKind.BOARD.value
WATER = "water"  # besides the sensor kinds: inlet and outlet of a hydro machine
_IN_AND_OUT = 2
_HOTTEST_WATER_C = 70.0
# temp_chip1 "62-62-70-70", temp_pcb1, temp_pic1, temp_out_chip_1, temp2_6 (an S9's chips), temp6 (its board)
_SENSOR = re.compile(r"temp_(?:in_|out_)?(chip|pcb|pic)_?(\d{1,2})|temp([23])_(\d{1,2})|temp(\d{1,2})")
_CORNER = re.compile(r"(?:(?<=-)|^)-?\d{1,6}(?:\.\d{1,6})?")
_MAX_TEXT = 1000
Fields = dict[str, Any]


def list_boards(
    stats: Mapping[str, Any],
    expected: int | None,
    *,
    has_chip_sensors: bool = True,
    is_hydro: bool = False,
) -> list[Fields]:
    """In the library's shape, with every sensor. A dead board is included, a connector without a board is not."""
    sensors = _sensors(stats, has_chip_sensors=has_chip_sensors, is_hydro=is_hydro)
    boards = []
    for position, no in enumerate(_fitted_chains(stats, expected or board_count(stats.get("miner_count")))):
        boards.append(
            {
                "position": position,
                "hashrate": {"value": number(stats.get(f"chain_rate{no}"), maximum=1e30), "unit": "GH/s"},
                "sensors": sensors.get(no, {}),
                "working_chips": count(stats.get(f"chain_acn{no}")),
                "frequency": number(stats.get(f"freq{no}", stats.get(f"freq_avg{no}")), maximum=1e4),
            }
        )
    return boards


def board_count(value: Any) -> int | None:
    """How many boards the machine reports; absurd numbers are ignored."""
    boards = count(value)
    return None if boards is None or boards > MAX_CHAINS else boards


def _fitted_chains(stats: Mapping[str, Any], expected: int | None) -> list[int]:
    """Chains that answer; if fewer answer than the model has, those that should."""
    named = [no for no in range(1, MAX_CHAINS + 1) if f"chain_rate{no}" in stats or f"chain_acn{no}" in stats]
    alive = [
        no for no in named if count(stats.get(f"chain_acn{no}")) or number(stats.get(f"chain_rate{no}"), maximum=1e30)
    ]
    boards = expected or 0
    if len(alive) >= boards or not named:
        return alive
    for first in _FIRST_CHAINS:
        window = list(range(first, first + boards))
        if set(alive) <= set(window) and set(window) <= set(named):
            return window
    return alive


def list_fans(stats: Mapping[str, Any], expected: int | None) -> list[Fields]:
    """A stopped fan reports 0, and so does an empty connector: zeros beyond the number of fans are dropped."""
    speeds = {no: stats[f"fan{no}"] for no in range(1, MAX_CHAINS + 1) if stats.get(f"fan{no}") is not None}
    reported = count(stats.get("fan_num"))
    fans = max(reported if reported is not None else 0, expected or 0) if reported != 0 else 0
    zeros = [no for no, rpm in speeds.items() if number(rpm, maximum=1e6, minimum=-1e6) == 0]
    is_known = reported is not None or expected
    empty = max(len(zeros) - max(fans - (len(speeds) - len(zeros)), 0), 0) if is_known else 0
    for no in reversed(zeros[len(zeros) - empty :]):
        del speeds[no]
    return [{"position": no - 1, "rpm": rpm} for no, rpm in speeds.items()]


def expected_hashrate(stats: Mapping[str, Any]) -> Fields | None:
    ideal = number(stats.get("total_rateideal"), maximum=1e30)
    return {"value": ideal, "unit": f"{stats.get('rate_unit') or 'GH'}/s"} if ideal else None


def _corners(value: Any) -> list[Any]:
    """`62-62-70-70`, also with a sensor at -1; or a single number."""
    return _CORNER.findall(value[:_MAX_TEXT]) if isinstance(value, str) else [value]


def _sensors(stats: Mapping[str, Any], *, has_chip_sensors: bool, is_hydro: bool) -> dict[int, dict[str, list[Any]]]:
    """By chain. A single figure besides corners only repeats the hottest, of either kind: used only without corners."""
    listed: dict[int, dict[str, list[Any]]] = {}
    single: dict[int, dict[str, list[Any]]] = {}
    for name, value in stats.items():
        match = _SENSOR.fullmatch(name)
        if match is None:
            continue
        place, chain, _, older, oldest = match.groups()
        if place:
            listed.setdefault(int(chain), {}).setdefault(place, []).extend(_corners(value))
        else:
            kind = _CHIP if older else _BOARD
            single.setdefault(int(older or oldest), {}).setdefault(kind, []).extend(_without_zeros(_corners(value)))
    sensors = {}
    for no in listed.keys() | single.keys():
        places = listed.get(no, {})
        kinds = _hydro_kinds(places) if is_hydro and has_chip_sensors else _kinds(places)
        if not any(_without_zeros(places.get(place, ())) for place in ("chip", "pcb")):
            for kind, values in single.get(no, {}).items():
                kinds[kind] = kinds.get(kind, []) + values
        if not has_chip_sensors and kinds:  # this firmware reports board temperatures under every name
            kinds = {_BOARD: [value for values in kinds.values() for value in values]}
        sensors[no] = kinds
    return sensors


def _kinds(places: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    kinds: dict[str, list[Any]] = {}
    for place, values in places.items():
        kinds.setdefault(_CHIP if place == "chip" else _BOARD, []).extend(values)
    return kinds


def _hydro_kinds(places: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """`temp_pic` is the chip. Water is in `temp_chip` (in, out, 0, 0), or in `temp_pcb` if there is no chip figure.

    What is too hot for water and may be chip or board counts as chip, which has the higher limit.
    """
    chip, pcb, pic = (_without_zeros(places.get(place, ())) for place in ("chip", "pcb", "pic"))
    kinds: dict[str, list[Any]] = {_CHIP: pic}
    if len(chip) <= _IN_AND_OUT and _may_be_water(chip):
        kinds[WATER] = chip
    else:
        kinds[_CHIP] = pic + chip
    if chip or not pic:
        kinds[_BOARD] = pcb
    elif _may_be_water(pcb):
        kinds[WATER] = pcb
    else:
        kinds[_CHIP] = kinds[_CHIP] + pcb
    return kinds


def _may_be_water(values: Sequence[Any]) -> bool:
    return all((number(value, maximum=1e9, minimum=-1e9) or 0.0) < _HOTTEST_WATER_C for value in values)


def _without_zeros(values: Iterable[Any]) -> list[Any]:
    """Zeros come from sensors that do not exist."""
    return [value for value in values if number(value, maximum=1e9, minimum=-1e9) != 0]
