"""Valid parameters of each verb, what confirms its effect, and the snapshots before and after. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hashinsight.edge.readings.numbers import host_and_path, number, text
from hashinsight.edge.readings.record import MODES, Record
from hashinsight.wire.commands import FAN_SPEED_PCT, FREQUENCY_MHZ, MAX_DELAY_SEC, POWER_LIMIT_W, TYPES

_POOL_SCHEMES = (
    *("stratum+tcp://", "stratum+ssl://", "stratum+tls://"),
    *("stratum2://", "stratum2+tcp://", "stratum2+ssl://", "stratum2+tls://"),
)
_SNAPSHOT = (
    *("timestamp", "online", "state", "mode", "hashrate_ths", "expected_ths", "power_w", "temp_avg", "temp_max"),
    *("fan_speeds", "frequency_avg", "uptime_seconds", "pool_url", "worker_name", "firmware", "model", "raw_data"),
)
Params = Mapping[str, Any]


class CommandRejected(Exception):
    """Before anything was sent to the machine. `code` for programs, `str()` for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def snapshot(record: Record) -> dict[str, Any]:
    """Only the fields named here, none of which holds an address or a credential."""
    boards = record.get("boards") or []
    fields = {name: record[name] for name in _SNAPSHOT if name in record}
    if boards:
        fields["boards_hashing"] = sum(1 for board in boards if board.get("hashrate_ths"))
    return fields


def check_params(verb: str, params: Params) -> dict[str, Any]:
    """What is sent to the machine: only the verb's own parameters, each within its limits."""
    if verb not in _PARAMETERS:
        raise CommandRejected("UNSUPPORTED", f"unknown action {verb[:64]}")
    return _PARAMETERS[verb](params)


def check_state(verb: str, before: Record) -> None:
    """A restart is a stop and a start: on a stopped machine it would be a start nobody requested."""
    if verb == "restart" and before.get("state") == "stopped":
        raise CommandRejected("NOT_MINING", "the machine is stopped; a restart would start it")


def _number(params: Params, name: str, minimum: float, maximum: float) -> float:
    value = number(params.get(name), minimum=minimum, maximum=maximum)
    if value is None:
        raise CommandRejected("BAD_PARAMS", f"{name} must be a number from {minimum:g} to {maximum:g}")
    return value


def _none(_: Params) -> dict[str, Any]:
    return {}


def _delay(params: Params) -> dict[str, Any]:
    """The delay is waited here before the action; the machine never sees it."""
    if params.get("delay_seconds") is not None:
        _number(params, "delay_seconds", 0, MAX_DELAY_SEC)
    return {}


def get_delay_sec(params: Params) -> float:
    """How long to wait before the action; an invalid delay counts as none here and is rejected later."""
    return number(params.get("delay_seconds"), minimum=0, maximum=MAX_DELAY_SEC) or 0.0


def _pool(params: Params) -> dict[str, Any]:
    url, user = text(params.get("pool_url"), 500), text(params.get("pool_user"), 200)
    if not url and params.get("pool_id") is not None:
        raise CommandRejected("UNKNOWN_POOL", "this collector does not know pool ids: send pool_url and pool_user")
    if not url or not user or not url.lower().startswith(_POOL_SCHEMES) or any(char in url + user for char in ",| "):
        raise CommandRejected("BAD_PARAMS", "pool_url must be a stratum address and pool_user a worker name")
    password = params.get("pool_password")
    if password is not None and (not isinstance(password, str) or len(password) > 200 or not password.isprintable()):  # noqa: PLR2004
        raise CommandRejected("BAD_PARAMS", "pool_password must be printable text of at most 200 characters")
    return {"pool_url": url, "pool_user": user, "pool_password": password}


def _mode(params: Params) -> dict[str, Any]:
    if params.get("mode") not in MODES.values():
        raise CommandRejected("BAD_PARAMS", f"mode must be one of {', '.join(MODES.values())}")
    return {"mode": params["mode"]}


def _light(params: Params) -> dict[str, Any]:
    if not isinstance(params.get("on"), bool):
        raise CommandRejected("BAD_PARAMS", "on must be true or false")
    return {"on": params["on"]}


