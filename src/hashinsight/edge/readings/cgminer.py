"""What a plain cgminer API tells, in the shape of the library's words, so that one normaliser serves both. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashinsight.edge.readings import antminer, avalon
from hashinsight.edge.readings.makes import model_of
from hashinsight.edge.readings.numbers import count, number
from hashinsight.edge.readings.temperatures import table_sensors
from hashinsight.facts.models import MinerModel

_MOST_BOARDS = 16
_UNITS = (("THS", "TH/s"), ("GHS", "GH/s"), ("MHS", "MH/s"), ("KHS", "KH/s"))
_BOARD_SENSORS = "LuxOS"
_OTHER_FAMILIES = (("vnish", "VNish"), ("marafw", "Marathon"))
# the newest that is not only a moment's; "av" is since the start, also of a machine that stopped hashing since
_SPANS = ("1m", "5m", "5s", "30s", "av")
_YOUNG_SEC, _YOUNG_SPANS = 300, ("5s", "30s", "av", "1m", "5m")  # longer spans still rise from nothing
_WHATSMINER, _OF_WHATSMINER = "Whatsminer", ("Factory GHS", "Chip Temp Max", "Fan Speed In")
_ASLEEP_MODE = 254  # of an Antminer's `stats`
Told = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """What the library knows of the machine before its tables are read."""

    boards: int | None = None
    fans: int | None = None
    model: str | None = None


def as_library(told: Mapping[str, Any], expected: Expected) -> Told:
    """From the tables `summary version stats pools devs`, as far as they are there."""
    version = _first(told.get("version"))
    stats: Told = {}
    for row in _rows(told.get("stats")):
        stats |= row
    summary = _row(told.get("summary")) or stats  # some firmware has no summary, and says the same in its statistics
    modules = avalon.modules_of(_rows(told.get("stats")))
    of_modules = avalon.from_modules(modules) if modules else {}
    details = _first(told.get("devdetails"))
    model = version.get("Type") or version.get("PROD") or stats.get("Type") or details.get("Model")
    model = model or of_modules.get("model") or (_WHATSMINER if _is_whatsminer(summary) else None)
    known = model_of(str(expected.model or model or ""))
    family = _family(version, str(model or ""))
    found = of_modules or _found(told, stats, summary, known, expected=expected, family=family)
    firmware = version.get("Miner") or version.get("VERSION") or version.get("CompileTime")
    return {
        "device_info": {"model": model, "firmware": family},
        "firmware_version": firmware,
        "hashrate": of_modules.get("hashrate") or rate_of(summary),
        "expected_hashrate": found.get("expected_hashrate"),
        "uptime": summary.get("Elapsed"),
        "hashboards": found.get("hashboards") or [],
        "are_modules": found.get("are_modules"),
        "fans": found.get("fans") or [],
        "wattage": found.get("wattage"),
        "power_limit_w": found.get("power_limit_w"),
        "mode": found.get("mode"),
        "is_mining": False if count(stats.get("Mode")) == _ASLEEP_MODE else None,
        "mac": version.get("MAC"),
        "serial_number": version.get("DNA"),
        "pools": _pools(told.get("pools")),
    }


def _found(
    told: Mapping[str, Any],
    stats: Told,
    summary: Told,
    known: MinerModel | None,
    *,
    expected: Expected,
    family: str | None,
) -> Told:
    fans = expected.fans if expected.fans is not None or known is None else known.fans
    if any(name.startswith("chain_") for name in stats):
        return {
            "hashboards": antminer.boards_of(
                stats,
                expected.boards or fitted_boards(told, known),
                has_chip_sensors=family != _BOARD_SENSORS,
                is_hydro=_is_hydro(expected.model) or _is_hydro(stats.get("Type")) or _is_hydro(known and known.name),
            ),
            "fans": antminer.fans_of(stats, fans),
            "expected_hashrate": antminer.expected_rate(stats),
        }
    if _is_whatsminer(summary):
        return _from_whatsminer(summary, _rows(told.get("devs")))
    return _from_others(told, fans)


def _is_whatsminer(summary: Mapping[str, Any]) -> bool:
    return any(name in summary for name in _OF_WHATSMINER)


def _is_hydro(name: Any) -> bool:
    model = model_of(str(name or ""))
    return model.cooling == "hydro" if model else "hyd" in str(name or "").lower()


def fitted_boards(told: Mapping[str, Any], known: MinerModel | None) -> int | None:
    """How many it should have: a machine counts those that it found, so that a dead one is not among them."""
    own = next((no for row in _rows(told.get("stats")) if (no := antminer.board_count(row.get("miner_count")))), 0)
    return max(own, known.boards if known else 0) or None


def _row(value: Any) -> Told:
    return dict(value) if isinstance(value, Mapping) else {}


def _rows(value: Any) -> list[Told]:
    return [dict(row) for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _first(value: Any) -> Told:
    return next(iter(_rows(value)), {})


def _family(version: Mapping[str, Any], model: str) -> str | None:
    """Some say whose firmware it is only behind the model: "Antminer S19 XP (Vnish 1.2.0)"."""
    said = f"{model} {version.get('BMMiner')}".lower()
    for word, family in _OTHER_FAMILIES:
        if word in said:
            return family
    for name in ("LUXminer", "BOSminer+", "BOSminer", "BOSer", "BMMiner", "CGMiner"):
        if name in version:
            return {"LUXminer": _BOARD_SENSORS, "BMMiner": "Stock", "CGMiner": "Stock"}.get(name, name)
    return None


def rate_of(row: Mapping[str, Any]) -> Told | None:
    """The newest hashrate of a row that is a number."""
    age_sec = count(row.get("Elapsed", row.get("Device Elapsed")))
    for span in _SPANS if age_sec is None or age_sec > _YOUNG_SEC else _YOUNG_SPANS:
        for prefix, unit in _UNITS:
            value = number(row.get(f"{prefix} {span}"), most=1e30)
            if value is not None:
                return {"value": value, "unit": unit}
    return None


def _from_whatsminer(summary: Mapping[str, Any], devs: list[Told]) -> Told:
    boards = [
        {
            "position": no,
            "hashrate": rate_of(row),
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


def _from_others(told: Mapping[str, Any], fans: int | None) -> Told:
    """Firmware of other makers, which has a table for each."""
    sensors, devs = table_sensors(_rows(told.get("temps"))), _rows(told.get("devs"))[:_MOST_BOARDS]
    boards = [
        {
            "position": no,
            "hashrate": rate_of(devs[no]) if no < len(devs) else None,
            "expected_hashrate": _nominal(devs[no]) if no < len(devs) else None,
            **({"sensors": sensors[no]} if no < len(sensors) else {}),
        }
        for no in range(max(len(sensors), len(devs)))
    ]
    speeds = {f"fan{no}": row.get("RPM") for no, row in enumerate(_rows(told.get("fans")), 1)}
    turning = sum(1 for rpm in speeds.values() if number(rpm, most=1e6))
    # connectors without a fan say 0 like a fan that stands: of a model that nobody names, two belong to each other
    return {"hashboards": boards, "fans": antminer.fans_of(speeds, fans if fans is not None else turning + turning % 2)}


def _nominal(row: Mapping[str, Any]) -> Told | None:
    value = number(row.get("Nominal MHS"), most=1e30)
    return {"value": value, "unit": "MH/s"} if value else None


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
