"""Sends actions to a machine with asic-rs, or with the make's own call if that does something else. Runs in the child.

What a make does not support is refused by name.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import pyasic_rs
from pyasic_rs.data import MiningMode

from hashinsight.edge.library_process import pools, web
from hashinsight.edge.library_process.handles import Handle
from hashinsight.edge.library_process.messages import MachineError

MODES = {"eco": MiningMode.Low, "normal": MiningMode.Normal, "perf": MiningMode.High}
_AVALON = "avalon"
_ANTMINER = "AntMiner Stock"
DEFERRED = "applied at its next start"
# an Avalon's answer to a restart has no status, which the library takes for a failure
_AVALON_RESTARTED = "missing or invalid status array"
_AUTH_FAILED = ("unauthorized", "authentication failed", "failed to authenticate", "check token", "token err")
_NOT_SUPPORTED = ("not supported", "unsupported", "not implemented", "unknown option")
_NOT_SENT = ("failed to connect", "no session token")  # no connection, or no session
# connection lost or answer unreadable: the action may have been received
_ANSWER_LOST = (
    *("timed out", "reset by", "error sending request", "no data received"),
    *("eof while parsing", "expected value", "invalid json"),
)
_STATUS_401 = re.compile(r"\b(?:status|http|code)\b[^\d]{0,20}401\b")
# the library's messages name the address, which must reach neither the cloud nor a log
_ADDRESS = re.compile(r"https?://[^\s()]{1,300}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b", re.IGNORECASE)
_RESUME_TRIES = 3
_PAUSE_SEC, _RESUME_SEC = 10.0, 6.0  # all tries together are shorter than the timeout: a restart is never cut in half
Params = Mapping[str, Any]


async def act(handle: Handle, verb: str, params: Params) -> dict[str, Any]:
    """`{"way": …}` if the machine accepted it; raises `MachineError`."""
    try:
        if verb == "list_pools":
            return {"pools": [pool.snapshot() for pool in await pools.list_pools(handle)]}
        if verb not in _ACTIONS:
            raise MachineError("unsupported", f"unknown action {verb}")
        way = await _ACTIONS[verb](handle, params)
    except RuntimeError as error:
        raise error_from_library(verb, str(error)) from None
    return {"way": way, "is_deferred": True} if way == DEFERRED else {"way": way}


def error_from_library(verb: str, message: str) -> MachineError:
    """By the words of its message: the library has one type for all errors."""
    words = message.lower()
    if any(word in words for word in _AUTH_FAILED) or _STATUS_401.search(words):
        return MachineError("auth_failed", "The machine refused the password")
    if any(word in words for word in _NOT_SUPPORTED):
        return MachineError("unsupported", f"this make does not support {verb}")
    if any(word in words for word in _NOT_SENT):
        return MachineError("not_sent", "no connection, or login failed")
    if any(word in words for word in _ANSWER_LOST):
        return MachineError("slow", "action sent; the answer was lost")
    return MachineError("refused_by_machine", _ADDRESS.sub("the machine", message[:1000])[:300])


def _require(miner: Any, support: str, verb: str) -> None:
    if not getattr(miner, f"supports_{support}", False):
        raise MachineError("unsupported", f"{miner.make} with {miner.firmware} does not support {verb}")


async def _must_accept(answer: Awaitable[bool]) -> None:
    if not await answer:
        raise MachineError("refused_by_machine", "the machine refused without a reason; check its password")


def _is_avalon(miner: Any) -> bool:
    return str(miner.make).lower().startswith(_AVALON)


async def _reboot(handle: Handle, _: Params) -> str:
    """The whole machine. The library's `restart` does that on every make but these two."""
    miner = handle.miner
    if handle.firmware == web.VNISH:
        await web.reboot_vnish(handle.address, handle.login)
        return "system/reboot"
    if _is_avalon(miner):  # the library restarts its mining program only
        raise MachineError("unsupported", f"{miner.make} does not support reboot, only a restart of its mining program")
    _require(miner, "restart", "reboot")
    await _must_accept(miner.restart())
    return "restart"


async def _restart(handle: Handle, _: Params) -> str:
    """The mining program only. The library can do that on two makes; on others it is a stop and a start."""
    miner = handle.miner
    if handle.firmware == web.VNISH:
        await _must_accept(miner.restart())
        return "restart"
    if _is_avalon(miner):
        try:
            await _must_accept(miner.restart())
        except RuntimeError as error:
            if _AVALON_RESTARTED not in str(error).lower():
                raise
        return "restart"
    _require(miner, "pause", "restart")
    _require(miner, "resume", "restart")
    await _note_mode(handle)
    await _pause(miner)
    await _resume(handle)
    return "pause, resume"


