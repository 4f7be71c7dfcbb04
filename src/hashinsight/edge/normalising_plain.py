"""What a plain cgminer API tells, in the shape of the library's words, so that one normaliser serves both. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashinsight.edge import chains
from hashinsight.edge.normalising_numbers import count, number
from hashinsight.edge.temperatures import table_sensors
from hashinsight.facts.spellings import find_model
from hashinsight.facts.temperatures import SensorKind

_MOST_BOARDS = 16
_MOST_FANS = 16
_MOST_CHIPS = 1000
_BRACKETED = re.compile(r"(?<!\w)(\w++)\[([^\[\]]*+)\]")
_UNITS = (("THS", "TH/s"), ("GHS", "GH/s"), ("MHS", "MH/s"), ("KHS", "KH/s"))
_BOARD_SENSORS = "LuxOS"
_AVALON_MODES = {"0": "low", "1": "normal", "2": "high"}
Told = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """What is known of the machine before its tables are read: by the library, and by the catalogue."""

    boards: int | None = None
    catalogue_boards: int | None = None
    fans: int | None = None
    model: str | None = None


def as_library(told: Mapping[str, Any], expected: Expected) -> Told:
    """From the tables `summary version stats pools devs`, as far as they are there."""
    summary = _row(told.get("summary"))
    version = _first(told.get("version"))
    stats: Told = {}
    for row in _rows(told.get("stats")):
        stats |= row
    model = version.get("Type") or version.get("PROD") or stats.get("Type")
    found = _found(told, stats, summary, expected, is_hydro=_is_hydro(expected.model) or _is_hydro(model))
    firmware = version.get("Miner") or version.get("VERSION") or version.get("CompileTime")
    return {
        "device_info": {"model": model, "firmware": _family(version)},
        "firmware_version": firmware,
        "hashrate": _rate(summary),
        "expected_hashrate": found.get("expected_hashrate"),
        "uptime": summary.get("Elapsed"),
        "hashboards": found.get("hashboards") or [],
        "fans": found.get("fans") or [],
        "wattage": found.get("wattage"),
        "mode": found.get("mode"),
        "is_mining": None,
        "mac": version.get("MAC"),
        "serial_number": version.get("DNA"),
        "pools": _pools(told.get("pools")),
    }


def _found(told: Mapping[str, Any], stats: Told, summary: Told, expected: Expected, *, is_hydro: bool) -> Told:
    family = _family(_first(told.get("version")))
    if "MM ID0" in stats:
        return _from_avalon(stats)
    if any(name.startswith("chain_") for name in stats):
        return {
            "hashboards": chains.boards_of(
                stats,
                expected.boards,
                of_catalogue=expected.catalogue_boards,
                has_chip_sensors=family != _BOARD_SENSORS,
                is_hydro=is_hydro,
            ),
            "fans": chains.fans_of(stats, expected.fans),
            "expected_hashrate": chains.expected_rate(stats),
        }
    if "Factory GHS" in summary or "Chip Temp Max" in summary:
        return _from_whatsminer(summary, _rows(told.get("devs")))
    return _from_others(told)


def _is_hydro(name: Any) -> bool:
    model = find_model(str(name or ""))
    return model.cooling == "hydro" if model else "hyd" in str(name or "").lower()


def own_board_count(told: Mapping[str, Any]) -> int | None:
    """How many boards the machine says that it has."""
    return next((no for row in _rows(told.get("stats")) if (no := count(row.get("miner_count")))), None)


def _row(value: Any) -> Told:
    return dict(value) if isinstance(value, Mapping) else {}


def _rows(value: Any) -> list[Told]:
    return [dict(row) for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _first(value: Any) -> Told:
    return next(iter(_rows(value)), {})


def _family(version: Mapping[str, Any]) -> str | None:
    for name in ("LUXminer", "BOSminer", "BOSer", "BMMiner", "CGMiner"):
        if name in version:
            return {"LUXminer": _BOARD_SENSORS, "BMMiner": "Stock", "CGMiner": "Stock"}.get(name, name)
    return None


def _rate(row: Mapping[str, Any], span: str = "av") -> Told | None:
    for prefix, unit in _UNITS:
        if f"{prefix} {span}" in row:
            return {"value": number(row[f"{prefix} {span}"], most=1e30), "unit": unit}
    return None


def _from_whatsminer(summary: Mapping[str, Any], devs: list[Told]) -> Told:
    boards = [
        {
            "position": no,
            "hashrate": _rate(row),
            "board_temperature": row.get("Temperature"),
            "outlet_chip_temperature": row.get("Chip Temp Max"),
            "working_chips": count(row.get("Effective Chips")),
            "frequency": number(row.get("Frequency"), most=1e4),
        }
        for no, row in enumerate(devs[:_MOST_BOARDS])
    ]
    speeds = [summary[name] for name in ("Fan Speed In", "Fan Speed Out") if name in summary]
    factory = number(summary.get("Factory GHS"), most=1e30)
    return {
        "hashboards": boards,
        "fans": [{"position": no, "rpm": rpm} for no, rpm in enumerate(speeds)],
        "wattage": number(summary.get("Power"), most=1e5) or None,
        "expected_hashrate": {"value": factory, "unit": "GH/s"} if factory else None,
    }


def _from_others(told: Mapping[str, Any]) -> Told:
    """Firmware of other makers, which has a table for each."""
    boards = [
        {"position": no, "hashrate": None, "sensors": sensors}
        for no, sensors in enumerate(table_sensors(_rows(told.get("temps"))))
    ]
    fans = [{"position": no, "rpm": row.get("RPM")} for no, row in enumerate(_rows(told.get("fans")))]
    return {"hashboards": boards, "fans": fans}


def _from_avalon(stats: Mapping[str, Any]) -> Told:
    """One long text `NAME[values] NAME[values] …`."""
    told = dict(_BRACKETED.findall(str(stats["MM ID0"])[:65_536]))
    rates, hottest = (told.get(name, "").split()[:_MOST_BOARDS] for name in ("MGHS", "MTmax"))
    boards = [
        {
            "position": no,
            "hashrate": {"value": number(rate, most=1e30), "unit": "GH/s"},
            "sensors": {SensorKind.CHIP.value: _chips(_at(hottest, no), told.get(f"PVT_T{no}"))},
            "working_chips": _answering(told.get(f"PVT_T{no}")),
            "frequency": number(told.get("Freq"), most=1e4),
        }
        for no, rate in enumerate(rates)
    ]
    power = told.get("PS", "").split()
    fans = [{"position": no - 1, "rpm": told[f"Fan{no}"]} for no in range(1, _MOST_FANS + 1) if f"Fan{no}" in told]
    expected = number(told.get("GHSmm"), most=1e30)
    return {
        "hashboards": boards,
        "fans": [{**fan, "rpm": number(fan["rpm"], most=1e5, least=-1e5)} for fan in fans],
        "wattage": number(_at(power, 4), most=1e5) or None,
        "expected_hashrate": None if not expected else {"value": expected, "unit": "GH/s"},
        "mode": _AVALON_MODES.get(told.get("WORKMODE", "")),
    }


def _at(values: list[str], no: int) -> str | None:
    return values[no] if no < len(values) else None


def _chips(hottest: str | None, every: str | None) -> list[str]:
    """A chip that does not answer says 0 in the list, and is no sensor."""
    listed = [temp for temp in (every or "").split()[:_MOST_CHIPS] if temp not in ("0", "-1")]
    return [*([] if hottest is None else [hottest]), *listed]


def _answering(temperatures: str | None) -> int | None:
    return None if temperatures is None else sum(1 for temp in temperatures.split() if temp not in ("0", "-1"))


def _pools(table: Any) -> list[Told]:
    rows = _rows(table)
    pools = [
        {
            "url": row.get("URL"),
            "user": row.get("User"),
            "active": row.get("Stratum Active") is True,
            "alive": {"alive": True, "dead": False}.get(str(row.get("Status")).lower()),
            "accepted_shares": row.get("Accepted"),
            "rejected_shares": row.get("Rejected"),
        }
        for row in rows
    ]
    return [{"pools": pools}] if pools else []
