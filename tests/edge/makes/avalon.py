"""Avalons: cgminer with one long bracketed text for the boards, `MM ID0`."""

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Make, Unit


def _number(unit: Unit) -> str:
    return unit.model.removeprefix("Avalon ").removeprefix("A")


def _listed(values: list[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def _text(unit: Unit) -> str:
    """MTmax has the hottest chip of each board; PVT_T lists them all."""
    alive = [board for board in unit.boards if not board.is_dead]
    fields: Body = {
        "Ver": f"{_number(unit)}-83-21072802",
        "SYSTEMSTATU": f"Work: {'In Idle' if unit.is_stopped else 'In Work'}, Hash Board: {len(alive)} ",
        "Elapsed": unit.uptime_sec,
        "HW": unit.hw_errors,
        "ITemp": 25,
        "TMax": f"{max(max(board.chip_c) for board in unit.boards):g}",
        "TAvg": f"{sum(board.chip_c[0] for board in unit.boards) / len(unit.boards):.0f}",
        **{f"Fan{no}": rpm for no, rpm in enumerate(unit.fans, 1)},
        "FanR": "72%",
        "PS": f"0 1214 1316 242 {round(unit.power_w)} 1320 {round(unit.power_w * 1.1)}",
        "GHSspd": round(unit.ths * 1000, 2),
        "GHSmm": round(unit.nominal_ths * 1000, 2),
        "GHSavg": round(unit.ths * 1000, 2),
        "Freq": unit.frequency_mhz,
        "Led": 0,
        "MGHS": " ".join(f"{board.ths * 1000:.2f}" for board in unit.boards),
        "MTmax": _listed([max(board.chip_c) for board in unit.boards]),
        "MTavg": _listed([sum(board.chip_c) / len(board.chip_c) for board in unit.boards]),
        "SoftOFF": int(unit.is_stopped),
        "WORKMODE": 1,
    }
    for no, board in enumerate(unit.boards):
        temps = [board.chip_c[chip % len(board.chip_c)] for chip in range(board.chips)]
        fields[f"PVT_T{no}"] = _listed(temps + [0.0] * (board.chips_fitted - board.chips))
        fields[f"MW{no}"] = _listed([600.0] * board.chips + [0.0] * (board.chips_fitted - board.chips))
    return " ".join(f"{name}[{value}]" for name, value in fields.items())


def rpc(unit: Unit, command: str, parameter: str) -> Body | None:  # noqa: PLR0911 - one a command
    rates = dict.fromkeys(("MHS av", "MHS 5s", "MHS 1m", "MHS 5m"), unit.ths * 1e6)
    counts = {"Accepted": 4057, "Rejected": 11, "Hardware Errors": unit.hw_errors}
    number = _number(unit)
    match command:
        case "version":
            row = {"CGMiner": "4.11.1", "API": "3.7", "PROD": f"AvalonMiner {number}", "MODEL": number}
            row |= {
                "HWTYPE": "MM4v1_X3",
                "SWTYPE": "MM319",
                "VERSION": "21072802_4ec6bb0",
                "MAC": unit.mac.replace(":", ""),
            }
            return table("VERSION", [row | {"DNA": f"0201{unit.mac.replace(':', '')}", "UPAPI": "2"}])
        case "summary":
            return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **rates, **counts}])
        case "devs":
            return table(
                "DEVS", [{"ASC": 0, "Name": "AVA10", "Status": "Alive", "Temperature": -273.0, **rates, **counts}]
            )
        case "stats":
            rows = [{"STATS": 0, "ID": "AVA100", "Elapsed": unit.uptime_sec, "MM Count": 1, "MM ID0": _text(unit)}]
            return table("STATS", rows)
        case "pools":
            return table("POOLS", pool_rows(unit))
        case "ascset":
            return _told(unit, parameter)
    return None


def _told(unit: Unit, parameter: str) -> Body:
    if "softoff" in parameter:
        unit.stop(f"ascset {parameter}")
    elif "softon" in parameter:
        unit.start(f"ascset {parameter}")
    else:
        unit.actions.append(f"ascset {parameter}")
    state = {"STATUS": "S", "When": 1, "Code": 119, "Msg": "ASC 0 set OK", "Description": "cgminer 4.11.1"}
    return {"STATUS": [state], "id": 1}


AVALON = Make(rpc)
