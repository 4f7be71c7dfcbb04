"""What each command takes: typed, bounded, with units. Pure.

Strict: a text is no number, a boolean is none either, and a parameter that nobody reads is a mistake of whoever asks.
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

_POOL_URL = re.compile(
    r"(?P<scheme>stratum\+(?:tcp|ssl|tls)|stratum2(?:\+(?:tcp|ssl|tls))?)://"
    r"(?P<host>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])"
    r":(?P<port>[0-9]{1,5})(?P<authority>/[A-Za-z0-9]{1,100})?",
    re.IGNORECASE,
)
_MOST_PORT = 65_535


def _pool_url(text: str) -> str:
    """Host and port and nothing else; a Stratum 2 pool may name the key of its authority behind them."""
    if "@" in text:
        raise ValueError("credentials do not belong into an address: use pool_user and pool_password")
    found = _POOL_URL.fullmatch(text)
    if found is None:
        raise ValueError("an address is like stratum+tcp://pool.example:3333 (tcp, ssl, tls, or stratum2)")
    if not 1 <= int(found["port"]) <= _MOST_PORT:
        raise ValueError(f"a port is 1 to {_MOST_PORT}")
    if found["authority"] and not found["scheme"].lower().startswith("stratum2"):
        raise ValueError("nothing follows the port")
    return f"{found['scheme'].lower()}://{found['host'].lower()}:{int(found['port'])}{found['authority'] or ''}"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds a character that cannot be shown")
    return text


def _word(text: str) -> str:
    if " " in text:
        raise ValueError("holds a blank")
    return _printable(text)


def _plain_number(number: float) -> float:
    """490.0 goes out as 490: some collectors read a whole number there."""
    return int(number) if number.is_integer() else number


def _unit(unit: str) -> dict[str, Any]:
    return {"unit": unit}


class Params(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class NoParams(Params):
    pass


class Reboot(Params):
    delay_seconds: Annotated[int, Field(ge=0, le=300, json_schema_extra=_unit("s"))] | None = None


class Pool(Params):
    pool_url: Annotated[str, StringConstraints(max_length=400), AfterValidator(_pool_url)] | None = None
    pool_user: Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_word)] | None = None
    pool_password: Annotated[str, StringConstraints(max_length=200), AfterValidator(_printable)] | None = Field(
        None, description="secret"
    )
    pool_id: (
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
        | Annotated[int, Field(ge=0, le=2**31 - 1)]
        | None
    ) = Field(None, description="in place of the others")

    @model_validator(mode="after")
    def _is_one_pool(self) -> Self:
        """A pool that the collector knows by its id, or one that is spelled out."""
        spelled = (self.pool_url, self.pool_user)
        if self.pool_id is None and None in spelled:
            raise ValueError("give pool_url and pool_user, or pool_id")
        if self.pool_id is not None and (any(spelled) or self.pool_password is not None):
            raise ValueError("give pool_id or the pool spelled out, not both")
        return self


Mhz = Annotated[float, Field(ge=100, le=1500, json_schema_extra=_unit("MHz")), AfterValidator(_plain_number)]
Percent = Annotated[int, Field(ge=0, le=100, json_schema_extra=_unit("%"))]
Watts = Annotated[int, Field(ge=100, le=20_000, json_schema_extra=_unit("W"))]
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
    """One or more settings, each within the bounds of the command that sets it alone. Nothing else is taken."""

    # What is allowed, because nobody can list what is not: makers have many words for a pool. A new setting is a line
    # here, once it is known what collectors make of it and that it needs no higher risk than this command has.
    power_mode: Mode | None = None
    power_limit_w: Watts | None = None
    frequency_mhz: Mhz | None = None
    fan_speed_pct: Percent | None = None

    @model_validator(mode="after")
    def _sets_something(self) -> Self:
        if not any(value is not None for value in self.__dict__.values()):
            raise ValueError("sets nothing")
        return self


class Config(Params):
    config: Annotated[MachineConfig, Field(strict=False)]  # an object, as JSON has it; what is in it stays strict