async def _pause(miner: Any) -> None:
    """If the answer is lost, the pause may have been received: the start follows all the same."""
    try:
        async with asyncio.timeout(_PAUSE_SEC):
            await _must_accept(miner.pause())
    except TimeoutError:
        return
    except RuntimeError as error:
        if error_from_library("restart", str(error)).kind != "slow":
            raise


async def _resume(handle: Handle) -> None:
    """Several tries: half a restart is a stopped machine, and a second resume does no harm."""
    for _ in range(_RESUME_TRIES):
        with suppress(RuntimeError, MachineError, TimeoutError):
            async with asyncio.timeout(_RESUME_SEC):
                await _start(handle)
                return
    raise MachineError("slow", "stopped, but the start was not confirmed")


async def _disable(handle: Handle, _: Params) -> str:
    miner = handle.miner
    _require(miner, "pause", "disable")
    await _note_mode(handle)
    await _must_accept(miner.pause())
    return "pause"


async def _enable(handle: Handle, _: Params) -> str:
    miner = handle.miner
    _require(miner, "resume", "enable")
    await _start(handle)
    return "resume"


async def _note_mode(handle: Handle) -> None:
    """An Antminer's sleep is a power mode like eco, so the machine forgets its mode."""
    if handle.firmware != _ANTMINER:
        return
    mode = await _get_mode(handle)
    if mode in (MiningMode.Low, MiningMode.High):
        handle.notes["mode"] = mode
    elif mode == MiningMode.Normal:
        handle.notes.pop("mode", None)


async def _get_mode(handle: Handle) -> MiningMode | None:
    """None while it sleeps, and if it does not report a mode."""
    with suppress(RuntimeError):
        return getattr(await handle.miner.get_tuning_config(), "target_mode", None)
    return None


async def _start(handle: Handle) -> None:
    """In the mode in which it was stopped: a hall of eco machines waking up in normal mode may trip its breaker."""
    mode = handle.notes.get("mode")
    if mode is None:
        await _must_accept(handle.miner.resume())
    else:
        await _must_accept(handle.miner.set_tuning_config(pyasic_rs.TuningConfig.mode(mode)))
        handle.notes.pop("mode", None)


async def _set_pool(handle: Handle, params: Params) -> str:
    _require(handle.miner, "pools_config", "set_pool")
    pool = pools.Pool(str(params["pool_url"]), str(params["pool_user"]), str(params.get("pool_password") or ""))
    return await pools.set_first(
        handle, pool, had_pools=bool(params.get("had_pools")), is_stopped=bool(params.get("is_stopped"))
    )


async def _set_frequency(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _require(miner, "tuning_config", "set_frequency")
    boards = range(miner.expected_hashboards or 0)
    mhz = float(params["frequency"])
    settings: dict[int, tuple[float | None, float | None]] = dict.fromkeys(boards, (mhz, None))
    await _must_accept(miner.set_tuning_config(pyasic_rs.TuningConfig.manual(settings)))
    return "set_tuning_config"


async def _set_fan(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _require(miner, "fan_config", "set_fan")
    await _must_accept(miner.set_fan_config(pyasic_rs.FanConfig.manual(round(float(params["speed"])))))
    return "set_fan_config"


async def _set_power_limit(handle: Handle, params: Params) -> str:
    miner = handle.miner
    if _is_avalon(miner):  # it has work levels; the library would send watts as text, such as `3 kW`
        raise MachineError("unsupported", f"{miner.make} does not support set_power_limit")
    _require(miner, "set_power_limit", "set_power_limit")
    await _must_accept(miner.set_power_limit(float(params["watts"])))
    return "set_power_limit"


async def _set_power_mode(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _require(miner, "tuning_config", "set_power_mode")
    mode = MODES[str(params["mode"])]
    if params.get("is_stopped") and handle.firmware == _ANTMINER and await _get_mode(handle) is None:
        handle.notes["mode"] = mode  # setting it now would wake the machine
        return DEFERRED
    await _must_accept(miner.set_tuning_config(pyasic_rs.TuningConfig.mode(mode)))
    return "set_tuning_config"


async def _fault_light(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _require(miner, "set_fault_light", "fault_light")
    await _must_accept(miner.set_fault_light(bool(params["on"])))
    return "set_fault_light"


_ACTIONS: dict[str, Callable[[Handle, Params], Awaitable[str]]] = {
    "reboot": _reboot,
    "restart": _restart,
    "disable": _disable,
    "enable": _enable,
    "set_pool": _set_pool,
    "set_frequency": _set_frequency,
    "set_fan": _set_fan,
    "set_power_limit": _set_power_limit,
    "set_power_mode": _set_power_mode,
    "fault_light": _fault_light,
}
