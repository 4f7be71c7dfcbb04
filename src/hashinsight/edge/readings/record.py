"""What a machine was heard to say → the record that goes to the cloud, in its names and units. Pure.

What is not known is left out: no zeros for it. What a sensor says when it is broken (0 or 255 °C, -1 rpm) is not a
reading, and the record says that it was there. No address, no credential, no host name.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hashinsight.edge.readings import parts
from hashinsight.edge.readings.antminer import board_count
from hashinsight.edge.readings.cgminer import Expected, as_library, fitted_boards, rate_of
from hashinsight.edge.readings.makes import make_of, model_of, sensor_kind_of
from hashinsight.edge.readings.numbers import Rates, count, in_ths, mean, mended, number, text
from hashinsight.edge.readings.parts import boards_of, expected_ths, told_board, told_counts, told_pools, without_rest
from hashinsight.edge.readings.temperatures import (
    board_sensors,
    is_mean_only,
    machine_sensors,
    told_limits,
    told_temperatures,
)
from hashinsight.facts.models import MinerModel
from hashinsight.wire.times import write_time

MODES = {"low": "eco", "normal": "normal", "high": "perf"}
_STANDBY_SHARE = 0.15  # of the rated watts: what takes less does not hash, whatever it calls itself
_MOST_MESSAGE = 500
Record = dict[str, Any]


def make_record(told: Mapping[str, Any], *, miner_id: str, at: datetime, has_fans: bool = True) -> Record:
    """The sample of a machine that answered. `raw_data` says who read it, and what was mended or is in doubt.

    `has_fans`: a fan of it was seen turning once; without that, fans that all say 0 may be none (`fans.are_missed`).
    """
    summary = told.get("summary") or {}
    library = told.get("data") or {}
    info = library.get("device_info") or {}
    known = model_of(str(info.get("model") or ""))
    plain: dict[str, Any] = {}
    has_tables = told.get("stats") or told.get("pools")  # which are read where the library is there, too
    if has_tables or not library.get("hashboards") or library.get("uptime") is None:
        plain = as_library(
            told,
            Expected(
                boards=board_count(library.get("expected_hashboards")),
                fans=count(library.get("expected_fans")),
                model=text(info.get("model"), 200),
            ),
        )
    data = {**library, **_filled(library, plain), **_own_power(plain)} if plain else dict(library)
    data["hashrate"] = data.get("hashrate") or rate_of(summary)
    info = data.get("device_info") or {}
    firmware = _firmware(info, data)
    usual = sensor_kind_of(firmware)
    model = known or model_of(str(info.get("model") or ""))
    make = make_of(info)
    flags: list[str] = []
    read = boards_of(
        library.get("hashboards") or [],
        plain.get("hashboards") or [] if told.get("stats") or not library.get("hashboards") else [],
        told.get("temps") or [],
        # the same name is sold with other numbers of boards: who knows this very machine goes before the catalogue
        None
        if plain.get("are_modules")
        else board_count(library.get("expected_hashboards")) or fitted_boards(told, model),
    )
    sensors = [board_sensors(board, make, flags) for board in read]
    boards = [told_board(board, one) for board, one in zip(read, sensors, strict=True)]
    total_ths = in_ths(data["hashrate"])
    power_w = number(data.get("wattage"), most=1e5)
    power_w = None if power_w == 0 and total_ths else power_w  # a meter that does not answer
    rates = mended(
        Rates(
            total_ths,
            expected_ths(data, read, summary, make, plain),
            [board["hashrate_ths"] for board in boards],
        ),
        rated_ths=model.rated_ths if model else None,
        power_w=power_w,
        rated_w=model.power_w if model else None,
    )
    flags += rates.flags
    for board, ths in zip(boards, rates.boards_ths, strict=True):
        board["hashrate_ths"] = ths
    state = _state(rates.total_ths, power_w, _is_mining(data, plain), model)
    boards = without_rest(boards) if state == "stopped" else boards
    beside = machine_sensors(told, make, flags)
    heat = told_temperatures(sensors, beside, usual, flags, is_mean=is_mean_only(make, told))
    limits = told_limits(told.get("tempctrl") or [], told.get("temps") or [], usual, heat.get("temp_sensor"))
    record: Record = {
        "miner_id": miner_id,
        "timestamp": write_time(at),
        "online": True,
        "hashrate_ths": rates.total_ths,
        "hashrate_5s": _recent_ths(summary, rates),
        "expected_ths": rates.expected_ths,
        **heat,
        **limits,
        "fan_speeds": parts.speeds_of(
            data, (plain.get("fans") if told.get("stats") else None) or data.get("fans") or [], make, flags
        ),
        "power_w": power_w,
        "voltage_v": mean([number(one.get("voltage"), most=1e3) for one in read]),
        "frequency_avg": mean([board["frequency_mhz"] for board in boards]),
        "hw_errors": count(summary.get("Hardware Errors")) if "Hardware Errors" in summary else _sum_errors(told),
        "uptime_seconds": count(data.get("uptime")),
        "boards": boards or None,
        **told_counts(boards, read),
        "model": model.name if model else text(info.get("model"), 200),
        "firmware": firmware,
        **told_pools(plain.get("pools") if told.get("pools") else data.get("pools"), make),
        "mode": _mode(summary, data),
        "state": state,
        "error_message": _messages(data),
        "mac_address": text(data.get("mac"), 100),
        "serial_number": text(data.get("serial_number"), 200),
    }
    if not has_fans and record["fan_speeds"] and not any(record["fan_speeds"]):
        flags.append("fans_never_turned")
        if not parts.are_missed(record):
            record["fan_speeds"] = None
    if rates.total_ths and "temp_max" not in heat:
        flags.append("temp_unknown")  # local protection cannot see it
    mute = [board for board in boards if board["temp_max_c"] is None]
    if 0 < len(mute) < len(boards) and any(board["hashrate_ths"] for board in mute):
        flags.append("sensor_broken")  # the library says nothing for a sensor that says 0
    if boards and all(board["hashrate_ths"] is None for board in boards):
        flags.append("boards_silent")
    kept = {name: value for name, value in record.items() if value is not None}
    kept["raw_data"] = {
        "reader": told.get("reader"),
        **_settings(data),
        **({"flags": sorted(set(flags))} if flags else {}),
    }
    return kept


def offline_record(
    miner_id: str, *, at: datetime, kind: str, said: str, known: Mapping[str, Any] | None = None
) -> Record:
    """The sample of a machine that did not answer: that, why, and who it is."""
    who = {
        name: known[name] for name in ("model", "firmware", "mac_address", "serial_number") if known and name in known
    }
    reader = (known or {}).get("raw_data", {}).get("reader")
    return {
        "miner_id": miner_id,
        "timestamp": write_time(at),
        "online": False,
        "state": "offline",
        "error_type": kind,
        "error_message": said,
        **who,
        **({"raw_data": {"reader": reader}} if reader else {}),
    }


def _settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """How it is set, which has no column of its own: read back after a command."""
    target = data.get("tuning_target")
    told = target.get("value") if isinstance(target, dict) and target.get("type") == "power" else None
    watts = data.get("power_limit_w") or number(told, most=1e5)
    light = data.get("light_flashing")
    return {
        **({"power_limit_w": watts} if watts else {}),
        **({"fault_light": light} if isinstance(light, bool) else {}),
    }


def _filled(data: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """What the plain client knows and the library left empty."""
    return {name: value for name, value in plain.items() if value and not data.get(name)}


def _own_power(plain: Mapping[str, Any]) -> dict[str, Any]:
    """An Avalon's own words: the library takes volts for watts where it rests, and its consumption for its limit."""
    if plain.get("power_limit_w") is None:
        return {}
    return {"wattage": plain.get("wattage"), "power_limit_w": plain["power_limit_w"]}


