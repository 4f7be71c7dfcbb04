"""What a plain cgminer API tells, in the shape of the library's words, so that one normaliser serves both. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from hashinsight.edge.normalising_numbers import count, number

_MOST_BOARDS = 16
_MOST_FANS = 16
_BRACKETED = re.compile(r"(\w+)\[([^\]]*)\]")
_UNITS = (("THS", "TH/s"), ("GHS", "GH/s"), ("MHS", "MH/s"), ("KHS", "KH/s"))
_AVALON_MODES = {"0": "low", "1": "normal", "2": "high"}
Told = dict[str, Any]


def as_library(told: Mapping[str, Any]) -> Told:
    """From the tables `summary version stats pools devs`, as far as they are there."""
    summary = _row(told.get("summary"))
    version = _first(told.get("version"))
    stats: Told = {}
    for row in _rows(told.get("stats")):
        stats |= row
    found = _from_avalon(stats) if "MM ID0" in stats else _from_antminer(stats)
    model = version.get("Type") or version.get("PROD") or stats.get("Type")
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


def _row(value: Any) -> Told:
    return dict(value) if isinstance(value, Mapping) else {}


def _rows(value: Any) -> list[Told]:
    return [dict(row) for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _first(value: Any) -> Told:
    return next(iter(_rows(value)), {})


def _family(version: Mapping[str, Any]) -> str | None:
    for name in ("LUXminer", "BOSminer", "BOSer", "BMMiner", "CGMiner"):
        if name in version:
            return {"LUXminer": "LuxOS", "BMMiner": "Stock", "CGMiner": "Stock"}.get(name, name)
    return None


def _rate(row: Mapping[str, Any], span: str = "av") -> Told | None:
    for prefix, unit in _UNITS:
        if f"{prefix} {span}" in row:
            return {"value": number(row[f"{prefix} {span}"], most=1e30), "unit": unit}
    return None


def _from_antminer(stats: Mapping[str, Any]) -> Told:
    boards = []
    for no in range(1, _MOST_BOARDS + 1):
        if f"chain_rate{no}" not in stats:
            continue
        chips = _dashed(stats.get(f"temp_chip{no}"))
        pcb = _dashed(stats.get(f"temp_pcb{no}"))
        boards.append(
            {
                "position": no - 1,
                "hashrate": {"value": number(stats[f"chain_rate{no}"], most=1e30), "unit": "GH/s"},
                "board_temperature": max(pcb, default=None),
                "inlet_chip_temperature": min(chips, default=None),
                "outlet_chip_temperature": max(chips, default=None),
                "working_chips": count(stats.get(f"chain_acn{no}")),
                "frequency": number(stats.get(f"freq{no}"), most=1e4),
            }
        )
    ideal = number(stats.get("total_rateideal"), most=1e30)
    unit = f"{stats.get('rate_unit') or 'GH'}/s"
    return {
        "hashboards": boards,
        "fans": _numbered(stats, "fan"),
        "expected_hashrate": None if not ideal else {"value": ideal, "unit": unit},
    }


def _dashed(value: Any) -> list[float]:
    """`62-62-70-70`; zeros among others are corners without a sensor, zeros alone are a broken one."""
    if not isinstance(value, str):
        return []
    found = [temp for temp in (number(part, most=1e4, least=-1e4) for part in value.split("-")) if temp is not None]
    return [temp for temp in found if temp] or found[:1]


def _numbered(stats: Mapping[str, Any], name: str) -> list[Told]:
    speeds = [(no, stats.get(f"{name}{no}")) for no in range(1, _MOST_FANS + 1)]
    return [{"position": no - 1, "rpm": rpm} for no, rpm in speeds if rpm is not None]


def _from_avalon(stats: Mapping[str, Any]) -> Told:
    """One long text `NAME[values] NAME[values] …`."""
    told = dict(_BRACKETED.findall(str(stats["MM ID0"])[:65_536]))
    rates, hottest, average = (told.get(name, "").split()[:_MOST_BOARDS] for name in ("MGHS", "MTmax", "MTavg"))
    boards = [
        {
            "position": no,
            "hashrate": {"value": number(rate, most=1e30), "unit": "GH/s"},
            "board_temperature": number(_at(average, no), most=1e4),
            "inlet_chip_temperature": number(_at(average, no), most=1e4),
            "outlet_chip_temperature": number(_at(hottest, no), most=1e4),
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


def _answering(temperatures: str | None) -> int | None:
    return None if temperatures is None else sum(1 for temp in temperatures.split() if temp not in ("0", "-1"))


def _pools(table: Any) -> list[Told]:
    rows = _rows(table)
    pools = [
        {
            "url": row.get("URL"),
            "user": row.get("User"),
            "active": row.get("Stratum Active") is True,
            "alive": row.get("Status") == "Alive",
            "accepted_shares": row.get("Accepted"),
            "rejected_shares": row.get("Rejected"),
        }
        for row in rows
    ]
    return [{"pools": pools}] if pools else []
