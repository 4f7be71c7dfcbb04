"""What a machine was heard to say → the record that goes to the cloud, in its names and units. Pure.

What is not known is left out: no zeros for it. What a sensor says when it is broken (0 or 255 °C, -1 rpm) is not a
reading, and the record says that it was there. No address, no credential, no host name.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hashinsight.edge.normalising_numbers import count, mean, number, temperature, text
from hashinsight.edge.normalising_plain import as_library
from hashinsight.edge.normalising_units import Rates, in_ths, mended
from hashinsight.facts.models import MinerModel
from hashinsight.facts.spellings import find_model
from hashinsight.facts.temperatures import SensorKind, sensor_kind
from hashinsight.wire.times import write_time

MODES = {"low": "eco", "normal": "normal", "high": "perf"}
_STANDBY_SHARE = 0.15  # of the rated watts: what takes less does not hash, whatever it calls itself
_MOST_MESSAGE = 500
Record = dict[str, Any]


def record_of(told: Mapping[str, Any], *, miner_id: str, at: datetime) -> Record:
    """The sample of a machine that answered. `raw_data` says who read it, and what was mended or is in doubt."""
    summary = told.get("summary") or {}
    data = told.get("data") or as_library(told)
    if not told.get("data") or not data.get("hashboards"):
        data = {**data, **_filled(data, as_library(told))}
    info = data.get("device_info") or {}
    firmware = _firmware(info, data)
    model = find_model(str(info.get("model") or ""))
    flags: list[str] = []
    boards = [
        _board(one, sensor_kind(firmware), flags) for one in data.get("hashboards") or [] if isinstance(one, dict)
    ]
    rates = mended(
        _rates(data, boards),
        rated_ths=model.rated_ths if model else None,
        power_w=number(data.get("wattage"), most=1e5),
        rated_w=model.power_w if model else None,
    )
    flags += rates.flags
    for board, ths in zip(boards, rates.boards_ths, strict=True):
        board["hashrate_ths"] = ths
    record: Record = {
        "miner_id": miner_id,
        "timestamp": write_time(at),
        "online": True,
        "hashrate_ths": rates.total_ths,
        "hashrate_5s": _recent_ths(summary, rates),
        "expected_ths": rates.expected_ths,
        **_temperatures(boards),
        "fan_speeds": _fans(data, flags),
        "power_w": number(data.get("wattage"), most=1e5),
        "voltage_v": mean(number(one.get("voltage"), most=1e3) for one in data.get("hashboards") or []),
        "frequency_avg": mean(board["frequency_mhz"] for board in boards),
        "hw_errors": count(summary.get("Hardware Errors")) if "Hardware Errors" in summary else _sum_errors(told),
        "uptime_seconds": count(data.get("uptime")),
        "boards": boards or None,
        "model": model.name if model else text(info.get("model"), 200),
        "firmware": firmware,
        **_pool(data),
        "mode": _mode(summary, data),
        "state": _state(rates.total_ths, number(data.get("wattage"), most=1e5), data.get("is_mining"), model),
        "error_message": _messages(data),
        "mac_address": text(data.get("mac"), 100),
        "serial_number": text(data.get("serial_number"), 200),
    }
    if any(board["hashrate_ths"] and board["temp_max_c"] is None for board in boards) and "temp_max" in record:
        flags.append("sensor_broken")  # the library says nothing for a sensor that says 0
    if data.get("hashboards") and not any(board["hashrate_ths"] is not None for board in boards):
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
    watts = (
        number(target.get("value"), most=1e5) if isinstance(target, dict) and target.get("type") == "power" else None
    )
    light = data.get("light_flashing")
    return {
        **({"power_limit_w": watts} if watts else {}),
        **({"fault_light": light} if isinstance(light, bool) else {}),
    }


def _filled(data: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """What the plain client knows and the library left empty."""
    return {name: value for name, value in plain.items() if value and not data.get(name)}


def _firmware(info: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """The family's name belongs to it: it decides what the temperatures mean."""
    words = [text(info.get("firmware"), 100), text(data.get("firmware_version"), 100)]
    return " ".join(word for word in words if word) or None


