"""Stock Antminers: `stats` in three generations, and a web page behind a digest password."""

import json
from typing import Any

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.sockets import digest_refusal, knows_password
from tests.edge.makes.unit import Make, Request, Response, Unit, corners

REALM = "antMiner Configuration"
BUILT = {
    "S9": "Thu Jun  7 10:12:09 CST 2018",
    "old": "Tue Dec  6 16:12:30 CST 2022",
    "new": "Wed Aug 16 09:30:11 CST 2023",
}
_FIRST_CHAIN = {"S9": 6, "old": 1, "new": 1}


def _about(unit: Unit) -> Body:
    built = BUILT[unit.memory.get("generation", "old")]
    return {"BMMiner": "1.0.0", "CompileTime": built, "Miner": "49.0.1.3", "Type": unit.model}


def _rates(unit: Unit) -> Body:
    return {"GHS 5s": round(unit.ths * 1000, 2), "GHS av": round(unit.ths * 1000, 2)}


def _chains(unit: Unit) -> Body:
    generation = unit.memory.get("generation", "old")
    fields: Body = {}
    for no, board in enumerate(unit.boards, _FIRST_CHAIN[generation]):
        fields |= {
            f"chain_acn{no}": board.chips,
            f"chain_acs{no}": " " + "o" * board.chips,
            f"chain_hw{no}": unit.hw_errors // len(unit.boards),
            f"chain_rate{no}": f"{board.ths * 1000:.2f}" if board.chips else "",
        }
        if generation == "S9":  # one figure of the board, one of its hottest chip
            fields |= {f"temp{no}": max(board.pcb_c), f"temp2_{no}": max(board.chip_c)}
            fields |= {f"freq_avg{no}": unit.frequency_mhz, f"chain_consumption{no}": 0}
            continue
        fields |= {
            f"freq{no}": round(unit.frequency_mhz),
            f"temp_pcb{no}": corners(board.pcb_c),
            f"temp_chip{no}": corners(board.chip_c),
            f"temp_pic{no}": corners([temp - 10 if temp > 0 else temp for temp in board.pcb_c]),
            f"temp{no}": max(board.pcb_c),
            f"temp2_{no}": max(board.chip_c),
        }
    spare = len(unit.boards) + 1
    if generation == "S9":  # it lists sixteen connectors, whatever is connected
        for no in (*range(1, 6), *range(9, 17)):
            fields |= {
                f"chain_acn{no}": 0,
                f"chain_rate{no}": "",
                f"temp{no}": 0,
                f"temp2_{no}": 0,
                f"freq_avg{no}": 0.0,
            }
    else:  # a connector without a board
        fields |= {f"chain_acn{spare}": 0, f"chain_rate{spare}": "", f"freq{spare}": 0}
        fields |= {f"temp_pcb{spare}": "0-0-0-0", f"temp_chip{spare}": "0-0-0-0", f"temp_pic{spare}": "0-0-0-0"}
    return fields


def _stats(unit: Unit) -> Body:
    rest = {"STATS": 0, "ID": "BTM_SOC0", "Elapsed": unit.uptime_sec, **_rates(unit), "miner_count": len(unit.boards)}
    if unit.memory.get("generation") == "S9":  # its fans are numbers 3 and 6 of eight connectors
        fans = {f"fan{no}": 0 for no in range(1, 9)} | dict(zip(("fan3", "fan6"), unit.fans, strict=True))
    else:
        fans = {f"fan{no}": rpm for no, rpm in enumerate(unit.fans, 1)}
    rest |= {"fan_num": len(unit.fans), **fans, "temp_num": len(unit.boards), **_chains(unit), "temp_max": 0}
    rest |= {
        "frequency": round(unit.frequency_mhz),
        "total_rateideal": round(unit.nominal_ths * 1000, 2),
        "rate_unit": "GH",
    }
    return table("STATS", [_about(unit), rest], program="cgminer 1.0.0")


