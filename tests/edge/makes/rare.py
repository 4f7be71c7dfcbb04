"""Machines that asic-rs reads in part or not at all, as they answer on port 4028."""

import json
from typing import Any

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Make, Unit, corners, unit_of

WORK_PER_GHS = 60 * 1e9 / 2**32


def _bracketed(values: Body) -> str:
    return " ".join(f"{name}[{value}]" for name, value in values.items())


def _summary(unit: Unit, **more: Any) -> Body:
    rates = {"MHS av": unit.ths * 1e6, "MHS 5s": unit.ths * 1e6}
    return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **rates, "Hardware Errors": unit.hw_errors, **more}])


def _home_avalon(unit: Unit, command: str, _: str) -> Body | None:
    """Its board's outlet is air; `PS` ends with hundredths of a volt and the watts at the wall."""
    board = unit.boards[0]
    said = {
        "Ver": "Q-25010101_0a1b2c3",
        "SYSTEMSTATU": f"Work: {'In Idle' if unit.is_stopped else 'In Work'}, Hash Board: 1",
        "ITemp": 26,
        "HBITemp": 41,
        "HBOTemp": 49,
        "TMax": 0 if unit.is_stopped else f"{max(board.chip_c):g}",
        **{f"Fan{no}": rpm for no, rpm in enumerate(unit.fans, 1)},
        "PS": f"0 1215 3 0 0 2240 {round(unit.power_w)}",
        "GHSspd": unit.ths * 1000,
        "GHSmm": unit.nominal_ths * 1000,
        "GHSavg": board.nominal_ths * 1000,
        "MGHS": board.nominal_ths * 1000,
        "WORKMODE": 2,
        "MPO": 1600,
    }
    chips = _bracketed({"PVT_T0": " ".join(f"{board.chip_c[no % 4]:g}" for no in range(board.chips))})
    match command:
        case "version":
            row: Body = {"CGMiner": "4.11.1", "API": "3.7", "PROD": "Avalon Q", "MODEL": "Q", "HWTYPE": "Q_MM1v1_X1"}
            return table("VERSION", [row | {"MAC": unit.mac, "DNA": "0201"}])
        case "stats":
            row = {"STATS": 0, "ID": "AVALON0", "Elapsed": unit.uptime_sec}
            row |= {"MM ID0:Summary": f"'STATS':{{{_bracketed(said)}}}", "HBinfo": f"'HB0':{{{chips}}}"}
            return table("STATS", [row])
        case "summary":
            return _summary(unit)
        case "pools":
            return table("POOLS", pool_rows(unit))
    return None


def _avalon_modules(unit: Unit, command: str, _: str) -> Body | None:
    """An Avalon 9: modules on two controllers, each of which counts from 1."""
    if command == "summary":
        return _summary(unit)
    if command == "version" and unit.memory.get("says_version"):
        return table("VERSION", [{"CGMiner": "4.10.0", "API": "3.7", "PROD": "AvalonMiner 921", "MODEL": "921"}])
    if command != "stats":
        return table("POOLS", pool_rows(unit)) if command == "pools" else None
    texts = [
        _bracketed(
            {
                "Ver": "9211801-0a1b2c3",
                "Temp": 24,
                "TMax": f"{max(board.chip_c):g}",
                "Fan": unit.fans[no],
                "GHSmm": board.nominal_ths * 1000,
                "WU": round(board.ths * 1000 * WORK_PER_GHS, 2),
            }
        )
        for no, board in enumerate(unit.boards)
    ]
    half = len(texts) // 2
    rows = [
        {"STATS": no, "ID": f"AV9{no}", **{f"MM ID{place}": text for place, text in enumerate(part, 1)}}
        for no, part in enumerate((texts[:half], texts[half:]))
    ]
    return table("STATS", rows)


