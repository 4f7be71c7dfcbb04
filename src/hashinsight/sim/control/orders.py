"""The acts of the control API by their words."""

from collections.abc import Callable, Mapping
from typing import Any

from hashinsight.sim.acts import Act, FaultLight, Pause, Pool, Restart, Resume, SetMode, SetPools, SetPowerLimit
from hashinsight.sim.control.choice import is_number
from hashinsight.sim.control.errors import BadRequest
from hashinsight.sim.readings import MODES

_MOST_WATTS = 1e9  # each machine says its own limit


def _limit(given: Mapping[str, Any]) -> Act:
    if not is_number(given.get("watts"), most=_MOST_WATTS):
        raise BadRequest("a power limit needs watts above 0", code="INVALID")
    return SetPowerLimit(float(given["watts"]))


def _mode(given: Mapping[str, Any]) -> Act:
    if given.get("mode") not in MODES:
        raise BadRequest(f"mode is one of {', '.join(MODES)}", code="INVALID")
    return SetMode(str(given["mode"]))


def _pool(given: Mapping[str, Any]) -> Act:
    url, user = given.get("url"), given.get("user")
    if not isinstance(url, str) or not isinstance(user, str) or not url or not user:
        raise BadRequest("a pool needs url and user", code="INVALID")
    return SetPools((Pool(url, user),))


ACTS: dict[str, Callable[[Mapping[str, Any]], Act]] = {
    "pause": lambda _: Pause(),
    "resume": lambda _: Resume(),
    "reboot": lambda _: Restart(whole=True),
    "restart": lambda _: Restart(whole=False),
    "power-limit": _limit,
    "mode": _mode,
    "pool": _pool,
    "light-on": lambda _: FaultLight(on=True),
    "light-off": lambda _: FaultLight(on=False),
}

_WORDS: dict[type[Act], str] = {
    Pause: "pause",
    Resume: "resume",
    SetPowerLimit: "power-limit",
    SetMode: "mode",
    SetPools: "pool",
}


def act_of(given: Mapping[str, Any]) -> Act:
    wanted = given.get("act")
    if not isinstance(wanted, str) or wanted not in ACTS:
        raise BadRequest(f"there is no act {wanted}: choose one of {', '.join(ACTS)}", code="INVALID")
    return ACTS[wanted](given)


def word_of(act: Act) -> str:
    """The same words, the other way round."""
    match act:
        case Restart():
            return "reboot" if act.whole else "restart"
        case FaultLight():
            return "light-on" if act.on else "light-off"
    return _WORDS[type(act)]


def given_of(act: Act) -> dict[str, Any]:
    """What the act was told with, under the names that it is given by; a pool's password is nobody's to read."""
    match act:
        case SetMode():
            return {"mode": act.mode}
        case SetPowerLimit():
            return {"watts": act.watts}
        case SetPools():
            return {"pools": [{"url": one.url, "user": one.user} for one in act.pools]}
    return {}