_PARAMETERS: dict[str, Callable[[Params], dict[str, Any]]] = {
    "reboot": _delay,
    "restart": _none,
    "disable": _none,
    "enable": _none,
    "set_pool": _pool,
    "set_frequency": lambda params: {"frequency": _number(params, "frequency", *FREQUENCY_MHZ)},
    "set_fan": lambda params: {"speed": _number(params, "speed", *FAN_SPEED_PCT)},
    "set_power_limit": lambda params: {"watts": _number(params, "watts", *POWER_LIMIT_W)},
    "set_power_mode": _mode,
    "fault_light": _light,
}


def _is_stopped(_: Record, after: Record | None, __: Params) -> bool:
    return after is not None and after.get("state") == "stopped"


def _is_running(_: Record, after: Record | None, __: Params) -> bool:
    return after is not None and after.get("state") == "running"


def _rebooted(before: Record, after: Record | None, _: Params) -> bool:
    """No answer, or its uptime started again."""
    return after is None or _uptime_fell(before, after)


def _restarted(before: Record, after: Record | None, _: Params) -> bool:
    if after is None:
        return False
    hashrate_fell = (after.get("hashrate_ths") or 0.0) < 0.5 * (before.get("hashrate_ths") or 0.0)
    return hashrate_fell or _uptime_fell(before, after)


def _uptime_fell(before: Record, after: Record) -> bool:
    return bool((after.get("uptime_seconds") or 0) < (before.get("uptime_seconds") or 0))


def _has_pool(_: Record, after: Record | None, wanted: Params) -> bool:
    return after is not None and host_and_path(after.get("pool_url")) == host_and_path(wanted["pool_url"])


def is_first_pool(pools: Sequence[Mapping[str, Any]], wanted: Params) -> bool:
    """Configured as first pool, though it may mine on a backup while the new one does not answer."""
    return bool(pools) and host_and_path(pools[0].get("url")) == host_and_path(wanted["pool_url"])


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


# no set_fan: fan speed is set in percent and reported in rpm
CONFIRMATIONS: dict[str, Callable[[Record, Record | None, Params], bool]] = {
    "reboot": _rebooted,
    "restart": _restarted,
    "disable": _is_stopped,
    "enable": _is_running,
    "set_pool": _has_pool,
    "set_frequency": _has_frequency,
    "set_power_limit": _has_limit,
    "set_power_mode": _has_mode,
    "fault_light": _has_light,
}
# on some makes these would start a stopped machine, so the child is told that it is stopped
MAY_START_STOPPED = frozenset({"set_power_mode", "set_pool"})
# the machine reports these as set; setting them again would restart its mining program
_SETTINGS = frozenset({"set_power_mode", "set_power_limit", "set_frequency"})


def is_already_set(verb: str, before: Record, wanted: Params) -> bool:
    """Nothing to do: the retry of a setting that took effect late must not stop the machine once more."""
    return verb in _SETTINGS and CONFIRMATIONS[verb](before, before, wanted)


# settings of `update_config`, the verb that sets each, and the verb's parameter; applied in this order
_CONFIG_SETTINGS = {
    "power_mode": ("set_power_mode", "mode"),
    "power_limit_w": ("set_power_limit", "watts"),
    "frequency_mhz": ("set_frequency", "frequency"),
    "fan_speed_pct": ("set_fan", "speed"),
}
Action = tuple[str, dict[str, Any]]


def split_config(params: Mapping[str, Any]) -> list[Action]:
    """`update_config` as single actions. All are checked before the first is sent; an unknown setting rejects all."""
    config = params.get("config")
    if not isinstance(config, Mapping) or not config:
        raise CommandRejected("BAD_PARAMS", "config must be an object with at least one setting")
    unknown = sorted(str(name) for name in config if name not in _CONFIG_SETTINGS)
    if unknown:
        known = ", ".join(_CONFIG_SETTINGS)
        raise CommandRejected("UNSUPPORTED", f"{unknown[0][:64]} cannot be set; this collector sets {known}")
    actions = [(verb, {param: config[name]}) for name, (verb, param) in _CONFIG_SETTINGS.items() if name in config]
    for verb, verb_params in actions:
        check_params(verb, verb_params)
    return actions


def config_command_types(params: Mapping[str, Any]) -> set[str]:
    """The command types it stands for: a type that the site forbids is also forbidden inside `update_config`."""
    config = params.get("config")
    settings = config if isinstance(config, Mapping) else {}
    return {TYPES[verb] for name, (verb, _) in _CONFIG_SETTINGS.items() if name in settings}
