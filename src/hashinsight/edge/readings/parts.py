"""Boards, fans and pools of a record: which exist, which work, and what they report. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.makes import Make
from hashinsight.edge.readings.numbers import count, number, text, to_ths
from hashinsight.edge.readings.temperatures import Sensors, table_sensors
from hashinsight.facts.temperatures import SensorKind, find_limits, find_reported_limits

_BOARD_FIGURES = ("working_chips", "board_temperature", "outlet_chip_temperature")
_TUNED_MODES = ("low", "high")  # of a Whatsminer: in normal mode its nameplate hashrate is expected
Fields = dict[str, Any]
Record = Mapping[str, Any]


def merge_boards(
    library: Sequence[Mapping[str, Any]],
    plain: Sequence[Mapping[str, Any]],
    temps: Sequence[Mapping[str, Any]],
    fitted: int | None,
) -> list[Fields]:
    """The library's boards with what the machine's own tables add. `fitted`: how many boards this model has.

    A board without figures is a dead one if the model has that many; otherwise the library made it up.
    """
    boards = [dict(board) for board in library]
    if plain:  # the machine's own table: the library looks for an S9's boards in the wrong place
        boards = [{**_at(boards, no), "active": None, **board} for no, board in enumerate(plain)]
    for board, sensors in zip(boards, table_sensors(temps), strict=False):
        board["sensors"] = sensors
    if plain and _has_all_chips(library, plain, fitted):
        return boards
    reports = [_has_figures(board) for board in boards]
    if all(reports) and len(reports) >= (fitted or 0):
        return boards
    if any(reports):
        boards = [board for no, board in enumerate(boards) if no < (fitted or 0) or reports[no]]
        boards += [{"position": no} for no in range(len(boards), fitted or 0)]
    return boards


def board_fields(board: Mapping[str, Any], sensors: Sensors) -> Fields:
    return {
        "board": count(board.get("position")),
        "hashrate_ths": to_ths(board.get("hashrate")),
        "temp_c": sensors.mean_c,
        "temp_max_c": sensors.hottest_c,
        "chips": count(board.get("working_chips")),
        "chips_expected": count(board.get("expected_chips")),
        "frequency_mhz": number(board.get("frequency"), maximum=1e4),
        "serial": text(board.get("serial_number"), 100),
    }


def board_counts(boards: Sequence[Mapping[str, Any]], raw_boards: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many boards there are and how many work; empty if no board reports whether it works."""
    if all(board["hashrate_ths"] is None and board["chips"] is None for board in boards):
        return {}
    best_ths = max([board["hashrate_ths"] or 0.0 for board in boards])
    works = [_is_healthy(board, raw.get("active"), best_ths) for board, raw in zip(boards, raw_boards, strict=True)]
    return {"boards_total": len(boards), "boards_healthy": sum(works)}


def clear_stopped_boards(boards: Sequence[Fields]) -> list[Fields]:
    """On a sleeping machine no board answers, which says nothing about the boards."""
    if any(board["chips"] or board["hashrate_ths"] for board in boards):
        return list(boards)
    return [{**board, "chips": None, "hashrate_ths": None} for board in boards]


def expected_ths(
    data: Mapping[str, Any],
    boards: list[dict[str, Any]],
    summary: Mapping[str, Any],
    make: Make,
    plain: Mapping[str, Any],
) -> float | None:
    """As it is tuned now: the preset's figure if there is one, not the nameplate's."""
    if str(summary.get("Power Mode", "")).lower() in _TUNED_MODES:
        target = number(summary.get("Target MHS"), maximum=1e30)
        if target:
            return to_ths({"value": target, "unit": "MH/s"})
    if make.reports_nameplate:
        return _nominal_ths(boards) or to_ths(plain.get("expected_hashrate"))  # from its own table: as tuned
    total = to_ths(data.get("expected_hashrate")) or None
    if make.is_luxos:  # its total is the sum over boards that answer, without a dead one
        return _nominal_ths(boards) or total
    return total or _nominal_ths(boards)


def _nominal_ths(boards: Sequence[Mapping[str, Any]]) -> float | None:
    """Sum of the boards' own figures as tuned; a dead board has none, and is expected to do as the others."""
    stated = [ths for board in boards if (ths := to_ths(board.get("expected_hashrate")))]
    return sum(stated) / len(stated) * len(boards) if stated else None