def rpc(unit: Unit, command: str, _: str) -> Body | None:
    match command:
        case "version":
            return table("VERSION", [{"API": "3.1", **_about(unit)}])
        case "summary":
            counts = {"Accepted": 4057, "Rejected": 11, "Hardware Errors": unit.hw_errors}
            return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **_rates(unit), **counts}])
        case "stats":
            return _stats(unit)
        case "pools":
            return table("POOLS", pool_rows(unit))
    return None


def web(unit: Unit, request: Request) -> Response:
    if not knows_password(request, unit):
        return digest_refusal(REALM)
    page = request.path.removeprefix("/cgi-bin/").removesuffix(".cgi")
    is_s9 = unit.memory.get("generation") == "S9"
    if page == "miner_type" and is_s9:
        return Response("", 404)
    if page == "set_miner_conf" and request.method == "POST":
        return Response(_configured(unit, json.loads(request.body)))
    if page in ("reboot", "blink"):
        (unit.reboot if page == "reboot" else unit.actions.append)(page)
        return Response({"code": "B000" if page == "blink" else "", "stats": "success"})
    fields = _pages(unit).get(page)
    return Response("", 404) if fields is None else Response(fields)


def _pages(unit: Unit) -> dict[str, Any]:
    conf = unit.memory.setdefault("conf", _conf(unit))
    who = {
        "minertype": unit.model,
        "hostname": "antminer",
        "macaddr": unit.mac,
        "system_filesystem_version": BUILT["new"],
    }
    pages = {
        "miner_type": {"miner_type": unit.model, "subtype": "AMLCtrl_BHB42601", "fw_version": BUILT["new"]},
        "get_system_info": {**who, "serinum": f"SN{unit.mac.replace(':', '')}"},
        "get_miner_conf": conf,
        "get_blink_status": {"blink": False},
        "summary": {
            "STATUS": {"STATUS": "S"},
            "INFO": {"type": unit.model, **_about(unit)},
            "SUMMARY": [{"status": []}],
        },
    }
    if unit.memory.get("generation") != "S9":
        pages["stats"] = {"STATUS": {"STATUS": "S"}, "INFO": {"type": unit.model}, "STATS": [_web_stats(unit)]}
    return pages


def _web_stats(unit: Unit) -> Body:
    chains = [
        {
            "index": no,
            "freq_avg": round(unit.frequency_mhz),
            "rate_ideal": board.nominal_ths * 1000,
            "rate_real": board.ths * 1000,
            "asic_num": board.chips,
            "temp_pic": [0, 0, 0, 0],
            "temp_pcb": board.pcb_c,
            "temp_chip": board.chip_c,
            "hw": 0,
        }
        for no, board in enumerate(unit.boards)
    ]
    return {"elapsed": unit.uptime_sec, "fan_num": len(unit.fans), "fan": unit.fans, "chain": chains}


def _conf(unit: Unit) -> Body:
    pools = [{"url": pool.url, "user": pool.user, "pass": pool.password} for pool in unit.pools]
    return {
        "pools": pools,
        "bitmain-fan-ctrl": False,
        "bitmain-fan-pwm": "100",
        "bitmain-work-mode": "0",
        "freq-level": "100",
    }


def _configured(unit: Unit, given: Body) -> Body:
    conf = unit.memory.setdefault("conf", _conf(unit))
    if given.get("pools", conf["pools"]) != conf["pools"]:
        unit.set_pools("pools", [(pool["url"], pool["user"], pool["pass"]) for pool in given["pools"]])
    conf |= given
    mode = str(given.get("miner-mode", given.get("bitmain-work-mode", "")))
    conf["bitmain-work-mode"] = mode or conf["bitmain-work-mode"]
    if mode == "1":
        unit.stop("set_miner_conf: sleep")
    elif mode:
        unit.start(f"set_miner_conf: mode {mode}")
    else:
        unit.actions.append("set_miner_conf")
    return {"stats": "success", "code": "M000", "msg": "OK!"}


STOCK = Make(rpc, web)
STOCK_WITHOUT_PAGE = Make(rpc)
