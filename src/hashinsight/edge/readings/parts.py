"""The boards of a machine: how many it has, what each says, which of them hash, and what they should do. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.makes import Make
from hashinsight.edge.readings.numbers import count, in_ths, number, text
from hashinsight.edge.readings.temperatures import Sensors, table_sensors
from hashinsight.facts.temperatures import SensorKind, find_limits, find_reported_limits

_SAYING = ("working_chips", "board_temperature", "outlet_chip_temperature")
_SET_MODES = ("low", "high")  # of a Whatsminer: in its normal mode it should do what its sticker says
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
    if plain and _has_all_chips(library, plain, fitted):
        return boards
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
    """How many there are and how many of them work; nothing where no board says whether it does."""
    if all(board["hashrate_ths"] is None and board["chips"] is None for board in told):
        return {}
    best_ths = max([board["hashrate_ths"] or 0.0 for board in told])
    works = [_works(board, raw.get("active"), best_ths) for board, raw in zip(told, boards, strict=True)]
    return {"boards_total": len(told), "boards_healthy": sum(works)}


def without_rest(told: Sequence[Told]) -> list[Told]:
    """Of a machine that sleeps: no board of it answers, which says nothing of them."""
    if any(board["chips"] or board["hashrate_ths"] for board in told):
        return list(told)
    return [{**board, "chips": None, "hashrate_ths": None} for board in told]


def expected_ths(
    data: Mapping[str, Any],
    boards: list[dict[str, Any]],
    summary: Mapping[str, Any],
    make: Make,
    plain: Mapping[str, Any],
) -> float | None:
    """As it is set now: a preset's figure, where the machine has one, and not the sticker's."""
    if str(summary.get("Power Mode", "")).lower() in _SET_MODES:
        target = number(summary.get("Target MHS"), most=1e30)
        if target:
            return in_ths({"value": target, "unit": "MH/s"})
    if make.tells_sticker:
        return _nominal_ths(boards) or in_ths(plain.get("expected_hashrate"))  # of its own table: as it is set
    whole = in_ths(data.get("expected_hashrate")) or None
    if make.is_luxos:  # its figure is a sum over the boards that are there, which leaves out a dead one
        return _nominal_ths(boards) or whole
    return whole or _nominal_ths(boards)


def _nominal_ths(boards: Sequence[Mapping[str, Any]]) -> float | None:
    """What the boards say that they should do as they are set; a dead one says nothing, and should do as the others."""
    stated = [ths for board in boards if (ths := in_ths(board.get("expected_hashrate")))]
    return sum(stated) / len(stated) * len(boards) if stated else None


def _works(board: Mapping[str, Any], active: object, best_ths: float) -> bool:
    """By its hashrate while the machine hashes, else by its chips: one that says neither is not taken for sound.

    Few chips say nothing of a board that does what the best one does: how many are fitted differs under one name.
    """
    chips, expected, ths = board["chips"], board["chips_expected"], board["hashrate_ths"]
    has_few = chips is not None and (chips == 0 or bool(expected and 2 * chips <= expected))
    if best_ths:
        return bool(ths) and active is not False and not (has_few and 2 * ths < best_ths)
    return bool(chips) and not has_few


def _says_something(board: Mapping[str, Any]) -> bool:
    rate = board.get("hashrate")
    if isinstance(rate, dict) and rate.get("value") is not None:
        return True
    return bool(board.get("sensors")) or any(board.get(name) is not None for name in _SAYING)


def _has_all_chips(
    library: Sequence[Mapping[str, Any]], plain: Sequence[Mapping[str, Any]], fitted: int | None
) -> bool:
    """As many chips as the library knows this model to have, on fewer and longer boards: none is missing."""
    each = max((count(board.get("expected_chips")) or 0 for board in library), default=0)
    answering = sum(count(board.get("working_chips")) or 0 for board in plain)
    return answering >= each * (fitted or 0) > 0


def _at(boards: Sequence[Mapping[str, Any]], no: int) -> Told:
    return dict(boards[no]) if no < len(boards) else {}


Record = Mapping[str, Any]


def speeds_of(data: Mapping[str, Any], told: Iterable[Any], make: Make, flags: list[str]) -> list[int] | None:
    """The library leaves out a fan that stands. A machine in water or oil has none, whatever its connectors say."""
    if not make.has_fans or data.get("expected_fans") == 0:
        return None
    said = [rpm for fan in told if isinstance(fan, dict) and (rpm := fan.get("rpm")) is not None]
    speeds = [round(rpm) for value in said if (rpm := number(value, most=1e5)) is not None]
    if len(speeds) < len(said):
        flags.append("fan_sensor_broken")
    return speeds or None


def are_missed(record: Record) -> bool:
    """Whether fans that nobody ever saw turning should: the machine hashes and is hot.

    In oil it hashes and stays cool, also after each reboot. In air it is too hot two minutes after its fans stopped.
    """
    return record.get("state") == "running" and bool(record.get("hashrate_ths")) and not _is_cool(record)


def _is_cool(record: Record) -> bool:
    """Below where its kind is too hot; who says no temperature proves nothing."""
    known = {kind: record.get(f"temp_{kind.value}_max") for kind in SensorKind}
    told = {kind: temp_c for kind, temp_c in known.items() if temp_c is not None}
    return bool(told) and all(temp_c < _warn_c(record, kind) for kind, temp_c in told.items())


def _warn_c(record: Record, kind: SensorKind) -> float:
    limits = find_limits(
        record.get("model"), kind, firmware=record.get("firmware"), reported=find_reported_limits(record, kind)
    )
    return limits.warn_c


def told_pools(groups: Iterable[Mapping[str, Any]] | None, make: Make) -> dict[str, Any]:
    pools = [pool for group in groups or () for pool in group.get("pools") or [] if isinstance(pool, dict)]
    if not pools:
        return {}
    active = next((pool for pool in pools if pool.get("active")), None)
    shown = active or next((pool for pool in pools if pool.get("alive")), pools[0])
    return {
        "pool_url": text(shown.get("url"), 500),
        "worker_name": text(shown.get("user"), 200),
        "pool_status": _status(pools, active, make),
        "accepted_shares": _sum(pools, "accepted_shares"),
        "rejected_shares": _sum(pools, "rejected_shares"),
    }


def _status(pools: list[dict[str, Any]], active: Mapping[str, Any] | None, make: Make) -> str | None:
    if active is not None:
        # older versions of Braiins OS say ALIVE, which the library does not know and takes for dead
        is_dead = active.get("alive") is False and not make.is_braiins
        return "dead" if is_dead else "alive"
    if any(pool.get("alive") for pool in pools):
        return "alive"
    return "dead" if all(pool.get("alive") is False for pool in pools) else None


def _sum(pools: list[dict[str, Any]], name: str) -> int | None:
    known = [shares for pool in pools if (shares := count(pool.get(name))) is not None]
    return sum(known) if known else None
