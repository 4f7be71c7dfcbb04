"""Tables of a plain cgminer API in the library's shape, so that one normaliser serves both. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hashinsight.edge.readings import antminer, avalon
from hashinsight.edge.readings.makes import MAX_BOARDS, model_of
from hashinsight.edge.readings.numbers import count, number
from hashinsight.edge.readings.temperatures import table_sensors
from hashinsight.facts.models import MinerModel

_UNITS = (("THS", "TH/s"), ("GHS", "GH/s"), ("MHS", "MH/s"), ("KHS", "KH/s"))
_LUXOS = "LuxOS"  # measures boards only
_OTHER_FAMILIES = (("vnish", "VNish"), ("marafw", "Marathon"))
# the newest that is not only momentary; "av" is since the start, also on a machine that stopped hashing since
_SPANS = ("1m", "5m", "5s", "30s", "av")
_YOUNG_SEC, _YOUNG_SPANS = 300, ("5s", "30s", "av", "1m", "5m")  # after a start the longer averages are still rising
_WHATSMINER, _WHATSMINER_COLUMNS = "Whatsminer", ("Factory GHS", "Chip Temp Max", "Fan Speed In")
_ASLEEP_MODE = 254  # in an Antminer's `stats`
Fields = dict[str, Any]


@dataclass(frozen=True)
class Expected:
    """What the library knows of the machine."""

    boards: int | None = None
    fans: int | None = None
    model: str | None = None


def to_library_shape(reading: Mapping[str, Any], expected: Expected) -> Fields:
    """From the tables `summary version stats pools devs`, as far as they exist."""
    version = _first(reading.get("version"))
    stats: Fields = {}
    for row in _rows(reading.get("stats")):
        stats |= row
    summary = _row(reading.get("summary")) or stats  # firmware without a summary has the same figures in its statistics
    modules = avalon.list_modules(_rows(reading.get("stats")))
    of_avalon = avalon.to_library_shape(modules) if modules else {}
    details = _first(reading.get("devdetails"))
    name = version.get("Type") or version.get("PROD") or stats.get("Type") or details.get("Model")
    name = name or of_avalon.get("model") or (_WHATSMINER if _is_whatsminer(summary) else None)
    model = model_of(str(expected.model or name or ""))
    family = _family(version, str(name or ""))
    hardware = of_avalon or _hardware(reading, stats, summary, model, expected=expected, family=family)
    firmware = version.get("Miner") or version.get("VERSION") or version.get("CompileTime")
    return {
        "device_info": {"model": name, "firmware": family},
        "firmware_version": firmware,
        "hashrate": of_avalon.get("hashrate") or read_hashrate(summary),
        "expected_hashrate": hardware.get("expected_hashrate"),
        "uptime": summary.get("Elapsed"),
        "hashboards": hardware.get("hashboards") or [],
        "are_modules": hardware.get("are_modules"),
        "fans": hardware.get("fans") or [],
        "wattage": hardware.get("wattage"),
        "power_limit_w": hardware.get("power_limit_w"),
        "mode": hardware.get("mode"),
        "is_mining": False if count(stats.get("Mode")) == _ASLEEP_MODE else None,
        "mac": version.get("MAC"),
        "serial_number": version.get("DNA"),
        "pools": _pools(reading.get("pools")),
    }


def _hardware(
    reading: Mapping[str, Any],
    stats: Fields,
    summary: Fields,
    model: MinerModel | None,
    *,
    expected: Expected,
    family: str | None,
) -> Fields:
    fans = expected.fans if expected.fans is not None or model is None else model.fans
    if any(name.startswith("chain_") for name in stats):
        return {
            "hashboards": antminer.list_boards(
                stats,
                expected.boards or fitted_boards(reading, model),
                has_chip_sensors=family != _LUXOS,
                is_hydro=_is_hydro(expected.model) or _is_hydro(stats.get("Type")) or _is_hydro(model and model.name),
            ),
            "fans": antminer.list_fans(stats, fans),
            "expected_hashrate": antminer.expected_hashrate(stats),
        }
    if _is_whatsminer(summary):
        return _from_whatsminer(summary, _rows(reading.get("devs")))
    return _from_others(reading, fans)


def _is_whatsminer(summary: Mapping[str, Any]) -> bool:
    return any(name in summary for name in _WHATSMINER_COLUMNS)


def _is_hydro(name: Any) -> bool:
    model = model_of(str(name or ""))
    return model.cooling == "hydro" if model else "hyd" in str(name or "").lower()


def fitted_boards(reading: Mapping[str, Any], model: MinerModel | None) -> int | None:
    """How many it should have: a machine counts only the boards it found, without a dead one."""
    own = next((no for row in _rows(reading.get("stats")) if (no := antminer.board_count(row.get("miner_count")))), 0)
    return max(own, model.boards if model else 0) or None


def _row(value: Any) -> Fields:
    return dict(value) if isinstance(value, Mapping) else {}


def _rows(value: Any) -> list[Fields]:
    return [dict(row) for row in value if isinstance(row, Mapping)] if isinstance(value, list) else []


def _first(value: Any) -> Fields:
    return next(iter(_rows(value)), {})


def _family(version: Mapping[str, Any], model: str) -> str | None:
    """Some name their firmware only behind the model: "Antminer S19 XP (Vnish 1.2.0)"."""
    words = f"{model} {version.get('BMMiner')}".lower()
    for word, family in _OTHER_FAMILIES:
        if word in words:
            return family
    for name in ("LUXminer", "BOSminer+", "BOSminer", "BOSer", "BMMiner", "CGMiner"):
        if name in version:
            return {"LUXminer": _LUXOS, "BMMiner": "Stock", "CGMiner": "Stock"}.get(name, name)
    return None


def read_hashrate(row: Mapping[str, Any]) -> Fields | None:
    """The newest valid hashrate of a row."""
    age_sec = count(row.get("Elapsed", row.get("Device Elapsed")))
    for span in _SPANS if age_sec is None or age_sec > _YOUNG_SEC else _YOUNG_SPANS:
        for prefix, unit in _UNITS:
            value = number(row.get(f"{prefix} {span}"), maximum=1e30)
            if value is not None:
                return {"value": value, "unit": unit}
    return None


def _from_whatsminer(summary: Mapping[str, Any], devs: list[Fields]) -> Fields:
    boards = [
        {
            "position": no,
            "hashrate": read_hashrate(row),
            "board_temperature": row.get("Temperature"),
            "outlet_chip_temperature": row.get("Chip Temp Max"),
            "working_chips": count(row.get("Effective Chips")),
            "frequency": number(row.get("Frequency"), maximum=1e4),
        }
        for no, row in enumerate(devs[:MAX_BOARDS])
    ]
    speeds = [summary[name] for name in ("Fan Speed In", "Fan Speed Out") if name in summary]
    factory = number(summary.get("Factory GHS"), maximum=1e30)
    return {
        "hashboards": boards,
        "fans": [{"position": no, "rpm": rpm} for no, rpm in enumerate(speeds)],
        "wattage": number(summary.get("Power"), maximum=1e5) or None,
        "expected_hashrate": {"value": factory, "unit": "GH/s"} if factory else None,
    }


def _from_others(reading: Mapping[str, Any], fans: int | None) -> Fields:
    """Third-party firmware with a table for each."""
    sensors, devs = table_sensors(_rows(reading.get("temps"))), _rows(reading.get("devs"))[:MAX_BOARDS]
    boards = [
        {
            "position": no,
            "hashrate": read_hashrate(devs[no]) if no < len(devs) else None,
            "expected_hashrate": _nominal(devs[no]) if no < len(devs) else None,
            **({"sensors": sensors[no]} if no < len(sensors) else {}),
        }
        for no in range(max(len(sensors), len(devs)))
    ]
    speeds = {f"fan{no}": row.get("RPM") for no, row in enumerate(_rows(reading.get("fans")), 1)}
    turning = sum(1 for rpm in speeds.values() if number(rpm, maximum=1e6))
    # an empty connector reports 0 like a stopped fan; on an unknown model fans come in pairs
    expected = fans if fans is not None else turning + turning % 2
    return {"hashboards": boards, "fans": antminer.list_fans(speeds, expected)}


def _nominal(row: Mapping[str, Any]) -> Fields | None:
    value = number(row.get("Nominal MHS"), maximum=1e30)
    return {"value": value, "unit": "MH/s"} if value else None


def _pools(table: Any) -> list[Fields]:
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
