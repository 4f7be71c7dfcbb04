"""VNish on an Antminer: everything on its web page, a preset with its own figure, chips by board."""

import json
from typing import Any

from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Board, Make, Request, Response, Unit

TOKEN = "token-of-this-session"


def rpc(unit: Unit, command: str, _: str) -> Body | None:
    match command:
        case "version":
            return table("VERSION", [{"API": "3.1", "Miner": "VNish 1.2.7", "Type": f"{unit.model} (VNish)"}])
        case "summary":
            rates = {"GHS 5s": unit.ths * 1000, "GHS av": unit.ths * 1000}
            return table("SUMMARY", [{"Elapsed": unit.uptime_sec, **rates, "Hardware Errors": unit.hw_errors}])
        case "pools":
            return table("POOLS", pool_rows(unit))
    return None


def web(unit: Unit, request: Request) -> Response:
    path = request.path.removeprefix("/api/v1/")
    if request.path == "/":
        return Response("<html><title>AnthillOS</title></html>")
    if path == "info":
        return Response(_info(unit))
    if path == "unlock":
        is_right = json.loads(request.body).get("pw") == unit.password
        return Response({"token": TOKEN}) if is_right else Response({"err": "wrong password"}, 403)
    if request.headers.get("authorization", "").removeprefix("Bearer ") != TOKEN:
        return Response({"err": "locked"}, 401)
    if request.method == "POST":
        return _told(unit, path, request.body)
    page = _pages(unit).get(path)
    return Response({}, 404) if page is None else Response(page)


def _info(unit: Unit) -> Body:
    network = {"mac": unit.mac, "hostname": "anthill", "ip": unit.address, "dhcp": True}
    days, minutes = unit.uptime_sec // 86_400, unit.uptime_sec % 86_400 // 60
    clock = f"{minutes // 60}:{minutes % 60:02}"
    system = {"uptime": f"{days} days, {clock}" if days else clock, "network_status": network}
    who = {"miner": unit.model, "model": "s19", "fw_name": "Vnish", "fw_version": "1.2.7", "platform": "aml"}
    return {
        **who,
        "algorithm": "sha256d",
        "hr_measure": "GH/s",
        "serial": f"SN{unit.mac.replace(':', '')}",
        "system": system,
    }


def _told(unit: Unit, path: str, body: bytes) -> Response:
    if path in unit.memory.get("broken", ()):
        return Response({"err": "internal error"}, 500)
    pools = json.loads(body or b"{}").get("miner", {}).get("pools") if path == "settings" else None
    if pools:
        unit.set_pools(path, [(pool["url"], pool["user"], pool["pass"]) for pool in pools])
        return Response({"restart_required": True, "reboot_required": False})
    if path == "system/reboot":
        unit.reboot(path)
    elif path in ("mining/stop", "mining/pause"):
        unit.stop(path)
    elif path in ("mining/start", "mining/resume"):
        unit.start(path)
    else:
        unit.actions.append(f"{path} {body.decode()}".strip())
    return Response({"restart_required": False, "reboot_required": False})


def _range(values: list[float]) -> Body:
    return {"min": round(min(values)), "max": round(max(values))}


def _chain(no: int, board: Board) -> Body:
    return {
        "id": no,
        "frequency": 500.0,
        "voltage": 13_400,
        "power_consumption": 1000,
        "hashrate_ideal": board.nominal_ths * 1000,
        "hashrate_rt": board.ths * 1000,
        "hashrate_percentage": 100.0,
        "hw_errors": 0,
        "pcb_temp": _range(board.pcb_c),
        "chip_temp": _range(board.chip_c),
        "chip_statuses": {"red": board.chips_fitted - board.chips, "orange": 0, "grey": 0},
        "status": {"state": "failure" if board.is_dead else "mining"},
    }


def _chips(no: int, board: Board) -> Body:
    each = board.ths * 1000 / max(board.chips, 1)
    chips = [
        {
            "id": chip,
            "hr": each if chip < board.chips else 0.0,
            "temp": board.chip_c[chip % 4],
            "freq": 500,
            "volt": 300,
        }
        for chip in range(board.chips_fitted)
    ]
    rates = {"hr_realtime": board.ths * 1000, "hr_nominal": board.nominal_ths * 1000, "freq": 500.0}
    return {
        "id": no,
        **rates,
        "status": {"state": "failure" if board.is_dead else "mining"},
        "sensors": [],
        "chips": chips,
    }


def _pages(unit: Unit) -> dict[str, Any]:
    pools = [
        {
            "id": no,
            "url": pool.url,
            "user": pool.user,
            "status": ("active" if pool.is_active else "working") if pool.is_alive else "offline",
            "accepted": pool.accepted,
            "rejected": pool.rejected,
            "ping": 20,
        }
        for no, pool in enumerate(unit.pools)
    ]
    state = {"miner_state": "stopped" if unit.is_stopped else "mining", "miner_state_time": unit.uptime_sec}
    fans = [
        {"id": no, "rpm": rpm, "max_rpm": 6150, "status": "ok" if rpm else "lost"} for no, rpm in enumerate(unit.fans)
    ]
    miner = {
        "miner_type": f"{unit.model} (Vnish 1.2.7)",
        "miner_status": state,
        "hr_stock": unit.rated_ths * 1000,
        "hr_nominal": unit.nominal_ths * 1000,
        "hr_realtime": unit.ths * 1000,
        "hr_average": unit.ths * 1000,
        "power_consumption": round(unit.power_w),
        "pcb_temp": _range([temp for board in unit.boards for temp in board.pcb_c]),
        "chip_temp": _range([temp for board in unit.boards for temp in board.chip_c]),
        "cooling": {"fan_num": len(unit.fans), "fans": fans, "fan_duty": 60, "settings": {"mode": {"name": "auto"}}},
        "pools": pools,
        "chains": [_chain(no, board) for no, board in enumerate(unit.boards, 1)],
        "hw_errors": unit.hw_errors,
    }
    configured = [
        {"url": pool.url, "user": pool.user, "pass": pool.password, "order": no} for no, pool in enumerate(unit.pools)
    ]
    return {
        "status": {**state, "find_miner": False, "unlocked": True},
        "summary": {"miner": miner},
        "chains": [_chips(no, board) for no, board in enumerate(unit.boards, 1)],
        "chains/factory-info": {"hr_stock": unit.rated_ths * 1000, "psu_serial": "PSU1", "has_pics": True},
        "perf-summary": {"current_preset": {"name": unit.preset or "disabled", "status": "tuned"}},
        "settings": {"miner": {"pools": configured, "cooling": {"mode": {"name": "auto", "param": 75}}}},
    }


VNISH = Make(rpc, web)
