"""The boards of a machine: how many it has, what each of them says, and which of them hash. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from hashinsight.edge.normalising_numbers import count, number, text
from hashinsight.edge.normalising_units import in_ths
from hashinsight.edge.temperatures import Sensors, table_sensors

_SAYING = ("hashrate", "working_chips", "board_temperature", "outlet_chip_temperature", "sensors")
Told = dict[str, Any]


def boards_of(
    library: Sequence[Mapping[str, Any]],
    plain: Sequence[Mapping[str, Any]],
    temps: Sequence[Mapping[str, Any]],
    fitted: int | None,
) -> list[Told]:
    """The library's with what a table says beyond it. `fitted` is how many the catalogue knows this model to have.

    A board that says nothing is one that the machine hides, if the model has so many; else the library made it up.
    """
    boards = [dict(board) for board in library]
    if plain:  # the machine's own words: the library looks for an S9's boards where it has none
        boards = [{**_at(boards, no), "active": None, **board} for no, board in enumerate(plain)]
    for board, sensors in zip(boards, table_sensors(temps), strict=False):
        board["sensors"] = sensors
    said = [_says_something(board) for board in boards]
    if all(said) and len(said) >= (fitted or 0):
        return boards
    if any(said):
        boards = [board for no, board in enumerate(boards) if no < (fitted or 0) or said[no]]
        boards += [{"position": no} for no in range(len(boards), fitted or 0)]
    return boards


def told_board(board: Mapping[str, Any], sensors: Sensors) -> Told:
    return {
        "board": count(board.get("position")),
        "hashrate_ths": in_ths(board.get("hashrate")),
        "temp_c": sensors.mean_c,
        "temp_max_c": sensors.hottest_c,
        "chips": count(board.get("working_chips")),
        "chips_expected": count(board.get("expected_chips")),
        "frequency_mhz": number(board.get("frequency"), most=1e4),
        "serial": text(board.get("serial_number"), 100),
    }


def told_counts(told: Sequence[Mapping[str, Any]], boards: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many there are and how many of them work; nothing where no board says anything."""
    if not any(map(_says_something, boards)):
        return {}
    hashes = any(board["hashrate_ths"] for board in told)
    works = [_works(board, raw.get("active"), hashes=hashes) for board, raw in zip(told, boards, strict=True)]
    return {"boards_total": len(told), "boards_healthy": sum(works)}


def nominal_ths(boards: Sequence[Mapping[str, Any]]) -> float | None:
    """What the boards say that they should do as they are set; a dead one says nothing, and should do as the others."""
    stated = [ths for ths in (in_ths(board.get("expected_hashrate")) for board in boards) if ths]
    return sum(stated) / len(stated) * len(boards) if stated else None


def _works(board: Mapping[str, Any], active: object, *, hashes: bool) -> bool:
    """By its chips, and while the machine hashes by its hashrate: one that says neither is not taken for sound."""
    chips, expected, ths = board["chips"], board["chips_expected"], board["hashrate_ths"]
    if chips is not None and (chips == 0 or (expected and 2 * chips <= expected)):
        return False
    if hashes:
        return bool(ths) and active is not False
    return bool(chips)


def _says_something(board: Mapping[str, Any]) -> bool:
    return any(not _lacks(board, name) for name in _SAYING)


def _lacks(board: Mapping[str, Any], name: str) -> bool:
    value = board.get(name)
    if name == "hashrate":
        return not isinstance(value, Mapping) or value.get("value") is None
    return not value if name == "sensors" else value is None


def _at(boards: Sequence[Mapping[str, Any]], no: int) -> Told:
    return dict(boards[no]) if no < len(boards) else {}
