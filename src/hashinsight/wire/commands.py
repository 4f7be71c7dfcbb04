"""Commands as they are sent to a collector, with both names of each type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from hashinsight.wire.foreign_json import MalformedMessage
from hashinsight.wire.times import find_time, write_time

# the verb follows from the type, so a signature over the type covers it
VERBS = MappingProxyType(
    {
        "reboot_device": "reboot",
        "restart_mining": "restart",
        "disable_hashing": "disable",
        "enable_hashing": "enable",
        "set_pool": "set_pool",
        "set_frequency": "set_frequency",
        "set_fan": "set_fan",
        "set_power_limit": "set_power_limit",
        "set_power_mode": "set_power_mode",
        "fault_light": "fault_light",
        "update_config": "update_config",
    }
)
# bounds of parameters: least and most
FREQUENCY_MHZ = (100, 1500)
FAN_SPEED_PCT = (0, 100)
POWER_LIMIT_W = (100, 20_000)
MAX_DELAY_SEC = 300
TYPES = MappingProxyType({verb: command_type for command_type, verb in VERBS.items()})


PRIORITY_CLASSES = ("convenience", "efficiency", "compliance", "safety")  # last is most urgent
PRIORITY_NUMBERS = 10
_RANKS = MappingProxyType({name: rank for rank, name in enumerate(PRIORITY_CLASSES)})
_MAX_CHARS = 255
_MAX_INT = 2**63


@dataclass(frozen=True, slots=True)
class Command:
    """`command_id` is the dispatch id; `site_id` is in the form that the collector itself uses."""

    command_id: str
    site_id: str | int
    miner_id: str
    command_type: str
    issued_at: datetime
    expires_at: datetime
    ttl_sec: int
    lease_until: datetime
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)  # may hold a pool password
    priority: int = 0
    attempt: int = 1
    zone_id: str | int | None = None
    cloud_sign: Mapping[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """Always with both names: some collectors read `command`, others `command_type`."""
        message = {
            "command_id": self.command_id,
            "site_id": self.site_id,
            "zone_id": self.zone_id,
            "miner_id": self.miner_id,
            "command_type": self.command_type,
            "command": VERBS[self.command_type],
            "params": dict(self.params),
            "priority": self.priority,
            "issued_at": write_time(self.issued_at),
            "expires_at": write_time(self.expires_at),
            "ttl_sec": self.ttl_sec,
            "attempt": self.attempt,
            "lease_until": write_time(self.lease_until),
        }
        if self.zone_id is None:
            del message["zone_id"]
        if self.cloud_sign is not None:
            message["cloud_sign"] = dict(self.cloud_sign)
        return message


def poll_answer(commands: Sequence[Command], *, legacy: bool = False) -> dict[str, Any]:
    answer: dict[str, Any] = {"commands": [command.to_wire() for command in commands]}
    return {"success": True, **answer} if legacy else answer


def wire_priority(priority_class: str, number: int) -> int:
    """One integer, higher first: class first, then the number within it."""
    if priority_class not in _RANKS or number not in range(PRIORITY_NUMBERS):
        raise ValueError(f"priority must be one of {', '.join(PRIORITY_CLASSES)} and 0 to {PRIORITY_NUMBERS - 1}")
    return _RANKS[priority_class] * PRIORITY_NUMBERS + number


def read_command(message: Any) -> Command:
    """For the executing side. Strict: a command that cannot be read completely is not executed."""
    if not isinstance(message, Mapping):
        raise MalformedMessage("a command must be a JSON object", code="NOT_AN_OBJECT")
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        raise MalformedMessage("params is not an object", code="BAD_COMMAND")
    sign = message.get("cloud_sign")
    expires_at = _time(message, "expires_at")
    return Command(
        command_id=str(_name(message, "command_id")),
        site_id=_name(message, "site_id"),
        zone_id=None if message.get("zone_id") is None else _name(message, "zone_id"),
        miner_id=str(_name(message, "miner_id")),
        command_type=_type_of(message),
        params=params or {},
        priority=_integer(message, "priority", 0),
        issued_at=_time(message, "issued_at"),
        expires_at=expires_at,
        ttl_sec=_integer(message, "ttl_sec", 0),
        attempt=_integer(message, "attempt", 1),
        lease_until=find_time(message.get("lease_until")) or expires_at,
        cloud_sign=sign if isinstance(sign, dict) else None,
    )


def _type_of(message: Mapping[str, Any]) -> str:
    """From either name. An unknown type is kept: the executor rejects it by name."""
    verb, command_type = message.get("command"), message.get("command_type")
    if command_type is None:
        verb = str(_name(message, "command"))
        return TYPES.get(verb, verb)
    command_type = str(_name(message, "command_type"))
    if verb is not None and verb != VERBS.get(command_type, verb):
        raise MalformedMessage("command and command_type do not match", code="BAD_COMMAND")
    return command_type


def _name(message: Mapping[str, Any], name: str) -> str | int:
    value = message.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_INT:
        return value
    if isinstance(value, str) and 0 < len(value) <= _MAX_CHARS and value.isprintable():
        return value
    raise MalformedMessage(f"{name} is missing or not a name", code="BAD_COMMAND")


def _integer(message: Mapping[str, Any], name: str, default: int) -> int:
    value = message.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise MalformedMessage(f"{name} is not an integer", code="BAD_COMMAND")


def _time(message: Mapping[str, Any], name: str) -> datetime:
    at = find_time(message.get(name))
    if at is None:
        raise MalformedMessage(f"{name} is not a time", code="BAD_COMMAND")
    return at
