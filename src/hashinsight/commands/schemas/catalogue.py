"""The catalogue of command types as an answer, from which clients build their forms."""

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from hashinsight.commands import limits
from hashinsight.commands.catalogue import CATALOGUE, LEGACY_NAMES, CommandType, Downtime, Effect, Risk
from hashinsight.commands.params import Unit
from hashinsight.commands.states import Priority

# an enum in the schema: the catalogue is a table, not an enum class
CommandName = Annotated[str, Field(json_schema_extra={"enum": list(CATALOGUE)})]
WireVerb = Annotated[str, Field(json_schema_extra={"enum": [kind.verb for kind in CATALOGUE.values()]})]


class ParamProperty(TypedDict, total=False):
    """JSON Schema of a parameter, with its unit."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    type: Literal["string", "integer", "number", "boolean", "object", "null"]
    enum: list[str]
    minimum: int | float
    maximum: int | float
    unit: Unit
    anyOf: "list[ParamProperty]"
    properties: "dict[str, ParamProperty]"


class RequiredParams(TypedDict):
    required: list[str]


class ParamSchema(TypedDict):
    properties: dict[str, ParamProperty]
    required: list[str]
    anyOf: Annotated[list[RequiredParams], Field(description="One of these sets must be given; empty: no such rule.")]


class CommandTypeOut(BaseModel):
    command_type: CommandName
    wire_verb: WireVerb
    risk: Risk
    effect: Effect
    down: Downtime
    is_control: bool = Field(description="One at a time per machine.")
    params: ParamSchema
    secret_params: list[str]
    opposes: list[str]
    undone_by: str | None
    older_names: list[str]


class TtlBounds(BaseModel):
    least: int
    most: int
    default: int


class MachineBounds(BaseModel):
    most: int


class CatalogueOut(BaseModel):
    types: list[CommandTypeOut]
    priorities: list[Priority]
    ttl_sec: TtlBounds
    machines: MachineBounds


@cache
def show_catalogue() -> dict[str, Any]:
    """As `CatalogueOut`."""
    return {
        "types": [_show_type(kind) for kind in CATALOGUE.values()],
        "priorities": list(reversed(Priority)),
        "ttl_sec": {"least": limits.MIN_TTL_SEC, "most": limits.MAX_TTL_SEC, "default": limits.DEFAULT_TTL_SEC},
        "machines": {"most": limits.MAX_MACHINES},
    }


def _show_type(kind: CommandType) -> dict[str, Any]:
    return {
        "command_type": kind.name,
        "wire_verb": kind.verb,
        "risk": kind.risk,
        "effect": kind.effect,
        "down": kind.down,
        "is_control": kind.is_control,
        "params": kind.schema,
        "secret_params": sorted(kind.secret_params),
        "opposes": sorted(kind.opposes),
        "undone_by": kind.inverse,
        "older_names": [old for old, new in LEGACY_NAMES.items() if new.name == kind.name],
    }
