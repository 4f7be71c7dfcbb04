"""Parameters of each command type: typed, bounded, with units. Pure.

Strict: neither texts nor booleans are numbers, and unknown parameters are refused.
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hashinsight.wire.commands import FAN_SPEED_PCT, FREQUENCY_MHZ, MAX_DELAY_SEC, POWER_LIMIT_W

_POOL_URL = re.compile(
    r"(?P<scheme>stratum\+(?:tcp|ssl|tls)|stratum2(?:\+(?:tcp|ssl|tls))?)://"
    r"(?P<host>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])"
    r":(?P<port>[0-9]{1,5})(?P<authority>/[A-Za-z0-9]{1,100})?",
    re.IGNORECASE,
)
_MAX_PORT = 65_535
Unit = Literal["s", "MHz", "%", "W"]


def _pool_url(text: str) -> str:
    """Host and port, normalized; a Stratum V2 address may end with the pool's authority key."""
    if "@" in text:
        raise ValueError("no credentials in the address: use pool_user and pool_password")
    match = _POOL_URL.fullmatch(text)
    if match is None:
        raise ValueError("must look like stratum+tcp://pool.example:3333 (tcp, ssl, tls, or stratum2)")
    if not 1 <= int(match["port"]) <= _MAX_PORT:
        raise ValueError(f"port must be between 1 and {_MAX_PORT}")
    if match["authority"] and not match["scheme"].lower().startswith("stratum2"):
        raise ValueError("no path after the port")
    return f"{match['scheme'].lower()}://{match['host'].lower()}:{int(match['port'])}{match['authority'] or ''}"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("contains an unprintable character")
    return text


def _word(text: str) -> str:
    if " " in text:
        raise ValueError("contains a space")
    return _printable(text)


def _plain_number(number: float) -> float:
    """490.0 is sent as 490: some collectors expect an integer."""
    return int(number) if number.is_integer() else number


def _unit(unit: Unit) -> dict[str, Any]:
    return {"unit": unit}


class Params(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class NoParams(Params):
    pass


class Reboot(Params):
    delay_seconds: Annotated[int, Field(ge=0, le=MAX_DELAY_SEC, json_schema_extra=_unit("s"))] | None = None


class Pool(Params):
    # the first two conditions of `_is_one_pool`, for forms: what is missing before a request makes sense
    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["pool_url", "pool_user"]}, {"required": ["pool_id"]}]}
    )

    pool_url: Annotated[str, StringConstraints(max_length=400), AfterValidator(_pool_url)] | None = None
    pool_user: Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_word)] | None = None
    pool_password: Annotated[str, StringConstraints(max_length=200), AfterValidator(_printable)] | None = Field(
        None, description="secret"
    )
    pool_id: (
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
        | Annotated[int, Field(ge=0, le=2**31 - 1)]
        | None
    ) = Field(None, description="instead of the others")

    @model_validator(mode="after")
    def _is_one_pool(self) -> Self:
        """A pool from the collector's own list by id, or address and user."""
        given = (self.pool_url, self.pool_user)
        if self.pool_id is None and None in given:
            raise ValueError("give pool_url and pool_user, or pool_id")
        if self.pool_id is not None and (any(given) or self.pool_password is not None):
            raise ValueError("give either pool_id or pool_url and pool_user")
        return self


Mhz = Annotated[
    float,
    Field(ge=FREQUENCY_MHZ[0], le=FREQUENCY_MHZ[1], json_schema_extra=_unit("MHz")),
    AfterValidator(_plain_number),
]
Percent = Annotated[int, Field(ge=FAN_SPEED_PCT[0], le=FAN_SPEED_PCT[1], json_schema_extra=_unit("%"))]
Watts = Annotated[int, Field(ge=POWER_LIMIT_W[0], le=POWER_LIMIT_W[1], json_schema_extra=_unit("W"))]
Mode = Literal["eco", "normal", "perf"]


class Frequency(Params):
    frequency: Mhz


class Fan(Params):
    speed: Percent


class PowerLimit(Params):
    watts: Watts


class PowerMode(Params):
    mode: Mode


class FaultLight(Params):
    on: bool


class MachineConfig(Params):
    """One or more settings, each with the bounds of the command that sets it alone; nothing else is accepted."""

    # An allow list: manufacturers have many names for a pool, so a deny list would miss some. Add a setting here only
    # if collectors know it and it is no riskier than this command.
    power_mode: Mode | None = None
    power_limit_w: Watts | None = None
    frequency_mhz: Mhz | None = None
    fan_speed_pct: Percent | None = None

    @model_validator(mode="after")
    def _sets_something(self) -> Self:
        if not any(value is not None for value in self.__dict__.values()):
            raise ValueError("must have at least one setting")
        return self


class Config(Params):
    config: Annotated[MachineConfig, Field(strict=False)]  # a JSON object; its members stay strict
