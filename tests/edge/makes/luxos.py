"""LuxOS on an Antminer: everything on port 4028; every temperature is of the board, by corner."""

from collections.abc import Callable

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Make, Unit, corners

PROGRAM = "LUXminer 2025.4.8.220305"
LIMITS = {"Target": 55, "Hot": 65, "Dangerous": 70}
_WRITES = (
    *("curtail", "logon", "logoff", "rebootdevice", "resetminer", "ledset"),
    *("addpool", "removepool", "switchpool", "addgroup", "removegroup"),
)


def _rates(unit: Unit) -> Body:
    return {"GHS 5s": round(unit.ths * 1000, 2), "GHS av": round(unit.ths * 1000, 2)}


def _stats(unit: Unit) -> Body:
    row: Body = {"STATS": 0, "ID": "BTM_SOC0", "Elapsed": unit.uptime_sec, **_rates(unit), "miner_count": 3}
    row |= {"fan_num": len(unit.fans), **{f"fan{no}": rpm for no, rpm in enumerate(unit.fans, 1)}}
    for no, board in enumerate(unit.boards, 1):
        place = corners(board.pcb_c)  # the board's own corners under every name
        row |= {f"temp_pcb{no}": place, f"temp_chip{no}": place, f"temp_pic{no}": place}
        row |= {f"chain_acn{no}": board.chips, f"chain_rate{no}": f"{board.ths * 1000:.2f}", f"freq{no}": 500.0}
        row |= {f"temp{no}": max(board.pcb_c), f"temp2_{no}": max(board.pcb_c)}
    row |= {"temp_max": max(max(board.pcb_c) for board in unit.boards), "rate_unit": "GH"}
    return table("STATS", [{"Type": unit.model, "Miner": "2025.4.8.220305"}, row], program=PROGRAM)


def _temps(unit: Unit) -> list[Body]:
    names = ("TopRight", "BottomRight", "TopLeft", "BottomLeft")  # intake, intake, exhaust, exhaust
    return [
        {"ID": no, "TEMP": no, **dict(zip(names, board.pcb_c, strict=True))} for no, board in enumerate(unit.boards)
    ]


def _devs(unit: Unit) -> list[Body]:
    return [
        {
            "ASC": no,
            "Board": f"Board {no}",
            "ID": no,
            "Enabled": "Y",
            "Status": "Dead" if board.is_dead else "Alive",
            "Temperature": max(board.pcb_c),
            "MHS 5s": board.ths * 1e6,
            "MHS av": board.ths * 1e6,
            "Nominal MHS": 0.0 if board.is_dead else board.nominal_ths * 1e6,
            "Hardware Errors": 0,
            "SerialNumber": f"BHB{no}",
        }
        for no, board in enumerate(unit.boards)
    ]


def _config(unit: Unit) -> Body:
    return {
        "OS": "LuxOS",
        "ControlBoardType": "AmLogic",
        "CurtailMode": "Sleep" if unit.is_stopped else "None",
        "Hostname": "lux",
        "MACAddr": unit.mac,
        "Model": unit.model,
        "Profile": unit.preset or "default",
        "RedLed": "auto",
        "SerialNumber": f"SN{unit.mac.replace(':', '')}",
        "SystemStatus": "Idle: Sleep mode" if unit.is_stopped else "Initialization finished",
    }


def _profiles(unit: Unit) -> list[Body]:
    set_to = {"Profile Name": unit.preset, "Hashrate": round(unit.nominal_ths, 1), "Watts": round(unit.power_w)}
    stock = {"Profile Name": "default", "Hashrate": unit.rated_ths, "Watts": round(unit.power_w)}
    return [stock, set_to] if unit.preset else [stock]


def rpc(unit: Unit, command: str, parameter: str) -> Body | None:  # noqa: PLR0911 - one a command
    match command:
        case "version":
            row = {"API": "3.7", "LUXminer": "2025.4.8.220305", "Miner": "2025.4.8.220305", "Type": unit.model}
            return table("VERSION", [row], program=PROGRAM)
        case "summary":
            counts = {"Accepted": 4057, "Rejected": 11, "Hardware Errors": unit.hw_errors}
            return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **_rates(unit), **counts}], program=PROGRAM)
        case "stats":
            return _stats(unit)
        case "power":
            return table("POWER", [{"PSU": True, "Watts": round(unit.power_w)}])
        case "voltageget":
            return table("VOLTAGE", [{"Board": int(parameter[:1] or 0), "Voltage": 13.7}])
        case "session":
            return table("SESSION", [{"SessionID": unit.memory.get("session", "")}])
        case _ if command in _WRITES:
            return _told(unit, command, parameter)
    rows: dict[str, Callable[[], list[Body]]] = {
        "temps": lambda: _temps(unit),
        "devs": lambda: _devs(unit),
        "pools": lambda: [{**row, "GROUP": 0} for row in pool_rows(unit)],
        "groups": lambda: [{"GROUP": 0, "Name": "default", "Quota": 1}],
        "fans": lambda: [{"FAN": no, "ID": no, "RPM": rpm, "Speed": 60} for no, rpm in enumerate(unit.fans)],
        "config": lambda: [_config(unit)],
        "profiles": lambda: _profiles(unit),
        "tempctrl": lambda: [{"Mode": "Automatic", **LIMITS}],
        "events": list,
    }
    return table(command.upper(), rows[command](), program=PROGRAM) if command in rows else None


def _told(unit: Unit, command: str, parameter: str) -> Body | None:
    """Refused if the test has marked it broken."""
    if f"{command} {parameter.rpartition(',')[2]}" in unit.memory.get("broken", ()):
        return None
    if command == "logon":
        unit.memory["session"] = "abcdef01"
        return table("SESSION", [{"SessionID": "abcdef01"}])
    if command == "curtail" and parameter.endswith("sleep") and unit.memory.get("stops_late"):
        unit.actions.append(f"curtail {parameter}")
    elif command == "curtail" and parameter.endswith("sleep"):
        unit.stop(f"curtail {parameter}")
    elif command == "curtail":
        unit.start(f"curtail {parameter}")
    elif command == "rebootdevice":
        unit.reboot(command)
    elif command == "removegroup":
        unit.pools = []
    elif command == "addpool":
        url, user, password, _ = parameter.split(",")
        unit.set_pools(command, [(pool.url, pool.user, pool.password) for pool in unit.pools] + [(url, user, password)])
    elif command not in ("logoff", "addgroup"):
        unit.actions.append(f"{command} {parameter}".strip())
    return table(command.upper(), [{}])


LUXOS = Make(rpc)
