"""Braiins OS+: GraphQL on the web page in older versions, REST in newer ones; port 4028 reports its limits."""

import json
from typing import Any

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Board, Make, Request, Response, Unit

LIMITS = {"Target": 75.0, "Hot": 90.0, "Dangerous": 100.0}
TOKEN = "token-of-this-session"


def rpc(unit: Unit, command: str, _: str) -> Body | None:
    chips = [max(board.chip_c) for board in unit.boards]
    boards = [max(board.pcb_c) for board in unit.boards]
    match command:
        case "version":
            return table("VERSION", [{"API": "3.7", "BOSer": "boser-buildroot 0.1.0"}])
        case "summary":
            rates = {"MHS 5s": unit.ths * 1e6, "MHS av": unit.ths * 1e6}
            return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **rates, "Hardware Errors": unit.hw_errors}])
        case "temps":
            rows = [{"ID": no, "TEMP": no, "Board": boards[no], "Chip": chips[no]} for no in range(len(chips))]
            return table("TEMPS", rows)
        case "tempctrl":
            return table("TEMPCTRL", [{"Mode": "Automatic", **LIMITS}])
        case "pools":
            return table("POOLS", pool_rows(unit))
    return None


def web(unit: Unit, request: Request) -> Response:
    if request.path == "/":
        return Response("<html><title>Braiins OS</title></html>")
    if request.path == "/graphql":
        return Response(*_graphql(unit, json.loads(request.body)))
    if request.path.startswith("/cgi-bin/luci"):
        return Response([{"macaddr": unit.mac}])
    if request.path == "/api/v1/auth/login":
        is_right = json.loads(request.body).get("password") == unit.password
        return Response({"token": TOKEN, "timeout_s": 3600}) if is_right else Response({}, 401)
    if (
        request.path.startswith("/api/v1/")
        and request.headers.get("authorization", "").removeprefix("Bearer ") == TOKEN
    ):
        return _rest(unit, request, request.path.removeprefix("/api/v1/"))
    return Response({}, 401)


def _graphql(unit: Unit, message: Body) -> tuple[Body, int, dict[str, str]]:
    query = " ".join(str(message.get("query", "")).split())
    if "auth" in query and "login" in query:
        is_right = message.get("variables", {}).get("password") == unit.password
        return {"data": {"auth": {"login": {}}}}, 200, {"Set-Cookie": "session_id=s1; Path=/"} if is_right else {}
    if "mutation" in query:
        if "stop" in query or "pause" in query.lower():
            unit.stop("graphql stop")
        elif "start" in query or "resume" in query.lower():
            unit.start("graphql start")
        else:
            unit.actions.append("graphql " + query[:80])
        return {"data": {"bosminer": {"start": {"void": "ok"}, "stop": {"void": "ok"}}}}, 200, {}
    boards = [_solver(no, board, unit.memory["version"]) for no, board in enumerate(unit.boards, 1)]
    info = {
        "modelName": unit.model,
        "fans": [{"name": str(no), "rpm": rpm, "speed": 70} for no, rpm in enumerate(unit.fans)],
        "summary": {"power": {"approxConsumptionW": round(unit.power_w), "limitW": round(unit.power_w)}},
        "workSolver": {
            "nominalMhs": unit.nominal_ths * 1e6,
            "realHashrate": {"mhs5S": unit.ths * 1e6},
            "childSolvers": boards,
        },
        "poolGroups": [{"name": "main", "pools": [_gql_pool(unit, no) for no in range(len(unit.pools))]}],
    }
    bos = {"hostname": "bos", "faultLight": False, "uptime": {"durationS": unit.uptime_sec}}
    bos["info"] = {"version": {"full": unit.memory["version"]}}
    config = {"groups": [{"id": "0", "strategy": {"quota": 1}}], "autotuning": {"mode": "POWER_TARGET"}}
    return {"data": {"bos": bos, "bosminer": {"info": info, "config": config}, "events": {"appeals": []}}}, 200, {}


