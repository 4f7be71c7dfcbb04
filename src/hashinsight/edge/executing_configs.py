"""`update_config`: several settings of one machine in one command, each by the order that sets it alone. Pure."""

from collections.abc import Mapping
from typing import Any

from hashinsight.edge.executing_checks import Wrong, checked
from hashinsight.wire.verbs import TYPES

# what a configuration may name, the verb that sets it, and what that verb calls it; set in this order
_NAMES = {
    "power_mode": ("set_power_mode", "mode"),
    "power_limit_w": ("set_power_limit", "watts"),
    "frequency_mhz": ("set_frequency", "frequency"),
    "fan_speed_pct": ("set_fan", "speed"),
}
Order = tuple[str, dict[str, Any]]


def orders_of(params: Mapping[str, Any]) -> list[Order]:
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
