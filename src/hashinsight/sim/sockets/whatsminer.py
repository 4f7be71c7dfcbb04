"""Whatsminer (btminer API 2 on port 4028), write commands: each is encrypted and carries a token."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

from hashinsight.sim.commands import Command, FaultLight, Pause, Restart, Resume, SetMode, SetPools, SetPowerLimit
from hashinsight.sim.plan import Pool
from hashinsight.sim.sockets import requests
from hashinsight.sim.sockets.cgminer import Body, as_json
from hashinsight.sim.sockets.machine import Machine
from hashinsight.sim.sockets.requests import CommandSet, Request, RequestError, encodable, parse_fields, parse_request
from hashinsight.sim.sockets.whatsminer_reads import READS, message
from hashinsight.wire.btminer_crypt import NotEncrypted, decrypt, encrypt, md5_crypt

PASSWORD = "admin"  # noqa: S105 - the factory default
TOKEN_SEC = 1800.0
MAX_TOKENS = 32
_SALT = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def fail(machine: Machine, code: int, text: str) -> Body:
    known = {14: "invalid cmd", 23: "invalid json", 24: "invalid cmd", 45: "permission denied"}
    return message(machine, known.get(code, text), letter="E", code=14 if code == 24 else code)  # noqa: PLR2004


def _salt() -> str:
    return "".join(secrets.choice(_SALT) for _ in range(8))


def _key(machine: Machine) -> str:
    if "key" not in machine.memory:
        machine.memory["salt"] = _salt()
        machine.memory["key"] = md5_crypt(PASSWORD, machine.memory["salt"])
    return str(machine.memory["key"])


async def get_token(machine: Machine, _: Request) -> Body:
    """Issues a token, valid for half an hour; a machine keeps the newest ones."""
    key, fresh, stamp = _key(machine), _salt(), str(int(machine.reading.at))[-4:]
    tokens = machine.memory.setdefault("tokens", {})
    tokens[md5_crypt(key + stamp, fresh)] = time.monotonic() + TOKEN_SEC
    for old in list(tokens)[:-MAX_TOKENS]:
        del tokens[old]
    return message(machine, {"time": stamp, "salt": machine.memory["salt"], "newsalt": fresh}, code=134)


async def _refuse_plain(machine: Machine, _: Request) -> Body:
    return fail(machine, 45, "permission denied")


def _text(fields: Mapping[str, Any], name: str) -> str:
    return encodable(str(fields.get(name, ""))).strip()


def _whole(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    text = _text(fields, name).removesuffix("%")
    value = float(text) if text.replace(".", "", 1).isdecimal() else -1.0
    if not low <= value <= high:
        raise RequestError(132, f"{name} must be from {low} to {high}")
    return round(value)


def _pools(_: Machine, fields: Mapping[str, Any]) -> Command:
    slots = [(_text(fields, f"pool{n}"), _text(fields, f"worker{n}"), _text(fields, f"passwd{n}")) for n in (1, 2, 3)]
    pools = tuple(Pool(url, worker, password or "x") for url, worker, password in slots if url)
    if not pools:
        raise RequestError(132, "pool1 is missing")
    return SetPools(pools)


def _percent(machine: Machine, fields: Mapping[str, Any]) -> Command:
    return SetPowerLimit(machine.identity.model.power_w * _whole(fields, "percent", 1, 100) / 100)


def _limit(machine: Machine, fields: Mapping[str, Any]) -> Command:
    return SetPowerLimit(float(_whole(fields, "power_limit", 0, round(machine.identity.model.power_w * 1.2))))


def _led(_: Machine, fields: Mapping[str, Any]) -> Command:
    if _text(fields, "param") == "auto":
        return FaultLight(on=False)
    if _text(fields, "color") not in ("red", "green"):
        raise RequestError(132, "color must be red or green")
    return FaultLight(on=True)


CommandParser = Callable[[Machine, Mapping[str, Any]], Command]
SEALED: dict[str, CommandParser] = {
    "power_off": lambda _, __: Pause(),
    "power_on": lambda _, __: Resume(),
    "reboot": lambda _, __: Restart(whole=True),
    "restart_btminer": lambda _, __: Restart(whole=False),
    "update_pools": _pools,
    "set_low_power": lambda _, __: SetMode("eco"),
    "set_normal_power": lambda _, __: SetMode("normal"),
    "set_high_power": lambda _, __: SetMode("perf"),
    "set_power_pct": _percent,
    "adjust_power_limit": _limit,
    "set_led": _led,
}
COMMANDS = CommandSet(READS, {"get_token": get_token, **dict.fromkeys(SEALED, _refuse_plain)}, fail)


async def answer(machine: Machine, raw: bytes) -> bytes:
    sealed = _sealed_text(raw)
    return await (requests.answer(COMMANDS, machine, raw) if sealed is None else _open(machine, sealed))


def _sealed_text(raw: bytes) -> str | None:
    if b'"enc"' not in raw:
        return None
    try:
        fields = json.loads(raw.strip(b" \t\r\n\0"))
    except (ValueError, RecursionError):
        return None
    data = fields.get("data") if isinstance(fields, dict) else None
    return data if isinstance(data, str) else None


async def _open(machine: Machine, sealed: str) -> bytes:
    """A request with a wrong key gets a plain error; all others an answer encrypted with the same key."""
    key = _key(machine)
    try:
        request = parse_request(decrypt(key, sealed))
    except NotEncrypted:
        return as_json(fail(machine, 137, "base64 decode error"))
    except RequestError:
        return as_json(fail(machine, 135, "check token err"))
    if machine.memory.get("tokens", {}).get(_text(request.fields, "token"), 0.0) < time.monotonic():
        return as_json(fail(machine, 135, "check token err"))
    body = await _execute(machine, parse_fields(request.fields))
    machine.forget()
    return as_json({"enc": encrypt(key, json.dumps(body).encode())})


async def _execute(machine: Machine, request: Request) -> Body:
    command = request.commands[0]
    parser = SEALED.get(command)
    if parser is None:
        return await requests.answer_one(COMMANDS, machine, command, request)
    try:
        refused = await machine.execute(parser(machine, request.fields))
    except RequestError as problem:
        return fail(machine, problem.code, str(problem))
    return message(machine, "API command OK") if refused is None else fail(machine, 132, refused.reason)
