"""Gives a machine an order by asic-rs, or by the make's own call where that does something else. Runs in the child.

What a make does not take is refused by name.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import pyasic_rs
from pyasic_rs.data import MiningMode

from hashinsight.edge.library_process import pools, web
from hashinsight.edge.library_process.cgminer import Trouble
from hashinsight.edge.library_process.handles import Handle

MODES = {"eco": MiningMode.Low, "normal": MiningMode.Normal, "perf": MiningMode.High}
_AVALON = "avalon"
_ANTMINER = "AntMiner Stock"
NOTED = "noted for its start"
# its answer to a restart has no status, which the library takes for a failure
_DONE_ALL_THE_SAME = "missing or invalid status array"
_AUTH_FAILED = ("unauthorized", "authentication failed", "failed to authenticate", "check token", "token err")
_NOT_SUPPORTED = ("not supported", "unsupported", "not implemented", "unknown option")
_NOT_GIVEN = ("failed to connect", "no session token")  # no connection, or no session for what needs one
# the line broke or the answer makes no sense: the order may have been heard
_NOT_HEARD = (
    *("timed out", "reset by", "error sending request", "no data received"),
    *("eof while parsing", "expected value", "invalid json"),
)
_STATUS_401 = re.compile(r"\b(?:status|http|code)\b[^\d]{0,20}401\b")
# the library names whom it asked; neither the cloud nor a log is to know
_ADDRESS = re.compile(r"https?://[^\s()]{1,300}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b", re.IGNORECASE)
_RESUMES = 3
_PAUSE_SEC, _RESUME_SEC = 10.0, 6.0  # with all tries shorter than an order may take: it must not be cut in two
Params = Mapping[str, Any]


async def act(handle: Handle, verb: str, params: Params) -> dict[str, Any]:
    """`{"way": …}` when the machine took it; `Trouble` says why it did not."""
    try:
        if verb == "list_pools":
            return {"pools": [pool.snapshot() for pool in await pools.list_pools(handle)]}
        if verb not in _ACTS:
            raise Trouble("unsupported", f"no machine takes {verb} from here")
        way = await _ACTS[verb](handle, params)
    except RuntimeError as problem:
        raise trouble_of(verb, str(problem)) from None
    return {"way": way, "is_noted": True} if way == NOTED else {"way": way}


def trouble_of(verb: str, said: str) -> Trouble:
    """By the library's words: it has one kind of error for everything."""
    words = said.lower()
    if any(word in words for word in _AUTH_FAILED) or _STATUS_401.search(words):
        return Trouble("auth_failed", "The machine refused the password")
    if any(word in words for word in _NOT_SUPPORTED):
        return Trouble("unsupported", f"this make does not take {verb}")
    if any(word in words for word in _NOT_GIVEN):
        return Trouble("not_given", "no connection, or login failed")
    if any(word in words for word in _NOT_HEARD):
        return Trouble("slow", "the order was sent, and its answer is lost")
    return Trouble("refused_by_machine", _ADDRESS.sub("the machine", said[:1000])[:300])


def _needs(miner: Any, support: str, what: str) -> None:
    if not getattr(miner, f"supports_{support}", False):
        raise Trouble("unsupported", f"{miner.make} with {miner.firmware} does not take {what}")


async def _said_yes(answer: Awaitable[bool]) -> None:
    if not await answer:
        raise Trouble(
            "refused_by_machine",
            "the machine said no, without a reason: check its password",
        )


def _is_avalon(miner: Any) -> bool:
    return str(miner.make).lower().startswith(_AVALON)


async def _reboot(handle: Handle, _: Params) -> str:
    """The whole machine. What the library calls a restart is that on every make but these two."""
    miner = handle.miner
    if handle.firmware == web.VNISH:
        await web.reboot_vnish(handle.address, handle.login)
        return "system/reboot"
    if _is_avalon(miner):  # what the library calls a restart is that of its mining program
        raise Trouble("unsupported", f"{miner.make} does not take reboot: it restarts only its mining program")
    _needs(miner, "restart", "reboot")
    await _said_yes(miner.restart())
    return "restart"


async def _restart(handle: Handle, _: Params) -> str:
    """The mining program alone: the library has no word for it but on two makes, so it is stopped and started."""
    miner = handle.miner
    if handle.firmware == web.VNISH:
        await _said_yes(miner.restart())
        return "restart"
    if _is_avalon(miner):
        try:
            await _said_yes(miner.restart())
        except RuntimeError as problem:
            if _DONE_ALL_THE_SAME not in str(problem).lower():
                raise
        return "restart"
    _needs(miner, "pause", "restart")
    _needs(miner, "resume", "restart")
    await _note_mode(handle)
    await _paused(miner)
    await _resumed(handle)
    return "pause, resume"