def _board(told: Mapping[str, Any], kind: SensorKind, flags: list[str]) -> dict[str, Any]:
    """A chip's temperature is the hottest that the board tells; a board whose chips say nothing is known by itself."""
    board, inlet, outlet = (
        temperature(told.get(name), flags)
        for name in ("board_temperature", "inlet_chip_temperature", "outlet_chip_temperature")
    )
    chips = [temp for temp in (inlet, outlet) if temp is not None]
    is_chip = kind is SensorKind.CHIP and bool(chips)
    return {
        "board": count(told.get("position")),
        "hashrate_ths": in_ths(told.get("hashrate")),
        "temp_c": mean(chips) if is_chip else board,
        "temp_max_c": max(chips) if is_chip else board,
        "chips": count(told.get("working_chips")),
        "chips_expected": count(told.get("expected_chips")),
        "frequency_mhz": number(told.get("frequency"), most=1e4),
        "serial": text(told.get("serial_number"), 100),
    }


def _rates(data: Mapping[str, Any], boards: list[dict[str, Any]]) -> Rates:
    return Rates(
        in_ths(data.get("hashrate")), in_ths(data.get("expected_hashrate")), [board["hashrate_ths"] for board in boards]
    )


def _recent_ths(summary: Mapping[str, Any], rates: Rates) -> float | None:
    """Only where it is of the same order as the mended total: its unit is the machine's own."""
    for name, factor in (("GHS 5s", 1e-3), ("MHS 5s", 1e-6), ("THS 5s", 1.0)):
        value = number(summary.get(name), most=1e13)
        if value is not None:
            ths = value * factor
            fits = rates.total_ths is not None and ths <= 3 * rates.total_ths + 1
            return round(ths, 3) if fits else None
    return None


def _temperatures(boards: list[dict[str, Any]]) -> dict[str, Any]:
    hottest = [board["temp_max_c"] for board in boards if board["temp_max_c"] is not None]
    if not hottest:
        return {}
    return {"temp_avg": mean(board["temp_c"] for board in boards), "temp_max": max(hottest), "temp_min": min(hottest)}


def _fans(data: Mapping[str, Any], flags: list[str]) -> list[int] | None:
    told = [one.get("rpm") for one in data.get("fans") or [] if isinstance(one, dict)]
    speeds = [round(rpm) for rpm in (number(one, most=1e5) for one in told) if rpm is not None]
    if len(speeds) < len([rpm for rpm in told if rpm is not None]):
        flags.append("fan_sensor_broken")
    return speeds or None


def _pool(data: Mapping[str, Any]) -> dict[str, Any]:
    pools = [pool for group in data.get("pools") or [] for pool in group.get("pools") or [] if isinstance(pool, dict)]
    if not pools:
        return {}
    active = next((pool for pool in pools if pool.get("active")), None)
    shown = active or pools[0]
    accepted = [count(pool.get("accepted_shares")) for pool in pools]
    rejected = [count(pool.get("rejected_shares")) for pool in pools]
    return {
        "pool_url": text(shown.get("url"), 500),
        "worker_name": text(shown.get("user"), 200),
        "pool_status": "alive" if active and active.get("alive") is not False else "dead",
        "accepted_shares": sum(one for one in accepted if one is not None)
        if any(a is not None for a in accepted)
        else None,
        "rejected_shares": sum(one for one in rejected if one is not None)
        if any(r is not None for r in rejected)
        else None,
    }


def _mode(summary: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    said = summary.get("Power Mode") or data.get("mode")
    return MODES.get(str(said).lower(), str(said).lower()[:50]) if said else None


def _state(ths: float | None, power_w: float | None, is_mining: object, model: MinerModel | None) -> str | None:
    """By what it does: two makes call themselves mining while they are stopped."""
    if ths:
        return "running"
    if is_mining is False:
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
