"""LuxOS on Antminers, write commands: most need a session that the client opens with `logon`."""

import secrets
import time
from functools import partial

from hashinsight.sim.commands import (
    Command,
    FaultLight,
    Pause,
    Refusal,
    Restart,
    Resume,
    SetMode,
    SetPools,
    SetPowerLimit,
)
from hashinsight.sim.plan import Pool
from hashinsight.sim.sockets import requests
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import FIRMWARE, reply
from hashinsight.sim.sockets.luxos_reads import PROFILES, READS
from hashinsight.sim.sockets.machine import Machine
from hashinsight.sim.sockets.requests import CommandSet, Request, RequestError, whole_number

SESSION_SEC = 60.0  # LuxOS ends an idle session after this long, in real time at any simulation speed
MAX_POOLS = 3


def _session(machine: Machine) -> str:
    """The open session's id, or "". There is one at a time, as on the real firmware."""
    session, until = machine.memory.get("session", ("", 0.0))
    return session if until > time.monotonic() else ""


def _hold(machine: Machine, session: str) -> None:
    machine.memory["session"] = (session, time.monotonic() + SESSION_SEC)


async def logon(machine: Machine, _: Request) -> Body:
    if _session(machine):
        raise RequestError(402, "Another session is active")
    session = secrets.token_urlsafe(6)
    _hold(machine, session)
    return reply(machine, 316, "Session created", "SESSION", [{"SessionID": session}])


async def session_info(machine: Machine, _: Request) -> Body:
    return reply(machine, 319, "Session information", "SESSION", [{"SessionID": _session(machine)}])


async def logoff(machine: Machine, request: Request) -> Body:
    _within_session(machine, request)
    machine.memory.pop("session", None)
    return FIRMWARE.done(machine, 318, "Session terminated")


def _within_session(machine: Machine, request: Request) -> list[str]:
    """The parameters after the session id."""
    session_id, *words = (part.strip() for part in request.parameter.split(","))
    if not session_id:
        raise RequestError(400, "Missing parameter: session")
    if not secrets.compare_digest(session_id.encode(), _session(machine).encode()):
        raise RequestError(401, "Invalid session id")
    _hold(machine, session_id)
    return words


async def _execute(machine: Machine, command: Command, code: int, text: str) -> Body:
    refused = await machine.execute(command)
    if isinstance(refused, Refusal):
        raise RequestError(405, refused.reason)
    return FIRMWARE.done(machine, code, text)


async def curtail(machine: Machine, request: Request) -> Body:
    words = _within_session(machine, request)
    if words == ["sleep"]:
        return await _execute(machine, Pause(), 336, "Miner is entering sleep mode")
    if words in (["wakeup"], ["wake"]):
        return await _execute(machine, Resume(), 336, "Miner is waking up")
    raise RequestError(401, "Invalid parameter: curtail mode")


async def restart(machine: Machine, request: Request, *, whole: bool, code: int, text: str) -> Body:
    _within_session(machine, request)
    return await _execute(machine, Restart(whole=whole), code, text)


async def ledset(machine: Machine, request: Request) -> Body:
    words = _within_session(machine, request)
    if len(words) != 2 or words[0] not in ("red", "green") or words[1] not in ("on", "off", "blink", "auto"):  # noqa: PLR2004
        raise RequestError(401, "Invalid parameter: led")
    if words[0] == "green":
        return FIRMWARE.done(machine, 335, "LED set")
    return await _execute(machine, FaultLight(words[1] in ("on", "blink")), 335, "LED set")


async def profileset(machine: Machine, request: Request) -> Body:
    name = _within_session(machine, request)[-1:]
    mode = next((mode for mode, profile in PROFILES.items() if [profile] == name), None)
    if mode is None:
        raise RequestError(401, "Invalid parameter: profile name")
    return await _execute(machine, SetMode(mode), 326, f"Profile set to {PROFILES[mode]}")


async def powertargetset(machine: Machine, request: Request) -> Body:
    given = dict(part.partition("=")[::2] for part in _within_session(machine, request))
    watts = whole_number(given.get("power", ""))
    if not watts:
        raise RequestError(401, "Invalid parameter: power")
    return await _execute(machine, SetPowerLimit(float(watts)), 371, "Power target set")


def _pools(machine: Machine) -> tuple[Pool, ...]:
    return () if machine.memory.get("emptied") else machine.pools


async def _set_pools(machine: Machine, pools: tuple[Pool, ...], code: int, text: str) -> Body:
    answer = await _execute(machine, SetPools(pools), code, text)
    machine.memory.pop("emptied", None)
    return answer


async def addpool(machine: Machine, request: Request) -> Body:
    parts = [part.strip() for part in request.parameter.split(",")]
    if len(parts) < 2 or not all(parts[:2]):  # noqa: PLR2004 - address and user are the least
        raise RequestError(52, f"Missing addpool details: '{request.parameter[:100]}'")
    known = _pools(machine)
    if len(known) >= MAX_POOLS:
        raise RequestError(54, "Reached maximum number of pools")
    new = Pool(parts[0], parts[1], (parts[2] if parts[2:] else "") or "x")
    return await _set_pools(machine, (*known, new), 55, f"Added pool {len(known)}: '{new.url}'")


def _numbered(machine: Machine, request: Request) -> int:
    pool_id = request.parameter.split(",")[-1].strip()
    if not pool_id:
        raise RequestError(25, "Missing pool id parameter")
    no = whole_number(pool_id)
    if no is None or no >= len(_pools(machine)):
        raise RequestError(26, f"Invalid pool id {pool_id[:20]} - range is 0 - {len(_pools(machine)) - 1}")
    return no


async def removepool(machine: Machine, request: Request) -> Body:
    no, known = _numbered(machine, request), _pools(machine)
    if len(known) == 1:
        raise RequestError(66, f"Cannot remove last pool {no}: '{known[no].url}'")
    left = known[:no] + known[no + 1 :]
    return await _set_pools(machine, left, 68, f"Removed pool {no}: '{known[no].url}'")


async def switchpool(machine: Machine, request: Request) -> Body:
    no, known = _numbered(machine, request), _pools(machine)
    moved = (known[no], *known[:no], *known[no + 1 :])
    return await _set_pools(machine, moved, 27, f"Switching to pool {no}: '{known[no].url}'")


async def removegroup(machine: Machine, _: Request) -> Body:
    """Removes the group's pools too. The machine keeps mining on the old ones until it gets new ones."""
    machine.memory["emptied"] = "group"
    return FIRMWARE.done(machine, 343, "Group removed")


async def addgroup(machine: Machine, request: Request) -> Body:
    name, _, quota = request.parameter.partition(",")
    shares = whole_number(quota)
    machine.memory["group"] = (name.strip()[:64] or "default", 1 if shares is None else shares)
    if machine.memory.get("emptied"):
        machine.memory["emptied"] = "pools"
    return FIRMWARE.done(machine, 342, "Group added")


COMMANDS = CommandSet(
    reads=READS,
    writes={
        "logon": logon,
        "logoff": logoff,
        "session": session_info,
        "curtail": curtail,
        "rebootdevice": partial(restart, whole=True, code=338, text="Rebooting device"),
        "resetminer": partial(restart, whole=False, code=339, text="Restarting miner"),
        "ledset": ledset,
        "profileset": profileset,
        "powertargetset": powertargetset,
        "addpool": addpool,
        "removepool": removepool,
        "switchpool": switchpool,
        "addgroup": addgroup,
        "removegroup": removegroup,
    },
    fail=FIRMWARE.fail,
)
answer = partial(requests.answer, COMMANDS)
