"""One entry a type of command, and the names that older clients use. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from hashinsight.commands.catalogue import params as take
from hashinsight.wire.commands import VERBS


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"  # starts unapproved


class Effect(StrEnum):
    """What it makes of the state in which a machine is expected."""

    STOPS = "stops"  # stands still until it is told otherwise
    RESUMES = "resumes"  # ends what a stop began
    RESTARTS = "restarts"  # silent for some minutes, then as before
    ADJUSTS = "adjusts"  # goes on hashing, at another rate or place, perhaps after a short pause
    NOTHING = "nothing"


class Downtime(StrEnum):
    """Whether it takes its machine down, and how long the machine then counts for the site's cap."""

    NO = "no"
    HASHING = "until hashing"  # its mining program restarts: seen hashing, or some minutes
    BACK = "until back"  # seen hashing, or to the end of the time that a restart is given
    ENABLED = "until enabled"


@dataclass(frozen=True)
class CommandType:
    """`inverse` undoes it: another type, or the same with what the snapshot before it shows."""

    name: str
    risk: Risk
    effect: Effect
    down: Downtime
    params: type[take.Params] = take.NoParams
    is_control: bool = True  # one at a time per miner
    secret_params: frozenset[str] = frozenset()  # sealed at rest, never shown
    opposes: frozenset[str] = frozenset()
    inverse: str | None = None

    @property
    def verb(self) -> str:
        return VERBS[self.name]

    @property
    def schema(self) -> dict[str, Any]:
        """Its parameters as JSON Schema; what stands in an object is written out where it stands."""
        schema = self.params.model_json_schema()
        inner = {f"#/$defs/{name}": said for name, said in schema.get("$defs", {}).items()}
        properties = {name: inner.get(said.get("$ref"), said) for name, said in schema.get("properties", {}).items()}
        return {"properties": properties, "required": schema.get("required", [])}

    def part(self, params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What may be shown, and what is sealed."""
        shown = {name: value for name, value in params.items() if name not in self.secret_params}
        return shown, {name: value for name, value in params.items() if name in self.secret_params}


_TYPES = (
    CommandType("reboot_device", Risk.HIGH, Effect.RESTARTS, Downtime.BACK, take.Reboot),
    CommandType("restart_mining", Risk.MEDIUM, Effect.RESTARTS, Downtime.BACK),
    CommandType(
        "disable_hashing",
        Risk.HIGH,
        Effect.STOPS,
        Downtime.ENABLED,
        opposes=frozenset({"enable_hashing"}),
        inverse="enable_hashing",
    ),
    CommandType(
        "enable_hashing",
        Risk.MEDIUM,
        Effect.RESUMES,
        Downtime.NO,
        opposes=frozenset({"disable_hashing"}),
        inverse="disable_hashing",
    ),
    CommandType(
        "set_pool",
        Risk.HIGH,
        Effect.ADJUSTS,
        Downtime.HASHING,
        take.Pool,
        secret_params=frozenset({"pool_password"}),
        inverse="set_pool",
    ),
    CommandType(
        "set_frequency", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, take.Frequency, inverse="set_frequency"
    ),
    CommandType("set_fan", Risk.MEDIUM, Effect.ADJUSTS, Downtime.NO, take.Fan, inverse="set_fan"),
    CommandType(
        "set_power_limit", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, take.PowerLimit, inverse="set_power_limit"
    ),
    CommandType(
        "set_power_mode", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, take.PowerMode, inverse="set_power_mode"
    ),
    CommandType(
        "fault_light", Risk.LOW, Effect.NOTHING, Downtime.NO, take.FaultLight, is_control=False, inverse="fault_light"
    ),
    CommandType("update_config", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, take.Config),
)
CATALOGUE: Mapping[str, CommandType] = MappingProxyType({one.name: one for one in _TYPES})
TAKES_DOWN = tuple(one.name for one in _TYPES if one.down is not Downtime.NO)
SETTINGS = tuple(one.name for one in _TYPES if one.down is Downtime.HASHING)  # that restart the mining program
RESTARTS = tuple(one.name for one in _TYPES if one.down in (Downtime.HASHING, Downtime.BACK))  # and back by itself


@dataclass(frozen=True)
class LegacyName:
    """What older clients call a type, which of its parameters they call otherwise, and what the name itself says."""

    name: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    implied: Mapping[str, Any] = field(default_factory=dict)


LEGACY_NAMES: Mapping[str, LegacyName] = MappingProxyType(
    {
        "reboot_miner": LegacyName("reboot_device"),
        "switch_pool": LegacyName("set_pool", renamed={"worker": "pool_user"}),
        "adjust_frequency": LegacyName("set_frequency", renamed={"frequency_mhz": "frequency"}),
        "enable_low_power": LegacyName("set_power_mode", implied={"mode": "eco"}),
    }
)
