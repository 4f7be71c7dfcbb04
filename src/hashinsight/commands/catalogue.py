"""The catalogue of commands: every type with parameters, risk and effect, and how a request is resolved. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from hashinsight.commands import params as types
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.commands import VERBS

_MAX_FAULTS = 20
_MAX_SHOWN_CHARS = 64
_FAULT_TEXTS = {"extra_forbidden": "no such parameter", "missing": "is missing", "model_type": "is not an object"}


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"  # needs approval


class Effect(StrEnum):
    """What happens to the machine's expected state."""

    STOPS = "stops"  # stopped until a start
    RESUMES = "resumes"  # ends a stop
    RESTARTS = "restarts"  # offline for a few minutes
    ADJUSTS = "adjusts"  # keeps hashing, perhaps after a short pause
    NOTHING = "nothing"


class Downtime(StrEnum):
    """Whether the command takes its machine down, and how long the machine counts towards the site's cap."""

    NO = "no"
    HASHING = "until hashing"  # the mining program restarts: until hashing again, a few minutes at most
    BACK = "until back"  # until hashing again, at most as long as a restart may take
    ENABLED = "until enabled"


@dataclass(frozen=True)
class CommandType:
    """`inverse` undoes it: another type, or the same type with the values of the snapshot before."""

    name: str
    risk: Risk
    effect: Effect
    down: Downtime
    params: type[types.Params] = types.NoParams
    is_control: bool = True  # one at a time per machine
    secret_params: frozenset[str] = frozenset()  # encrypted in the database, never shown
    opposes: frozenset[str] = frozenset()
    inverse: str | None = None

    @property
    def verb(self) -> str:
        return VERBS[self.name]

    @property
    def schema(self) -> dict[str, Any]:
        """Its parameters as JSON Schema, nested objects inlined."""
        schema = self.params.model_json_schema()
        nested = {f"#/$defs/{name}": definition for name, definition in schema.get("$defs", {}).items()}
        properties = {name: nested.get(prop.get("$ref"), prop) for name, prop in schema.get("properties", {}).items()}
        return {"properties": properties, "required": schema.get("required", []), "anyOf": schema.get("anyOf", [])}

    def split_params(self, params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters that may be shown, and secret ones."""
        shown = {name: value for name, value in params.items() if name not in self.secret_params}
        return shown, {name: value for name, value in params.items() if name in self.secret_params}


_TYPES = (
    CommandType("reboot_device", Risk.HIGH, Effect.RESTARTS, Downtime.BACK, types.Reboot),
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
        types.Pool,
        secret_params=frozenset({"pool_password"}),
        inverse="set_pool",
    ),
    CommandType(
        "set_frequency", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, types.Frequency, inverse="set_frequency"
    ),
    CommandType("set_fan", Risk.MEDIUM, Effect.ADJUSTS, Downtime.NO, types.Fan, inverse="set_fan"),
    CommandType(
        "set_power_limit", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, types.PowerLimit, inverse="set_power_limit"
    ),
    CommandType(
        "set_power_mode", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, types.PowerMode, inverse="set_power_mode"
    ),
    CommandType(
        "fault_light", Risk.LOW, Effect.NOTHING, Downtime.NO, types.FaultLight, is_control=False, inverse="fault_light"
    ),
    CommandType("update_config", Risk.MEDIUM, Effect.ADJUSTS, Downtime.HASHING, types.Config),
)
CATALOGUE: Mapping[str, CommandType] = MappingProxyType({kind.name: kind for kind in _TYPES})
TAKES_DOWN = tuple(kind.name for kind in _TYPES if kind.down is not Downtime.NO)
SETTINGS = tuple(kind.name for kind in _TYPES if kind.down is Downtime.HASHING)  # restart the mining program
RESTARTS = tuple(kind.name for kind in _TYPES if kind.down in (Downtime.HASHING, Downtime.BACK))  # back by themselves


@dataclass(frozen=True)
class LegacyName:
    """A type's name in older clients, its renamed parameters, and parameters that the name implies."""

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


def resolve(name: object, params: object = None) -> tuple[CommandType, dict[str, Any]]:
    """The type and its checked parameters, under their current names, only those that were given.

    UNKNOWN_COMMAND_TYPE or BAD_PARAMS; `details` name each parameter and the reason, and repeat no value.
    """
    kind, legacy = _find_type(name)
    if params is not None and not isinstance(params, Mapping):
        raise _bad_params(kind, [("params", "is not an object")])
    current = _rename(kind, legacy, params or {})
    try:
        checked = kind.params.model_validate(current)
    except ValidationError as error:
        raise _bad_params(kind, _faults(error, legacy, params or {})) from None
    return kind, checked.model_dump(exclude_none=True)


def _find_type(name: object) -> tuple[CommandType, LegacyName | None]:
    word = name if isinstance(name, str) else ""
    legacy = LEGACY_NAMES.get(word)
    kind = CATALOGUE.get(legacy.name if legacy else word)
    if kind is not None:
        return kind, legacy
    shown = word[:_MAX_SHOWN_CHARS] if word.isprintable() else ""
    close = get_close_matches(shown, CATALOGUE, n=1)
    hint = f": did you mean {close[0]}?" if close else ""
    raise ValidationFailed(
        f"no such command type{hint}",
        code="UNKNOWN_COMMAND_TYPE",
        details={"command_type": shown, "known": list(CATALOGUE)},
    )


def _rename(kind: CommandType, legacy: LegacyName | None, params: Mapping[Any, Any]) -> dict[str, Any]:
    """Parameters under their current names."""
    if not all(isinstance(name, str) for name in params):
        raise _bad_params(kind, [("params", "a parameter's name must be a text")])
    if legacy is None:
        return dict(params)
    faults = [
        (name, f"means the same as {new}") for name, new in legacy.renamed.items() if {name, new} <= params.keys()
    ]
    faults += [(name, "is implied by the command's name") for name in legacy.implied if name in params]
    if faults:
        raise _bad_params(kind, faults)
    return {**{legacy.renamed.get(name, name): value for name, value in params.items()}, **legacy.implied}


def _faults(error: ValidationError, legacy: LegacyName | None, params: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """One reason per parameter, under the name that the client used."""
    used = {new: name for name, new in legacy.renamed.items() if new not in params} if legacy else {}
    reasons: dict[str, str] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        name = _parameter(fault["loc"])
        reason = _FAULT_TEXTS.get(fault["type"], fault["msg"].removeprefix("Value error, "))
        if name.startswith("config.") and fault["type"] == "extra_forbidden":
            reason = f"cannot be set by this command; it sets {', '.join(types.MachineConfig.model_fields)}"
        reasons.setdefault(used.get(name, name), reason)
    return list(reasons.items())


def _parameter(loc: tuple[int | str, ...]) -> str:
    """The parameter, with the member of a nested object: `config.url`."""
    is_nested = loc[:1] == ("config",)
    return ".".join(map(str, loc[:2] if is_nested else loc[:1])) or "params"


def _bad_params(kind: CommandType, faults: list[tuple[str, str]]) -> ValidationFailed:
    shown = [
        {"param": name[:_MAX_SHOWN_CHARS] if name.isprintable() else "?", "reason": reason}
        for name, reason in faults[:_MAX_FAULTS]
    ]
    return ValidationFailed(
        f"{kind.name}: {shown[0]['param']}: {shown[0]['reason']}",
        code="BAD_PARAMS",
        details={"command_type": kind.name, "params": shown},
    )
