"""The chains of an Antminer's `stats`: which boards are fitted, and what every sensor and chip of them says. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.numbers import count, number
from hashinsight.facts.temperatures import SensorKind

MOST_CHAINS = 16
_FIRST_CHAINS = (1, 6)  # an S9 numbers its boards from 6, with sixteen connectors told of
_CHIP, _BOARD = SensorKind.CHIP.value, SensorKind.BOARD.value
WATER = "water"  # beside the sensor kinds: what flows in and out of a hydro machine
_IN_AND_OUT = 2
_HOTTEST_WATER_C = 70.0
# temp_chip1 "62-62-70-70", temp_pcb1, temp_pic1, temp_out_chip_1, temp2_6 (an S9's chips), temp6 (its board)
_SENSOR = re.compile(r"temp_(?:in_|out_)?(chip|pcb|pic)_?(\d{1,2})|temp([23])_(\d{1,2})|temp(\d{1,2})")
_CORNER = re.compile(r"(?:(?<=-)|^)-?\d{1,6}(?:\.\d{1,6})?")
_MOST_TEXT = 1000
Told = dict[str, Any]


def boards_of(
    stats: Mapping[str, Any],
    expected: int | None,
    *,
    has_chip_sensors: bool = True,
    is_hydro: bool = False,
) -> list[Told]:
    """As the library has them, with every sensor. A dead board is one of them; a connector without a board is not."""
    sensors = _sensors(stats, has_chip_sensors=has_chip_sensors, is_hydro=is_hydro)
    boards = []
    for place, no in enumerate(fitted(stats, expected or board_count(stats.get("miner_count")))):
        boards.append(
            {
                "position": place,
                "hashrate": {"value": number(stats.get(f"chain_rate{no}"), most=1e30), "unit": "GH/s"},
                "sensors": sensors.get(no, {}),
                "working_chips": count(stats.get(f"chain_acn{no}")),
                "frequency": number(stats.get(f"freq{no}", stats.get(f"freq_avg{no}")), most=1e4),
            }
        )
    return boards


def board_count(value: Any) -> int | None:
    """How many boards a machine says it has; no machine has more than a few, and no room is made for a billion."""
    boards = count(value)
    return None if boards is None or boards > MOST_CHAINS else boards


def fitted(stats: Mapping[str, Any], expected: int | None) -> list[int]:
    """The numbers of its chains: those that answer, and where fewer do than the model has, those that should."""
    named = [no for no in range(1, MOST_CHAINS + 1) if f"chain_rate{no}" in stats or f"chain_acn{no}" in stats]
    alive = [
        no for no in named if count(stats.get(f"chain_acn{no}")) or number(stats.get(f"chain_rate{no}"), most=1e30)
    ]
    wanted = expected or 0
    if len(alive) >= wanted or not named:
        return alive
    for first in _FIRST_CHAINS:
        window = list(range(first, first + wanted))
        if set(alive) <= set(window) and set(window) <= set(named):
            return window
    return alive


def fans_of(stats: Mapping[str, Any], expected: int | None) -> list[Told]:
    """A fan that stands says 0, and so does a connector without one: no more of them than it has fans."""
    speeds = {no: stats[f"fan{no}"] for no in range(1, MOST_CHAINS + 1) if stats.get(f"fan{no}") is not None}
    said = count(stats.get("fan_num"))
    fans = max(said if said is not None else 0, expected or 0) if said != 0 else 0
    still = [no for no, rpm in speeds.items() if number(rpm, most=1e6, least=-1e6) == 0]
    spare = max(len(still) - max(fans - (len(speeds) - len(still)), 0), 0) if said is not None or expected else 0
    for no in reversed(still[len(still) - spare :]):
        del speeds[no]
    return [{"position": no - 1, "rpm": rpm} for no, rpm in speeds.items()]


def expected_rate(stats: Mapping[str, Any]) -> Told | None:
    ideal = number(stats.get("total_rateideal"), most=1e30)
    return {"value": ideal, "unit": f"{stats.get('rate_unit') or 'GH'}/s"} if ideal else None


def corners(value: Any) -> list[Any]:
    """`62-62-70-70`, also with a sensor that says -1; or one number."""
    return _CORNER.findall(value[:_MOST_TEXT]) if isinstance(value, str) else [value]


def _sensors(stats: Mapping[str, Any], *, has_chip_sensors: bool, is_hydro: bool) -> dict[int, dict[str, list[Any]]]:
    """By chain. A single figure beside corners repeats the hottest of them, of either kind: it counts without them."""
    listed: dict[int, dict[str, list[Any]]] = {}
    single: dict[int, dict[str, list[Any]]] = {}
    for name, value in stats.items():
        meant = _SENSOR.fullmatch(name)
        if meant is None:
            continue
        place, chain, _, older, oldest = meant.groups()
        if place:
            listed.setdefault(int(chain), {}).setdefault(place, []).extend(corners(value))
        else:
            kind = _CHIP if older else _BOARD
            single.setdefault(int(older or oldest), {}).setdefault(kind, []).extend(_given(corners(value)))
    found = {}
    for no in listed.keys() | single.keys():
        places = listed.get(no, {})
        kinds = _hydro_kinds(places) if is_hydro and has_chip_sensors else _kinds(places)
        if not any(_given(places.get(place, ())) for place in ("chip", "pcb")):
            for kind, values in single.get(no, {}).items():
                kinds[kind] = kinds.get(kind, []) + values
        if not has_chip_sensors and kinds:  # one firmware tells the board's temperatures under every name
            kinds = {_BOARD: [value for values in kinds.values() for value in values]}
        found[no] = kinds
    return found


def _kinds(places: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    kinds: dict[str, list[Any]] = {}
    for place, values in places.items():
        kinds.setdefault(_CHIP if place == "chip" else _BOARD, []).extend(values)
    return kinds


def _hydro_kinds(places: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """`temp_pic` is the chip's. Water stands in `temp_chip` (in, out, 0, 0), or in `temp_pcb` where no chip is told.

    What is too hot for water and may be a chip or a board is taken for a chip, which has the higher limit.
    """
    chip, pcb, pic = (_given(places.get(place, ())) for place in ("chip", "pcb", "pic"))
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
    return all((number(value, most=1e9, least=-1e9) or 0.0) < _HOTTEST_WATER_C for value in values)


def _given(values: Iterable[Any]) -> list[Any]:
    """Without the zeros of sensors that are not there."""
    return [value for value in values if number(value, most=1e9, least=-1e9) != 0]
