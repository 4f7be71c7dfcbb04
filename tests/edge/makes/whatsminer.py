"""Whatsminers: btminer's API 1 and 2 on port 4028, API 3 on port 4433. Actions are encrypted with the password."""

import base64
import hashlib
import json
import secrets
from typing import Any

from hashinsight.wire.btminer_crypt import NotEncrypted, decrypt, encrypt, md5_crypt
from tests.edge.makes.cgminer import Body, pool_rows, table
from tests.edge.makes.unit import Make, Unit

SALT = "uhCiDyVj"
FIRMWARES = {1: "20210322.22.REL", 2: "20230803.11.REL", 3: "20251209.16.Rel2"}


def _message(message: Any, *, letter: str = "S", code: int = 131) -> Body:
    return {"STATUS": letter, "When": 1_800_000_000, "Code": code, "Msg": message, "Description": ""}


def _summary(unit: Unit) -> Body:
    chips = [temp for board in unit.boards if not board.is_dead for temp in board.chip_c]
    row = {
        "Elapsed": unit.uptime_sec,
        "MHS av": unit.ths * 1e6,
        "HS RT": unit.ths * (1 if unit.memory.get("total_in_ths") else 1e6),
        "MHS 5s": unit.ths * 1e6,
        "Accepted": 4057,
        "Rejected": 11,
        "Temperature": max(max(board.pcb_c) for board in unit.boards),
        "freq_avg": round(unit.frequency_mhz),
        "Fan Speed In": unit.fans[0],
        "Fan Speed Out": unit.fans[1],
        "Power": round(unit.power_w),
        "Power Limit": round(unit.power_w * 1.05),
        "Power Mode": unit.memory.get("mode", "Normal"),
        "Uptime": unit.uptime_sec,
        "Hash Stable": True,
        "Target Freq": round(unit.frequency_mhz),
        "Target MHS": round(unit.nominal_ths * 1e6),
        "Factory GHS": round(unit.rated_ths * 1000),
        "Env Temp": 25.0,
        "MAC": unit.mac.upper(),
        "Chip Temp Min": min(chips),
        "Chip Temp Max": max(chips),
        "Chip Temp Avg": round(sum(chips) / len(chips), 2),
        "Error Code Count": 0,
    }
    return table("SUMMARY", [row])


def _devs(unit: Unit) -> Body:
    """A board of an M60S reports only its own temperature; its chips are in the summary."""
    rows = []
    for no, board in enumerate(unit.boards):
        row = {
            "ASC": no,
            "Slot": no,
            "Enabled": "Y",
            "Status": "Dead" if board.is_dead else "Alive",
            "Temperature": max(board.pcb_c),
            "Frequency": unit.frequency_mhz,
            "MHS av": board.ths * 1e6,
            "MHS 5s": board.ths * 1e6,
            "Hardware Errors": 4,
            "Effective Chips": board.chips,
            "PCB SN": f"PCB{no}",
            "Factory GHS": round(unit.rated_ths * 1000 / len(unit.boards)),
            "Chip Temp Min": min(board.chip_c),
            "Chip Temp Max": max(board.chip_c),
            "Chip Temp Avg": round(sum(board.chip_c) / len(board.chip_c), 2),
        }
        if unit.memory.get("chips_in_summary_only"):
            row = {name: value for name, value in row.items() if not name.startswith("Chip Temp")}
        if board.is_dead and unit.memory.get("hides_dead_board"):
            continue
        rows.append(row)
    return table("DEVS", rows)


def rpc(unit: Unit, command: str, _: str) -> Body | None:
    off, firmware = str(unit.is_stopped).lower(), FIRMWARES[unit.memory["api"]]
    boards = range(len(unit.boards))
    messages = {
        "get_version": {"api_ver": "2.0.5", "fw_ver": firmware, "platform": "H616", "chip": "K10"},
        "get_miner_info": {"mac": unit.mac, "hostname": "WhatsMiner", "ledstat": "auto"},
        "get_psu": {"name": "P221B", "fan_speed": "6700", "serial_no": "PSU1"},
        "get_error_code": {"error_code": []},
        "status": {"btmineroff": off, "mineroff": off, "Firmware Version": firmware},
    }
    tables = {
        "summary": lambda: _summary(unit),
        "devs": lambda: _devs(unit),
        "edevs": lambda: _devs(unit),
        "devdetails": lambda: table(
            "DEVDETAILS", [{"ID": no, "Driver": "bitmicro", "Model": unit.model} for no in boards]
        ),
        "pools": lambda: table("POOLS", pool_rows(unit)),
        "get_token": lambda: _token(unit),
    }
    if command in messages:
        return _message(messages[command])
    return tables[command]() if command in tables else None


def _token(unit: Unit) -> Body:
    salt = unit.memory.setdefault("salt", "BQ5hoXV9")
    fresh, stamp = secrets.token_hex(4), "0000"
    key = md5_crypt(unit.password, salt)
    unit.memory.setdefault("tokens", set()).add(md5_crypt(key + stamp, fresh))
    return _message({"time": stamp, "salt": salt, "newsalt": fresh}, code=134)