def _bosminer(unit: Unit, command: str, _: str) -> Body | None:  # noqa: PLR0911 - one a command
    """Braiins OS without its web page: four connectors for two fans, no statistics."""
    match command:
        case "version":
            return table("VERSION", [{"API": "3.7", "BOSminer+": "0.2.0-0a1b2c3"}])
        case "summary":
            return _summary(unit)
        case "temps":
            return table(
                "TEMPS", [{"ID": no, "Board": max(b.pcb_c), "Chip": 0.0} for no, b in enumerate(unit.boards, 6)]
            )
        case "fans":
            return table("FANS", [{"FAN": no, "RPM": rpm, "Speed": 40} for no, rpm in enumerate([*unit.fans, 0, 0])])
        case "devs":
            rows = [
                {"ASC": no, "MHS 1m": b.ths * 1e6, "Nominal MHS": b.nominal_ths * 1e6}
                for no, b in enumerate(unit.boards)
            ]
            return table("DEVS", rows)
        case "devdetails":
            return table("DEVDETAILS", [{"DEVDETAILS": 0, "Model": unit.model}])
    return None


def _older_whatsminer(unit: Unit, command: str, _: str) -> Body | None:
    """Firmware of 2019: no chips, no power, no factory figure."""
    match command:
        case "summary":
            fans = {"Fan Speed In": unit.fans[0], "Fan Speed Out": unit.fans[1]}
            return _summary(unit, Temperature=max(unit.boards[0].pcb_c), **fans)
        case "devdetails":
            return table("DEVDETAILS", [{"DEVDETAILS": 0, "Name": "SM", "Driver": "bitmicro", "Model": unit.model}])
        case "get_version":
            return {"STATUS": "S", "Code": 131, "Msg": {"api_ver": "1.4.0", "fw_ver": "20190601.1.REL"}}
        case "pools":
            return table("POOLS", pool_rows(unit))
    return None


def _without_summary(unit: Unit, command: str, _: str) -> Body | None:
    """A rebuilt firmware on an S19 that answers `stats` alone."""
    if command == "version":
        return table("VERSION", [{"BMMiner": "4.11.1", "API": "3.1", "Type": f"{unit.model} v.2.5.0.1 "}])
    if command != "stats":
        return None
    row: Body = {"Elapsed": unit.uptime_sec, "GHS 5s": unit.ths * 1000, "GHS av": 2 * unit.ths * 1000, "fan_num": 4}
    row |= {f"fan{no}": rpm for no, rpm in enumerate(unit.fans, 1)} | {"miner_count": 3}
    for no, board in enumerate(unit.boards, 1):
        row |= {f"chain_acn{no}": board.chips, f"chain_rate{no}": board.ths * 1000}
        row |= {f"temp_chip{no}": corners(board.chip_c), f"temp_pcb{no}": corners(board.pcb_c)}
    return table("STATS", [{"Type": unit.model}, row])


def _not_quite_json(unit: Unit, raw: bytes) -> bytes | None:
    """`nan` for a missing rate, and needlessly escaped quotes."""
    if json.loads(raw.strip(b"\0"))["command"] != "summary":
        return None
    row = f'{{"Elapsed":{unit.uptime_sec},"MHS av":nan,"MHS 5s":{unit.ths * 1e6},"Firmware":"\\\'x\\\'"}}'
    return f'{{"STATUS":[{{"STATUS":"S","Code":11,"Msg":"Summary"}}],"SUMMARY":[{row}],"id":1}}'.encode()


HOME_AVALON = Make(_home_avalon)
AVALON_MODULES = Make(_avalon_modules)
BOSMINER = Make(_bosminer)
OLDER_WHATSMINER = Make(_older_whatsminer)
WITHOUT_SUMMARY = Make(_without_summary)
NOT_QUITE_JSON = Make(_older_whatsminer, raw=_not_quite_json)


def home_avalon() -> Unit:
    return unit_of("Avalon Q", ths=84, boards=1, chips=160, fans=4, power_w=1550, password="", chip_c=78)


def avalon_modules() -> Unit:
    return unit_of("Avalon 921", ths=80, boards=4, chips=104, fans=4, power_w=6800, password="", chip_c=94)


def s9() -> Unit:
    return unit_of(
        "Antminer S9", ths=13.5, boards=3, chips=63, fans=2, power_w=1323, password="", pcb_c=75, sensor="board"
    )


def m20s() -> Unit:
    return unit_of("M20S_V10", ths=65, boards=3, chips=105, fans=2, power_w=3360, password="", pcb_c=75, sensor="board")


def s19() -> Unit:
    return unit_of("Antminer S19", ths=95, boards=3, chips=76, fans=4, power_w=3250, password="", chip_c=72, pcb_c=67)
