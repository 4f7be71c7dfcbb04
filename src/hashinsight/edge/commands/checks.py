"""What a command may ask, what shows that it was done, and what is told of a machine before and after. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.numbers import number, text
from hashinsight.edge.readings.record import Record
from hashinsight.wire.commands import TYPES

MODES = ("eco", "normal", "perf")
_POOL_SCHEMES = (
    *("stratum+tcp://", "stratum+ssl://", "stratum+tls://"),
    *("stratum2://", "stratum2+tcp://", "stratum2+ssl://", "stratum2+tls://"),
)
MOST_DELAY_SEC = 300.0  # as the catalogue has it
_TOLD = (
    *("timestamp", "online", "state", "mode", "hashrate_ths", "expected_ths", "power_w", "temp_avg", "temp_max"),
    *("fan_speeds", "frequency_avg", "uptime_seconds", "pool_url", "worker_name", "firmware", "model", "raw_data"),
)
Params = Mapping[str, Any]


class Wrong(Exception):
    """`code` for machines, `str()` for people."""

    def __init__(self, code: str, said: str) -> None:
        super().__init__(said)
        self.code = code


def snapshot(record: Record) -> dict[str, Any]:
    """Without address and credential: a record has none, and this takes only what is named here."""
    boards = record.get("boards") or []
    told = {name: record[name] for name in _TOLD if name in record}
    if boards:
        told["boards_hashing"] = sum(1 for board in boards if board.get("hashrate_ths"))
    return told


def checked(verb: str, params: Params) -> dict[str, Any]:
    """What goes to the machine: only the parameters of the verb, each within what can be meant."""
    if verb not in _PARAMETERS:
        raise Wrong("UNSUPPORTED", "no machine knows such a verb")
    return _PARAMETERS[verb](params)


def fits(verb: str, before: Record) -> None:
    """A restart is a stop and a start: on a stopped machine it would be a start that nobody asked for."""
    if verb == "restart" and before.get("state") == "stopped":
        raise Wrong("NOT_MINING", "it is stopped: a restart would start it")


def _number(params: Params, name: str, least: float, most: float) -> float:
    value = number(params.get(name), least=least, most=most)
    if value is None:
        raise Wrong("BAD_PARAMS", f"{name} is a number from {least:g} to {most:g}")
    return value


def _none(_: Params) -> dict[str, Any]:
    return {}


def _delay(params: Params) -> dict[str, Any]:
    """It is waited for before the machine's turn, and does not go to it."""
    if params.get("delay_seconds") is not None:
        _number(params, "delay_seconds", 0, MOST_DELAY_SEC)
    return {}


def delay_of(params: Params) -> float:
    """How long an order waits before it begins; nonsense is no delay, and is refused later."""
    return number(params.get("delay_seconds"), least=0, most=MOST_DELAY_SEC) or 0.0


def _pool(params: Params) -> dict[str, Any]:
    url, user = text(params.get("pool_url"), 500), text(params.get("pool_user"), 200)
    if not url and params.get("pool_id") is not None:
        raise Wrong("UNKNOWN_POOL", "this site does not know pools by their id: send pool_url and pool_user")
    if not url or not user or not url.lower().startswith(_POOL_SCHEMES) or any(char in url + user for char in ",| "):
        raise Wrong("BAD_PARAMS", "pool_url is a stratum address, and pool_user a name")
    password = params.get("pool_password")
    if password is not None and (not isinstance(password, str) or len(password) > 200 or not password.isprintable()):  # noqa: PLR2004
        raise Wrong("BAD_PARAMS", "pool_password is a text")
    return {"pool_url": url, "pool_user": user, "pool_password": password}


def _mode(params: Params) -> dict[str, Any]:
    if params.get("mode") not in MODES:
        raise Wrong("BAD_PARAMS", f"mode is one of {', '.join(MODES)}")
    return {"mode": params["mode"]}


def _light(params: Params) -> dict[str, Any]:
    if not isinstance(params.get("on"), bool):
        raise Wrong("BAD_PARAMS", "on is true or false")
    return {"on": params["on"]}


_PARAMETERS: dict[str, Callable[[Params], dict[str, Any]]] = {
    "reboot": _delay,
    "restart": _none,
    "disable": _none,
    "enable": _none,
    "set_pool": _pool,
    "set_frequency": lambda params: {"frequency": _number(params, "frequency", 50, 2000)},
    "set_fan": lambda params: {"speed": _number(params, "speed", 0, 100)},
    "set_power_limit": lambda params: {"watts": _number(params, "watts", 100, 20_000)},
    "set_power_mode": _mode,
    "fault_light": _light,
}


