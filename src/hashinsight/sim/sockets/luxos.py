"""LuxOS on Antminers, what it lets itself be told: most of it within a session that a client opens with `logon`."""

import secrets
import time
from functools import partial

from hashinsight.sim.acts import (
    Act,
    FaultLight,
    Pause,
    Pool,
    Refused,
    Restart,
    Resume,
    SetMode,
    SetPools,
    SetPowerLimit,
)
from hashinsight.sim.sockets import answering, cgminer
from hashinsight.sim.sockets.answering import Words
from hashinsight.sim.sockets.asking import Asked, NotUnderstood, whole_number
from hashinsight.sim.sockets.cgminer import Body
from hashinsight.sim.sockets.luxos_boards import state, tell
from hashinsight.sim.sockets.luxos_reads import PROFILES, READS
from hashinsight.sim.sockets.machine import Machine

SESSION_SEC = 60.0  # LuxOS lets an idle session go after this long; of the client's time, whatever the world's speed
MAX_POOLS = 3


def fail(machine: Machine, code: int, said: str) -> Body:
    return cgminer.alone(state(machine, "E", code, said))


def _done(machine: Machine, code: int, said: str) -> Body:
    return cgminer.alone(state(machine, "S", code, said))


def _session(machine: Machine) -> str:
    """The open session's id, or nothing. There is one at a time, as on the real firmware."""
    session, until = machine.memory.get("session", ("", 0.0))
    return session if until > time.monotonic() else ""


def _hold(machine: Machine, session: str) -> None:
    machine.memory["session"] = (session, time.monotonic() + SESSION_SEC)


async def logon(machine: Machine, _: Asked) -> Body:
    if _session(machine):
        raise NotUnderstood(402, "Another session is active")
    session = secrets.token_urlsafe(6)
    _hold(machine, session)
    return tell(machine, 316, "Session created", "SESSION", [{"SessionID": session}])


async def session_info(machine: Machine, _: Asked) -> Body:
    return tell(machine, 319, "Session information", "SESSION", [{"SessionID": _session(machine)}])


async def logoff(machine: Machine, asked: Asked) -> Body:
    _within_session(machine, asked)
    machine.memory.pop("session", None)
    return _done(machine, 318, "Session terminated")


def _within_session(machine: Machine, asked: Asked) -> list[str]:
    """The parameters behind the session id."""
    given, *rest = (part.strip() for part in asked.parameter.split(","))
    if not given:
        raise NotUnderstood(400, "Missing parameter: session")
    if not secrets.compare_digest(given.encode(), _session(machine).encode()):
        raise NotUnderstood(401, "Invalid session id")
    _hold(machine, given)
    return rest


async def _act(machine: Machine, act: Act, code: int, said: str) -> Body:
    refused = await machine.act(act)
    if isinstance(refused, Refused):
        raise NotUnderstood(405, refused.reason)
    return _done(machine, code, said)


async def curtail(machine: Machine, asked: Asked) -> Body:
    wanted = _within_session(machine, asked)
    if wanted == ["sleep"]:
        return await _act(machine, Pause(), 336, "Miner is entering sleep mode")
    if wanted in (["wakeup"], ["wake"]):
        return await _act(machine, Resume(), 336, "Miner is waking up")
    raise NotUnderstood(401, "Invalid parameter: curtail mode")


async def restart(machine: Machine, asked: Asked, *, whole: bool, code: int, said: str) -> Body:
    _within_session(machine, asked)
    return await _act(machine, Restart(whole=whole), code, said)


async def ledset(machine: Machine, asked: Asked) -> Body:
    wanted = _within_session(machine, asked)
    if len(wanted) != 2 or wanted[0] not in ("red", "green") or wanted[1] not in ("on", "off", "blink", "auto"):  # noqa: PLR2004
        raise NotUnderstood(401, "Invalid parameter: led")
    if wanted[0] == "green":
        return _done(machine, 335, "LED set")
    return await _act(machine, FaultLight(wanted[1] in ("on", "blink")), 335, "LED set")


