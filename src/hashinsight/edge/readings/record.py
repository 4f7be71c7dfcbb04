"""Makes the record that goes to the cloud from what a machine answered: our names and units. Pure.

What is not known is left out, not sent as zero. What a broken sensor reports (0 or 255 °C, -1 rpm) is not a reading;
the record flags it. No address, no credential, no host name.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hashinsight.edge.readings.antminer import board_count
from hashinsight.edge.readings.cgminer import Expected, fitted_boards, read_hashrate, to_library_shape
from hashinsight.edge.readings.makes import make_of, model_of, sensor_kind_of
from hashinsight.edge.readings.numbers import Hashrates, correct_units, count, mean, number, text, to_ths
from hashinsight.edge.readings.parts import (
    are_fans_missing,
    board_counts,
    board_fields,
    clear_stopped_boards,
    expected_ths,
    list_fan_speeds,
    merge_boards,
    pool_fields,
)
from hashinsight.edge.readings.temperatures import (
    board_sensors,
    is_mean_only,
    limit_fields,
    machine_sensors,
    temperature_fields,
)
from hashinsight.facts.models import MinerModel
from hashinsight.wire.times import write_time

MODES = {"low": "eco", "normal": "normal", "high": "perf"}
_STANDBY_SHARE = 0.15  # of rated power: a machine below it does not hash, whatever it reports
_MAX_MESSAGE = 500
Record = dict[str, Any]


def make_record(reading: Mapping[str, Any], *, miner_id: str, at: datetime, has_fans: bool = True) -> Record:
    """The sample of a machine that answered. `raw_data` names the reader, and flags what was corrected or is doubtful.

    `has_fans`: a fan was seen turning once; otherwise fans that all report 0 may not exist (`are_fans_missing`).
    """
    summary = reading.get("summary") or {}
    library = reading.get("data") or {}
    info = library.get("device_info") or {}
    library_model = model_of(str(info.get("model") or ""))
    plain: dict[str, Any] = {}
    has_tables = reading.get("stats") or reading.get("pools")  # fetched for some makes besides the library's data
    if has_tables or not library.get("hashboards") or library.get("uptime") is None:
        plain = to_library_shape(
            reading,
            Expected(
                boards=board_count(library.get("expected_hashboards")),
                fans=count(library.get("expected_fans")),
                model=text(info.get("model"), 200),
            ),
        )
    data = {**library, **_missing(library, plain), **_own_power(plain)} if plain else dict(library)
    data["hashrate"] = data.get("hashrate") or read_hashrate(summary)
    info = data.get("device_info") or {}
    firmware = _firmware(info, data)
    usual_sensor = sensor_kind_of(firmware)
    model = library_model or model_of(str(info.get("model") or ""))
    make = make_of(info)
    flags: list[str] = []
    raw_boards = merge_boards(
        library.get("hashboards") or [],
        plain.get("hashboards") or [] if reading.get("stats") or not library.get("hashboards") else [],
        reading.get("temps") or [],
        # one model name is sold with different numbers of boards: what this machine reports goes before the catalogue
        None
        if plain.get("are_modules")
        else board_count(library.get("expected_hashboards")) or fitted_boards(reading, model),
    )
    sensors = [board_sensors(board, make, flags) for board in raw_boards]
    boards = [board_fields(board, temps) for board, temps in zip(raw_boards, sensors, strict=True)]
    total_ths = to_ths(data["hashrate"])
    power_w = number(data.get("wattage"), maximum=1e5)
    power_w = None if power_w == 0 and total_ths else power_w  # a power meter that does not answer
    rates = correct_units(
        Hashrates(
            total_ths,
            expected_ths(data, raw_boards, summary, make, plain),
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
    boards = clear_stopped_boards(boards) if state == "stopped" else boards
    heat = temperature_fields(
        sensors, machine_sensors(reading, make, flags), usual_sensor, flags, is_mean=is_mean_only(make, reading)
    )
    limits = limit_fields(
        reading.get("tempctrl") or [], reading.get("temps") or [], usual_sensor, heat.get("temp_sensor")
    )
    record: Record = {
        "miner_id": miner_id,
        "timestamp": write_time(at),
        "online": True,
        "hashrate_ths": rates.total_ths,
        "hashrate_5s": _recent_ths(summary, rates),
        "expected_ths": rates.expected_ths,
        **heat,
        **limits,
        "fan_speeds": list_fan_speeds(
            data, (plain.get("fans") if reading.get("stats") else None) or data.get("fans") or [], make, flags
        ),
        "power_w": power_w,
        "voltage_v": mean([number(board.get("voltage"), maximum=1e3) for board in raw_boards]),
        "frequency_avg": mean([board["frequency_mhz"] for board in boards]),
        "hw_errors": count(summary.get("Hardware Errors")) if "Hardware Errors" in summary else _sum_errors(reading),
        "uptime_seconds": count(data.get("uptime")),
        "boards": boards or None,
        **board_counts(boards, raw_boards),
        "model": model.name if model else text(info.get("model"), 200),
        "firmware": firmware,
        **pool_fields(plain.get("pools") if reading.get("pools") else data.get("pools"), make),
        "mode": _mode(summary, data),
        "state": state,
        "error_message": _join_messages(data),
        "mac_address": text(data.get("mac"), 100),
        "serial_number": text(data.get("serial_number"), 200),
    }
    if not has_fans and record["fan_speeds"] and not any(record["fan_speeds"]):
        flags.append("fans_never_turned")
        if not are_fans_missing(record):
            record["fan_speeds"] = None
    if rates.total_ths and "temp_max" not in heat:
        flags.append("temp_unknown")  # local protection cannot see this machine
    without_temp = [board for board in boards if board["temp_max_c"] is None]
    if 0 < len(without_temp) < len(boards) and any(board["hashrate_ths"] for board in without_temp):
        flags.append("sensor_broken")  # the library leaves out a sensor that reports 0
    if boards and all(board["hashrate_ths"] is None for board in boards):
        flags.append("boards_silent")
    known = {name: value for name, value in record.items() if value is not None}
    known["raw_data"] = {
        "reader": reading.get("reader"),
        **_settings(data),
        **({"flags": sorted(set(flags))} if flags else {}),
    }
    return known


def offline_record(
    miner_id: str, *, at: datetime, kind: str, reason: str, last: Mapping[str, Any] | None = None
) -> Record:
    """The sample of a machine that did not answer, with the reason and its identity from the last record."""
    last = last or {}
    identity = {name: last[name] for name in ("model", "firmware", "mac_address", "serial_number") if name in last}
    reader = last.get("raw_data", {}).get("reader")
    return {
        "miner_id": miner_id,
        "timestamp": write_time(at),
        "online": False,
        "state": "offline",
        "error_type": kind,
        "error_message": reason,
        **identity,
        **({"raw_data": {"reader": reader}} if reader else {}),
    }


def _settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without a column of their own: read back after a command."""
    target = data.get("tuning_target")
    target_w = target.get("value") if isinstance(target, dict) and target.get("type") == "power" else None
    watts = data.get("power_limit_w") or number(target_w, maximum=1e5)
    light = data.get("light_flashing")
    return {
        **({"power_limit_w": watts} if watts else {}),
        **({"fault_light": light} if isinstance(light, bool) else {}),
    }