def _solver(no: int, board: Board, version: str) -> Body:
    """From 25.05 on each board reports four, of which the last two are the board's intake and exhaust."""
    heat = {"Board": max(board.pcb_c), "Chip": max(board.chip_c)}
    if "25.05" in version:
        heat = {"MAX_BOARD": max(board.pcb_c), "MAX_CHIP": max(board.chip_c)}
        heat |= {"INLET": min(board.pcb_c), "OUTLET": max(board.pcb_c)}
    return {
        "name": str(no),
        "nominalMhs": 0.0 if board.is_dead else board.nominal_ths * 1e6,
        "realHashrate": {"mhs5S": board.ths * 1e6},
        "hwDetails": {"chips": board.chips, "frequencyMhz": 500.0, "voltageV": 13.4, "hbSerialNumber": None},
        "temperatures": [{"name": name, "degreesC": temp_c} for name, temp_c in heat.items()],
    }


def _gql_pool(unit: Unit, no: int) -> Body:
    pool = unit.pools[no]
    shares = {"acceptedSolutions": pool.accepted, "rejectedSolutions": pool.rejected}
    state = "ALIVE" if pool.is_alive else "DEAD"
    return {"url": pool.url, "user": pool.user, "status": state, "active": pool.is_active, "shares": shares}


def _ghs(ths: float) -> Body:
    return {"gigahash_per_second": ths * 1000}


def _rest(unit: Unit, request: Request, path: str) -> Response:
    method = request.method
    if method in ("PUT", "POST", "PATCH", "DELETE"):
        if path == "pools/batch":
            groups = json.loads(request.body)
            unit.set_pools(path, [(pool["url"], pool["user"], pool["password"]) for pool in groups[0]["pools"]])
        elif path == "actions/reboot":
            unit.reboot(path)
        elif path == "actions/pause":
            unit.stop(path)
        elif path in ("actions/resume", "actions/start"):
            unit.start(path)
        else:
            unit.actions.append(f"{method} {path}")
        return Response({})
    page = _rest_pages(unit).get(path)
    return Response({}, 404) if page is None else Response(page)


def _rest_pages(unit: Unit) -> dict[str, Any]:
    pools = [
        {
            "uid": f"p{no}",
            "url": pool.url,
            "user": pool.user,
            "enabled": True,
            "active": pool.is_active,
            "alive": pool.is_alive,
            "stats": {"accepted_shares": pool.accepted, "rejected_shares": pool.rejected},
        }
        for no, pool in enumerate(unit.pools)
    ]
    chips = [max(board.chip_c) for board in unit.boards]
    stats = {"real_hashrate": {"last_5s": _ghs(unit.ths)}, "nominal_hashrate": _ghs(unit.nominal_ths)}
    return {
        "version": {"major": 1, "minor": 7, "patch": 0},
        "network": {"mac_address": unit.mac, "hostname": "bos"},
        "miner/details": {
            "bos_version": {"current": unit.memory["version"]},
            "sticker_hashrate": _ghs(unit.rated_ths),
            "status": 3 if unit.is_stopped else 2,
            "system_uptime_s": unit.uptime_sec,
            "serial_number": f"SN{unit.mac.replace(':', '')}",
        },
        "miner/stats": {
            "miner_stats": stats,
            "power_stats": {"approximated_consumption": {"watt": round(unit.power_w)}},
        },
        "miner/hw/hashboards": {"hashboards": [_hashboard(no, board) for no, board in enumerate(unit.boards, 1)]},
        "cooling/state": {
            "fans": [{"position": no, "rpm": rpm} for no, rpm in enumerate(unit.fans)],
            "highest_temperature": {"temperature": {"degree_c": max(chips)}},
        },
        "pools": [{"name": "main", "pools": pools}],
        "actions/locate": False,
        "configuration/miner": {"tuner": {"tuner_mode": 1, "power_target": {"watt": round(unit.power_w)}}},
        "performance/tuner-state": {},
    }


def _hashboard(no: int, board: Board) -> Body:
    stats = {"real_hashrate": {"last_5s": _ghs(board.ths)}}
    stats["nominal_hashrate"] = _ghs(0.0 if board.is_dead else board.nominal_ths)
    return {
        "id": str(no),
        "enabled": True,
        "chips_count": board.chips,
        "board_temp": {"degree_c": max(board.pcb_c)},
        "highest_chip_temp": {"temperature": {"degree_c": max(board.chip_c)}},
        "current_frequency": {"hertz": 5e8},
        "current_voltage": {"volt": 13.4},
        "stats": stats,
    }


BRAIINS = Make(rpc, web)