async def profileset(machine: Machine, asked: Asked) -> Body:
    name = _within_session(machine, asked)[-1:]
    mode = next((mode for mode, profile in PROFILES.items() if [profile] == name), None)
    if mode is None:
        raise NotUnderstood(401, "Invalid parameter: profile name")
    return await _act(machine, SetMode(mode), 326, f"Profile set to {PROFILES[mode]}")


async def powertargetset(machine: Machine, asked: Asked) -> Body:
    given = dict(part.partition("=")[::2] for part in _within_session(machine, asked))
    watts = whole_number(given.get("power", ""))
    if not watts:
        raise NotUnderstood(401, "Invalid parameter: power")
    return await _act(machine, SetPowerLimit(float(watts)), 371, "Power target set")


def _pools(machine: Machine) -> tuple[Pool, ...]:
    return () if machine.memory.get("emptied") else machine.pools


async def _set_pools(machine: Machine, pools: tuple[Pool, ...], code: int, said: str) -> Body:
    answer = await _act(machine, SetPools(pools), code, said)
    machine.memory.pop("emptied", None)
    return answer


async def addpool(machine: Machine, asked: Asked) -> Body:
    parts = [part.strip() for part in asked.parameter.split(",")]
    if len(parts) < 2 or not all(parts[:2]):  # noqa: PLR2004 - address and user are the least
        raise NotUnderstood(52, f"Missing addpool details: '{asked.parameter[:100]}'")
    known = _pools(machine)
    if len(known) >= MAX_POOLS:
        raise NotUnderstood(54, "Reached maximum number of pools")
    new = Pool(parts[0], parts[1], (parts[2] if parts[2:] else "") or "x")
    return await _set_pools(machine, (*known, new), 55, f"Added pool {len(known)}: '{new.url}'")


def _numbered(machine: Machine, asked: Asked) -> int:
    given = asked.parameter.split(",")[-1].strip()
    if not given:
        raise NotUnderstood(25, "Missing pool id parameter")
    no = whole_number(given)
    if no is None or no >= len(_pools(machine)):
        raise NotUnderstood(26, f"Invalid pool id {given[:20]} - range is 0 - {len(_pools(machine)) - 1}")
    return no


async def removepool(machine: Machine, asked: Asked) -> Body:
    no, known = _numbered(machine, asked), _pools(machine)
    if len(known) == 1:
        raise NotUnderstood(66, f"Cannot remove last pool {no}: '{known[no].url}'")
    left = known[:no] + known[no + 1 :]
    return await _set_pools(machine, left, 68, f"Removed pool {no}: '{known[no].url}'")


async def switchpool(machine: Machine, asked: Asked) -> Body:
    no, known = _numbered(machine, asked), _pools(machine)
    moved = (known[no], *known[:no], *known[no + 1 :])
    return await _set_pools(machine, moved, 27, f"Switching to pool {no}: '{known[no].url}'")


async def removegroup(machine: Machine, _: Asked) -> Body:
    """The pools go with their group. The machine mines on with the old ones until it is given new ones."""
    machine.memory["emptied"] = "group"
    return _done(machine, 343, "Group removed")


async def addgroup(machine: Machine, asked: Asked) -> Body:
    name, _, quota = asked.parameter.partition(",")
    shares = whole_number(quota)
    machine.memory["group"] = (name.strip()[:64] or "default", 1 if shares is None else shares)
    if machine.memory.get("emptied"):
        machine.memory["emptied"] = "pools"
    return _done(machine, 342, "Group added")


WORDS = Words(
    reads=READS,
    writes={
        "logon": logon,
        "logoff": logoff,
        "session": session_info,
        "curtail": curtail,
        "rebootdevice": partial(restart, whole=True, code=338, said="Rebooting device"),
        "resetminer": partial(restart, whole=False, code=339, said="Restarting miner"),
        "ledset": ledset,
        "profileset": profileset,
        "powertargetset": powertargetset,
        "addpool": addpool,
        "removepool": removepool,
        "switchpool": switchpool,
        "addgroup": addgroup,
        "removegroup": removegroup,
    },
    fail=fail,
)
answer = partial(answering.answer, WORDS)
