"""Parameters of control requests: machines, values and commands; and errors for invalid ones."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hashinsight.sim.commands import Command, FaultLight, Pause, Restart, Resume, SetMode, SetPools, SetPowerLimit
from hashinsight.sim.driver import LiveFleet
from hashinsight.sim.plan import Pool
from hashinsight.sim.readings import MODES


class BadRequest(Exception):
    """`code` is stable: BAD_REQUEST (not our protocol), INVALID, NOT_FOUND, REFUSED."""

    def __init__(self, message: str, *, code: str = "BAD_REQUEST") -> None:
        super().__init__(message)
        self.code = code


PLACE_KEYS = ("site", "zone", "rack", "switch", "pdu")


def select_machines(live: LiveFleet, request: Mapping[str, Any], *, all_when_none: bool) -> list[int]:
    """All given fields must match. `count` takes the first matches."""
    named = request.get("machine")
    places = {place: request[place] for place in PLACE_KEYS if request.get(place) is not None}
    if named is None and not places and request.get("count") is None and not all_when_none:
        raise BadRequest("choose machines by machine, site, zone, rack, switch, pdu or count", code="INVALID")
    chosen = list(range(len(live.machines))) if named is None else _find_named(live, named)
    for place, selected in places.items():
        names = getattr(live.world.fleet, place)
        chosen = [no for no in chosen if _matches(names[no], str(selected))]
    if not chosen:
        raise BadRequest(f"no machine matches {_describe(named, places)}", code="NOT_FOUND")
    if request.get("count") is None:
        return chosen
    if whole_number(request, "count") < 1:
        raise BadRequest("count must be at least 1", code="INVALID")
    return chosen[: whole_number(request, "count")]


def whole_number(request: Mapping[str, Any], name: str) -> int:
    value = request.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{name} must be a whole number", code="INVALID")
    return value


def is_number(value: object, *, most: float) -> bool:
    """Above 0 and up to `most`. JSON as Python reads it also has NaN, infinity and numbers of any length."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= most


def _find_named(live: LiveFleet, named: object) -> list[int]:
    names = named if isinstance(named, Sequence) and not isinstance(named, str) else [named]
    selected = [str(name) for name in names]
    known: dict[str, int] = {}
    for no, machine in enumerate(live.machines):
        known |= {str(no): no, machine.identity.machine_id: no, machine.identity.address: no}
    missing = [name for name in selected if name not in known]
    if missing:
        raise BadRequest(f"unknown machine {missing[0][:60]}", code="NOT_FOUND")
    return list(dict.fromkeys(known[name] for name in selected))  # duplicates count once


def _matches(name: str, selected: str) -> bool:
    """The full name, or its last part: `rack-01` is that rack of every zone."""
    return name == selected or name.rsplit("/", 1)[-1] == selected


def _describe(named: object, places: Mapping[str, Any]) -> str:
    parts = ([f"machine {named}"] if named is not None else []) + [f"{place} {name}" for place, name in places.items()]
    return ", ".join(parts)[:200]


_MAX_WATTS = 1e9  # each machine has its own limit


def _limit(request: Mapping[str, Any]) -> Command:
    if not is_number(request.get("watts"), most=_MAX_WATTS):
        raise BadRequest("a power limit needs watts above 0", code="INVALID")
    return SetPowerLimit(float(request["watts"]))


def _mode(request: Mapping[str, Any]) -> Command:
    if request.get("mode") not in MODES:
        raise BadRequest(f"mode must be one of {', '.join(MODES)}", code="INVALID")
    return SetMode(str(request["mode"]))


def _pool(request: Mapping[str, Any]) -> Command:
    url, user = request.get("url"), request.get("user")
    if not isinstance(url, str) or not isinstance(user, str) or not url or not user:
        raise BadRequest("a pool needs url and user", code="INVALID")
    return SetPools((Pool(url, user),))


COMMANDS: dict[str, Callable[[Mapping[str, Any]], Command]] = {
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

_WORDS: dict[type[Command], str] = {
    Pause: "pause",
    Resume: "resume",
    SetPowerLimit: "power-limit",
    SetMode: "mode",
    SetPools: "pool",
}


def parse_command(request: Mapping[str, Any]) -> Command:
    act = request.get("act")
    if not isinstance(act, str) or act not in COMMANDS:
        raise BadRequest(f"unknown act {act}: use one of {', '.join(COMMANDS)}", code="INVALID")
    return COMMANDS[act](request)


def command_word(command: Command) -> str:
    """The word of a command in the control API."""
    match command:
        case Restart():
            return "reboot" if command.whole else "restart"
        case FaultLight():
            return "light-on" if command.on else "light-off"
    return _WORDS[type(command)]


def command_parameters(command: Command) -> dict[str, Any]:
    """Parameters of a command under their names in the control API, without pool passwords."""
    match command:
        case SetMode():
            return {"mode": command.mode}
        case SetPowerLimit():
            return {"watts": command.watts}
        case SetPools():
            return {"pools": [{"url": pool.url, "user": pool.user} for pool in command.pools]}
    return {}