def _is_mining(data: Mapping[str, Any], plain: Mapping[str, Any]) -> object:
    return data.get("is_mining") if plain.get("is_mining") is None else plain["is_mining"]


def _firmware(info: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """The family's name belongs to it: it decides what the temperatures mean."""
    family, version = text(info.get("firmware"), 100), text(data.get("firmware_version"), 100)
    return f"{family} {version}" if family and version else family or version


def _recent_ths(summary: Mapping[str, Any], rates: Rates) -> float | None:
    """Only where it is of the same order as the mended total: its unit is the machine's own."""
    for name, factor in (("GHS 5s", 1e-3), ("MHS 5s", 1e-6), ("THS 5s", 1.0)):
        value = number(summary.get(name), most=1e13)
        if value is not None:
            ths = value * factor
            fits = rates.total_ths is not None and ths <= 3 * rates.total_ths + 1
            return round(ths, 3) if fits else None
    return None


def _mode(summary: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    target = data.get("tuning_target")
    set_to = target.get("value") if isinstance(target, dict) and target.get("type") == "mode" else None
    said = summary.get("Power Mode") or data.get("mode") or set_to
    return MODES.get(str(said).lower(), str(said).lower()[:50]) if said else None


def _state(ths: float | None, power_w: float | None, is_mining: object, model: MinerModel | None) -> str | None:
    """By what it does: two makes call themselves mining while they are stopped."""
    if ths:
        return "running"
    if is_mining is False and (ths is not None or power_w is not None):  # else it only said nothing
        return "stopped"
    if power_w is not None and ths is not None:
        return "stopped" if power_w < _STANDBY_SHARE * (model.power_w if model else 3000.0) else "running"
    return None


def _messages(data: Mapping[str, Any]) -> str | None:
    told = [text(one.get("message"), 200) for one in data.get("messages") or [] if isinstance(one, dict)]
    return "; ".join(one for one in told if one)[:_MOST_MESSAGE] or None


def _sum_errors(told: Mapping[str, Any]) -> int | None:
    errors = [count(row.get("Hardware Errors")) for row in told.get("devs") or []]
    known = [one for one in errors if one is not None]
    return sum(known) if known else None