async def _paused(miner: Any) -> None:
    """Also one whose answer is lost may have been heard: it is started again all the same."""
    try:
        async with asyncio.timeout(_PAUSE_SEC):
            await _said_yes(miner.pause())
    except TimeoutError:
        return
    except RuntimeError as problem:
        if trouble_of("restart", str(problem)).kind != "slow":
            raise


async def _resumed(handle: Handle) -> None:
    """Some tries: half a restart is a machine that stands still, and a second resume does no harm."""
    for _ in range(_RESUMES):
        with suppress(RuntimeError, Trouble, TimeoutError):
            async with asyncio.timeout(_RESUME_SEC):
                await _start(handle)
                return
    raise Trouble("slow", "it was stopped, and did not confirm that it starts again")


async def _disable(handle: Handle, _: Params) -> str:
    miner = handle.miner
    _needs(miner, "pause", "disable")
    await _note_mode(handle)
    await _said_yes(miner.pause())
    return "pause"


async def _enable(handle: Handle, _: Params) -> str:
    miner = handle.miner
    _needs(miner, "resume", "enable")
    await _start(handle)
    return "resume"


async def _note_mode(handle: Handle) -> None:
    """An Antminer's sleep is a mode like eco, so that it forgets which one it was in."""
    if handle.firmware != _ANTMINER:
        return
    mode = await _mode(handle)
    if mode in (MiningMode.Low, MiningMode.High):
        handle.notes["mode"] = mode
    elif mode == MiningMode.Normal:
        handle.notes.pop("mode", None)


async def _mode(handle: Handle) -> MiningMode | None:
    """None while it sleeps, and where it does not say."""
    with suppress(RuntimeError):
        return getattr(await handle.miner.get_tuning_config(), "target_mode", None)
    return None


async def _start(handle: Handle) -> None:
    """In the mode that it was stopped in: a hall of eco machines that wakes in normal mode may trip its breaker."""
    mode = handle.notes.get("mode")
    if mode is None:
        await _said_yes(handle.miner.resume())
    else:
        await _said_yes(handle.miner.set_tuning_config(pyasic_rs.TuningConfig.mode(mode)))
        handle.notes.pop("mode", None)


async def _set_pool(handle: Handle, params: Params) -> str:
    _needs(handle.miner, "pools_config", "set_pool")
    wanted = pools.Pool(str(params["pool_url"]), str(params["pool_user"]), str(params.get("pool_password") or ""))
    return await pools.set_first(
        handle, wanted, had_pools=bool(params.get("had_pools")), is_stopped=bool(params.get("is_stopped"))
    )


async def _set_frequency(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _needs(miner, "tuning_config", "set_frequency")
    boards = range(miner.expected_hashboards or 0)
    mhz = float(params["frequency"])
    wanted: dict[int, tuple[float | None, float | None]] = dict.fromkeys(boards, (mhz, None))
    await _said_yes(miner.set_tuning_config(pyasic_rs.TuningConfig.manual(wanted)))
    return "set_tuning_config"


async def _set_fan(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _needs(miner, "fan_config", "set_fan")
    await _said_yes(miner.set_fan_config(pyasic_rs.FanConfig.manual(round(float(params["speed"])))))
    return "set_fan_config"


async def _set_power_limit(handle: Handle, params: Params) -> str:
    miner = handle.miner
    if _is_avalon(miner):  # it has work levels, and the library sends it watts as a text such as `3 kW`
        raise Trouble("unsupported", f"{miner.make} does not take set_power_limit")
    _needs(miner, "set_power_limit", "set_power_limit")
    await _said_yes(miner.set_power_limit(float(params["watts"])))
    return "set_power_limit"


async def _set_power_mode(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _needs(miner, "tuning_config", "set_power_mode")
    mode = MODES[str(params["mode"])]
    if params.get("is_stopped") and handle.firmware == _ANTMINER and await _mode(handle) is None:
        handle.notes["mode"] = mode  # set now, it would wake it
        return NOTED
    await _said_yes(miner.set_tuning_config(pyasic_rs.TuningConfig.mode(mode)))
    return "set_tuning_config"


async def _fault_light(handle: Handle, params: Params) -> str:
    miner = handle.miner
    _needs(miner, "set_fault_light", "fault_light")
    await _said_yes(miner.set_fault_light(bool(params["on"])))
    return "set_fault_light"


_ACTS: dict[str, Callable[[Handle, Params], Awaitable[str]]] = {
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