def _missing(data: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """What the plain client has and the library left empty."""
    return {name: value for name, value in plain.items() if value and not data.get(name)}


def _own_power(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Of an Avalon: the library takes volts for watts while it is stopped, and its consumption for its limit."""
    if plain.get("power_limit_w") is None:
        return {}
    return {"wattage": plain.get("wattage"), "power_limit_w": plain["power_limit_w"]}


def _is_mining(data: Mapping[str, Any], plain: Mapping[str, Any]) -> object:
    return data.get("is_mining") if plain.get("is_mining") is None else plain["is_mining"]


def _firmware(info: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """With the family's name, because it decides what the temperatures mean."""
    family, version = text(info.get("firmware"), 100), text(data.get("firmware_version"), 100)
    return f"{family} {version}" if family and version else family or version


def _recent_ths(summary: Mapping[str, Any], rates: Hashrates) -> float | None:
    """Only if it is of the same order as the corrected total: its unit is the machine's own."""
    for name, factor in (("GHS 5s", 1e-3), ("MHS 5s", 1e-6), ("THS 5s", 1.0)):
        value = number(summary.get(name), maximum=1e13)
        if value is not None:
            ths = value * factor
            is_plausible = rates.total_ths is not None and ths <= 3 * rates.total_ths + 1
            return round(ths, 3) if is_plausible else None
    return None


def _mode(summary: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    target = data.get("tuning_target")
    target_mode = target.get("value") if isinstance(target, dict) and target.get("type") == "mode" else None
    mode = summary.get("Power Mode") or data.get("mode") or target_mode
    return MODES.get(str(mode).lower(), str(mode).lower()[:50]) if mode else None


def _state(ths: float | None, power_w: float | None, is_mining: object, model: MinerModel | None) -> str | None:
    """By what it does: two makes report that they are mining while they are stopped."""
    if ths:
        return "running"
    if is_mining is False and (ths is not None or power_w is not None):  # without figures it may only be silent
        return "stopped"
    if power_w is not None and ths is not None:
        return "stopped" if power_w < _STANDBY_SHARE * (model.power_w if model else 3000.0) else "running"
    return None


def _join_messages(data: Mapping[str, Any]) -> str | None:
    messages = [text(item.get("message"), 200) for item in data.get("messages") or [] if isinstance(item, dict)]
    return "; ".join(message for message in messages if message)[:_MAX_MESSAGE] or None


def _sum_errors(reading: Mapping[str, Any]) -> int | None:
    counters = [count(row.get("Hardware Errors")) for row in reading.get("devs") or []]
    known = [errors for errors in counters if errors is not None]
    return sum(known) if known else None
