"""Gives a machine an order by asic-rs. What a make does not take is refused by name. Runs in the child."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import pyasic_rs
from pyasic_rs.data import MiningMode

from hashinsight.edge.child_plain import Trouble

MODES = {"eco": MiningMode.Low, "normal": MiningMode.Normal, "perf": MiningMode.High}
_AVALON = "avalon"
# its answer to a restart has no status, which the library takes for a failure
_DONE_ALL_THE_SAME = "missing or invalid status array"
_NOT_SUPPORTED = ("not supported", "unsupported", "not implemented", "unknown option")
_NOT_GIVEN = ("failed to connect", "no session token")  # no connection, or no session for what needs one
# the line broke or the answer makes no sense: the order may have been heard
_NOT_HEARD = ("timed out", "reset by", "no data received", "eof while parsing", "expected value", "invalid json")
_RESUMES = 3
_PAUSE_SEC, _RESUME_SEC = 10.0, 6.0  # with all tries shorter than an order may take: it must not be cut in two
Params = Mapping[str, Any]


async def act(miner: Any, verb: str, params: Params) -> dict[str, Any]:
    """`{"way": …}` when the machine took it; `Trouble` says why it did not."""
    if verb not in _ACTS:
        raise Trouble("unsupported", f"no machine takes {verb} from here")
    try:
        way = await _ACTS[verb](miner, params)
    except RuntimeError as problem:
        raise trouble_of(verb, str(problem)) from None
    return {"way": way}


def trouble_of(verb: str, said: str) -> Trouble:
    """By the library's words: it has one kind of error for everything."""
    words = said.lower()
    if any(word in words for word in _NOT_SUPPORTED):
        return Trouble("unsupported", f"this make does not take {verb}")
    if any(word in words for word in _NOT_GIVEN):
        return Trouble("not_given", "it could not be asked: no connection, or no log-on")
    if any(word in words for word in _NOT_HEARD):
        return Trouble("slow", "the order was sent, and its answer is lost")
    return Trouble("refused_by_machine", said[:300])


def _needs(miner: Any, support: str, what: str) -> None:
    if not getattr(miner, f"supports_{support}", False):
        raise Trouble("unsupported", f"{miner.make} with {miner.firmware} does not take {what}")


async def _said_yes(answer: Awaitable[bool]) -> None:
    if not await answer:
        raise Trouble("refused_by_machine", "the machine said no")


def _is_avalon(miner: Any) -> bool:
    return str(miner.make).lower().startswith(_AVALON)


async def _reboot(miner: Any, _: Params) -> str:
    if _is_avalon(miner):  # what the library calls a restart is that of its mining program
        raise Trouble("unsupported", f"{miner.make} does not take reboot")
    _needs(miner, "restart", "reboot")
    await _said_yes(miner.restart())
    return "restart"


async def _restart(miner: Any, _: Params) -> str:
    """The mining program alone: the library has no word for it but on one make, so it is stopped and started."""
    if _is_avalon(miner):
        try:
            await _said_yes(miner.restart())
        except RuntimeError as problem:
            if _DONE_ALL_THE_SAME not in str(problem).lower():
                raise
        return "restart"
    _needs(miner, "pause", "restart")
    _needs(miner, "resume", "restart")
    await _paused(miner)
    await _resumed(miner)
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


async def _resumed(miner: Any) -> None:
    """Some tries: half a restart is a machine that stands still, and a second resume does no harm."""
    for _ in range(_RESUMES):
        with suppress(RuntimeError, Trouble, TimeoutError):
            async with asyncio.timeout(_RESUME_SEC):
                return await _said_yes(miner.resume())
    raise Trouble("slow", "it was stopped, and did not confirm that it starts again")


async def _disable(miner: Any, _: Params) -> str:
    _needs(miner, "pause", "disable")
    await _said_yes(miner.pause())
    return "pause"


async def _enable(miner: Any, _: Params) -> str:
    _needs(miner, "resume", "enable")
    await _said_yes(miner.resume())
    return "resume"


async def _set_pool(miner: Any, params: Params) -> str:
    _needs(miner, "pools_config", "set_pool")
    pool = pyasic_rs.Pool(
        url=str(params["pool_url"]), username=str(params["pool_user"]), password=str(params.get("pool_password") or "x")
    )
    await _said_yes(miner.set_pools_config([pyasic_rs.PoolGroup(name="default", quota=1, pools=[pool])]))
    return "set_pools_config"


async def _set_frequency(miner: Any, params: Params) -> str:
    _needs(miner, "tuning_config", "set_frequency")
    boards = range(miner.expected_hashboards or 0)
    mhz = float(params["frequency"])
    wanted: dict[int, tuple[float | None, float | None]] = dict.fromkeys(boards, (mhz, None))
    await _said_yes(miner.set_tuning_config(pyasic_rs.TuningConfig.manual(wanted)))
    return "set_tuning_config"


async def _set_fan(miner: Any, params: Params) -> str:
    _needs(miner, "fan_config", "set_fan")
    await _said_yes(miner.set_fan_config(pyasic_rs.FanConfig.manual(round(float(params["speed"])))))
    return "set_fan_config"


async def _set_power_limit(miner: Any, params: Params) -> str:
    _needs(miner, "set_power_limit", "set_power_limit")
    await _said_yes(miner.set_power_limit(float(params["watts"])))
    return "set_power_limit"


async def _set_power_mode(miner: Any, params: Params) -> str:
    _needs(miner, "tuning_config", "set_power_mode")
    await _said_yes(miner.set_tuning_config(pyasic_rs.TuningConfig.mode(MODES[str(params["mode"])])))
    return "set_tuning_config"


async def _fault_light(miner: Any, params: Params) -> str:
    _needs(miner, "set_fault_light", "fault_light")
    await _said_yes(miner.set_fault_light(bool(params["on"])))
    return "set_fault_light"


_ACTS: dict[str, Callable[[Any, Params], Awaitable[str]]] = {
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