def _is_stopped(_: Record, after: Record | None, __: Params) -> bool:
    return after is not None and after.get("state") == "stopped"


def _is_running(_: Record, after: Record | None, __: Params) -> bool:
    return after is not None and after.get("state") == "running"


def _went_away(before: Record, after: Record | None, _: Params) -> bool:
    """It does not answer, or its clock began anew."""
    return after is None or _is_younger(before, after)


def _began_anew(before: Record, after: Record | None, _: Params) -> bool:
    if after is None:
        return False
    fell = (after.get("hashrate_ths") or 0.0) < 0.5 * (before.get("hashrate_ths") or 0.0)
    return fell or _is_younger(before, after)


def _is_younger(before: Record, after: Record) -> bool:
    return bool((after.get("uptime_seconds") or 0) < (before.get("uptime_seconds") or 0))


def _has_pool(_: Record, after: Record | None, wanted: Params) -> bool:
    return after is not None and _bare(after.get("pool_url")) == _bare(wanted["pool_url"])


def has_first(pools: Sequence[Mapping[str, Any]], wanted: Params) -> bool:
    """It is set to it, though it may mine on a backup while the new one does not answer."""
    return bool(pools) and _bare(pools[0].get("url")) == _bare(wanted["pool_url"])


def _bare(url: object) -> str:
    return str(url or "").lower().rpartition("://")[2].rstrip("/")


def _has_mode(_: Record, after: Record | None, wanted: Params) -> bool:
    return after is not None and after.get("mode") == wanted["mode"]


def _has_limit(_: Record, after: Record | None, wanted: Params) -> bool:
    watts = after.get("raw_data", {}).get("power_limit_w") if after else None
    return watts is not None and abs(watts - wanted["watts"]) <= 0.01 * float(wanted["watts"])


def _has_light(_: Record, after: Record | None, wanted: Params) -> bool:
    return after is not None and after.get("raw_data", {}).get("fault_light") is wanted["on"]


def _has_frequency(_: Record, after: Record | None, wanted: Params) -> bool:
    mhz = after.get("frequency_avg") if after else None
    return mhz is not None and abs(mhz - wanted["frequency"]) <= 0.03 * float(wanted["frequency"])


# a fan's speed is told in rpm and set in percent: nothing shows it
SHOWN: dict[str, Callable[[Record, Record | None, Params], bool]] = {
    "reboot": _went_away,
    "restart": _began_anew,
    "disable": _is_stopped,
    "enable": _is_running,
    "set_pool": _has_pool,
    "set_frequency": _has_frequency,
    "set_power_limit": _has_limit,
    "set_power_mode": _has_mode,
    "fault_light": _has_light,
}
# on some makes these start a machine that is stopped, so that its reader must know
AT_REST = frozenset({"set_power_mode", "set_pool"})
# told by the machine as it is set; each of these orders costs it a restart of its mining program
_SETTINGS = frozenset({"set_power_mode", "set_power_limit", "set_frequency"})


def is_so(verb: str, before: Record, wanted: Params) -> bool:
    """Whether there is nothing to do: a retry of what took effect late does not stop the machine once more."""
    return verb in _SETTINGS and SHOWN[verb](before, before, wanted)


# what a configuration may name, the verb that sets it, and what that verb calls it; set in this order
_NAMES = {
    "power_mode": ("set_power_mode", "mode"),
    "power_limit_w": ("set_power_limit", "watts"),
    "frequency_mhz": ("set_frequency", "frequency"),
    "fan_speed_pct": ("set_fan", "speed"),
}
Order = tuple[str, dict[str, Any]]


def split_config(params: Mapping[str, Any]) -> list[Order]:
    """All of it is judged before the first is given; a name that nobody sets here refuses the whole."""
    config = params.get("config")
    if not isinstance(config, Mapping) or not config:
        raise Wrong("BAD_PARAMS", "config is an object with at least one setting")
    strange = sorted(str(name) for name in config if name not in _NAMES)
    if strange:
        raise Wrong("UNSUPPORTED", f"{strange[0][:64]} is not set from here: this edge sets {', '.join(_NAMES)}")
    orders = [(verb, {word: config[name]}) for name, (verb, word) in _NAMES.items() if name in config]
    for verb, wanted in orders:
        checked(verb, wanted)
    return orders


def types_in(params: Mapping[str, Any]) -> set[str]:
    """The types of command that it stands for: what a site does not let the cloud do, it does not do in this way."""
    config = params.get("config")
    named = config if isinstance(config, Mapping) else {}
    return {TYPES[verb] for name, (verb, _) in _NAMES.items() if name in named}