def sealed(unit: Unit, raw: bytes) -> bytes | None:
    """An action; one encrypted with another password cannot be decrypted, as on the machine."""
    if b'"enc"' not in raw:
        return None
    key = md5_crypt(unit.password, unit.memory.setdefault("salt", "BQ5hoXV9"))
    try:
        request = json.loads(decrypt(key, json.loads(raw)["data"]))
    except (NotEncrypted, ValueError):
        return json.dumps(_message("enc json load err", letter="E", code=23)).encode()
    if request.get("token") not in unit.memory.get("tokens", ()):
        return json.dumps(_message("check token err", letter="E", code=135)).encode()
    command = request.get("cmd") or request.get("command")
    if command == "power_off":
        unit.stop(command)
    elif command == "power_on":
        unit.start(command)
    elif command == "update_pools":
        unit.set_pools(
            command, [(request[f"pool{no}"], request[f"worker{no}"], request[f"passwd{no}"]) for no in (1, 2, 3)]
        )
    elif command == "reboot":
        unit.reboot(command)
    elif command != "get_version":
        unit.actions.append(str(command))
    return json.dumps({"enc": encrypt(key, json.dumps(_message("API command OK")).encode())}).encode()


def rpc_v3(unit: Unit, request: Body) -> Body:
    command, what = request.get("cmd"), request.get("param")
    unit.queries.append(f"{command} {what}")
    message: Any = {}
    if command == "get.device.info":
        message = {
            "miner": {
                "type": unit.model,
                "working": str(not unit.is_stopped).lower(),
                "miner-sn": "SNM60S",
                "board-num": "3",
            },
            "network": {"mac": unit.mac.upper(), "hostname": "WhatsMiner"},
            "power": {"mode": "1", "fanspeed": 6700},
            "system": {"api": "3.0.2", "fwversion": FIRMWARES[3], "ledstatus": "auto", "platform": "H616"},
            "salt": SALT,
            "error-code": [],
        }
    elif command == "get.miner.status" and what == "summary":
        message = {"summary": _v3_summary(unit)}
    elif command == "get.miner.status" and what == "edevs":
        message = {"edevs": [_v3_board(unit, no) for no in range(len(unit.boards))]}
    elif command == "get.miner.status" and what == "pools":
        message = {"pools": [_v3_pool(unit, no) for no in range(len(unit.pools))]}
    elif command == "set.miner.service":
        return _v3_service(unit, request)
    elif str(command).startswith("set."):
        unit.actions.append(f"{command} {what}")
    return {"code": 0, "when": 1_800_000_000, "desc": command, "msg": message}


def _v3_service(unit: Unit, request: Body) -> Body:
    """The token is made of command, password, salt and time."""
    proof = f"{request['cmd']}{unit.password}{SALT}{request['ts']}".encode()
    if request.get("token") != base64.b64encode(hashlib.sha256(proof).digest()).decode()[:8]:
        return {"code": -2, "when": 1_800_000_000, "desc": request["cmd"], "msg": "invalid token"}
    (unit.stop if request["param"] == "stop" else unit.start)(f"set.miner.service {request['param']}")
    return {"code": 0, "when": 1_800_000_000, "desc": request["cmd"], "msg": "ok"}


def _v3_summary(unit: Unit) -> Body:
    chips = [temp for board in unit.boards if not board.is_dead for temp in board.chip_c]
    return {
        "elapsed": unit.uptime_sec,
        "hash-realtime": round(unit.ths, 3),
        "hash-average": round(unit.ths, 3),
        "factory-hash": unit.rated_ths,
        "power-realtime": unit.power_w,
        "power-limit": round(unit.power_w * 1.05),
        "board-temperature": [max(board.pcb_c) for board in unit.boards],
        "chip-temp-min": min(chips),
        "chip-temp-avg": round(sum(chips) / len(chips), 2),
        "chip-temp-max": max(chips),
        "environment-temperature": 25.0,
        "fan-speed-in": unit.fans[0],
        "fan-speed-out": unit.fans[1],
    }


def _v3_board(unit: Unit, no: int) -> Body:
    board = unit.boards[no]
    return {
        "id": no,
        "slot": no,
        "hash-average": round(board.ths, 3),
        "factory-hash": round(unit.rated_ths / len(unit.boards), 3),
        "freq": unit.frequency_mhz,
        "effective-chips": board.chips,
        "chip-temp-min": min(board.chip_c),
        "chip-temp-avg": round(sum(board.chip_c) / len(board.chip_c), 2),
        "chip-temp-max": max(board.chip_c),
    }


def _v3_pool(unit: Unit, no: int) -> Body:
    pool = unit.pools[no]
    state = "alive" if pool.is_alive else "dead"
    return {"id": no + 1, "url": pool.url, "status": state, "account": pool.user, "stratum-active": pool.is_active}


WHATSMINER = Make(rpc, raw=sealed)
WHATSMINER_V3 = Make(rpc, rpc_v3=rpc_v3, raw=sealed)