def _is_healthy(board: Mapping[str, Any], active: object, best_ths: float) -> bool:
    """By hashrate while the machine hashes, otherwise by chips; a board that reports neither is not healthy.

    Few chips do not matter on a board that hashes like the best one: one model name is built with different numbers.
    """
    chips, expected, ths = board["chips"], board["chips_expected"], board["hashrate_ths"]
    has_few = chips is not None and (chips == 0 or bool(expected and 2 * chips <= expected))
    if best_ths:
        return bool(ths) and active is not False and not (has_few and 2 * ths < best_ths)
    return bool(chips) and not has_few


def _has_figures(board: Mapping[str, Any]) -> bool:
    rate = board.get("hashrate")
    if isinstance(rate, dict) and rate.get("value") is not None:
        return True
    return bool(board.get("sensors")) or any(board.get(name) is not None for name in _BOARD_FIGURES)


def _has_all_chips(
    library: Sequence[Mapping[str, Any]], plain: Sequence[Mapping[str, Any]], fitted: int | None
) -> bool:
    """As many chips as the library expects of this model, on fewer and longer boards: none is missing."""
    each = max((count(board.get("expected_chips")) or 0 for board in library), default=0)
    answering = sum(count(board.get("working_chips")) or 0 for board in plain)
    return answering >= each * (fitted or 0) > 0


def _at(boards: Sequence[Mapping[str, Any]], no: int) -> Fields:
    return dict(boards[no]) if no < len(boards) else {}


def list_fan_speeds(data: Mapping[str, Any], fans: Iterable[Any], make: Make, flags: list[str]) -> list[int] | None:
    """Machines in water or oil have no fans, whatever their connectors report."""
    if not make.has_fans or data.get("expected_fans") == 0:
        return None
    reported = [rpm for fan in fans if isinstance(fan, dict) and (rpm := fan.get("rpm")) is not None]
    speeds = [round(rpm) for value in reported if (rpm := number(value, maximum=1e5)) is not None]
    if len(speeds) < len(reported):
        flags.append("fan_sensor_broken")
    return speeds or None


def are_fans_missing(record: Record) -> bool:
    """Whether fans that were never seen turning should exist: the machine hashes and is hot.

    In oil it hashes and stays cool, also after each reboot. In air it is too hot two minutes after its fans stopped.
    """
    return record.get("state") == "running" and bool(record.get("hashrate_ths")) and not _is_cool(record)


def _is_cool(record: Record) -> bool:
    """Below its warning limits; a machine without temperatures proves nothing."""
    temps = {kind: record.get(f"temp_{kind.value}_max") for kind in SensorKind}
    known = {kind: temp_c for kind, temp_c in temps.items() if temp_c is not None}
    return bool(known) and all(temp_c < _warn_c(record, kind) for kind, temp_c in known.items())


def _warn_c(record: Record, kind: SensorKind) -> float:
    limits = find_limits(
        record.get("model"), kind, firmware=record.get("firmware"), reported=find_reported_limits(record, kind)
    )
    return limits.warn_c


def pool_fields(groups: Iterable[Mapping[str, Any]] | None, make: Make) -> dict[str, Any]:
    pools = [pool for group in groups or () for pool in group.get("pools") or [] if isinstance(pool, dict)]
    if not pools:
        return {}
    active = next((pool for pool in pools if pool.get("active")), None)
    shown = active or next((pool for pool in pools if pool.get("alive")), pools[0])
    return {
        "pool_url": text(shown.get("url"), 500),
        "worker_name": text(shown.get("user"), 200),
        "pool_status": _pool_status(pools, active, make),
        "accepted_shares": _sum_shares(pools, "accepted_shares"),
        "rejected_shares": _sum_shares(pools, "rejected_shares"),
    }


def _pool_status(pools: list[dict[str, Any]], active: Mapping[str, Any] | None, make: Make) -> str | None:
    if active is not None:
        # older versions of Braiins OS report ALIVE, which the library does not know and takes for dead
        is_dead = active.get("alive") is False and not make.is_braiins
        return "dead" if is_dead else "alive"
    if any(pool.get("alive") for pool in pools):
        return "alive"
    return "dead" if all(pool.get("alive") is False for pool in pools) else None


def _sum_shares(pools: list[dict[str, Any]], name: str) -> int | None:
    known = [shares for pool in pools if (shares := count(pool.get(name))) is not None]
    return sum(known) if known else None
