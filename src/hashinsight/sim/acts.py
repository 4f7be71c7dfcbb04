"""What can be done to a simulated machine: the verbs that arrive by its sockets or by the control API."""

import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Pool:
    url: str
    user: str
    password: str = "x"  # noqa: S105 - what miners send when a pool asks for none


def pool_number(pools: tuple[Pool, ...]) -> int:
    """Tells first pools apart in arrays: the same number for the same address."""
    return zlib.crc32(pools[0].url.encode(errors="replace")) if pools else -1


@dataclass(frozen=True)
class Pause:
    """Stops hashing; control board and network stay up."""


@dataclass(frozen=True)
class Resume:
    """Starts hashing again, with the warm-up of a real machine and the small chance of a failed restart."""


@dataclass(frozen=True)
class Restart:
    """Reboots: unreachable for a while, counters and uptime from zero. `whole=False`: the mining program only."""

    whole: bool = True


@dataclass(frozen=True)
class SetPools:
    pools: tuple[Pool, ...]


@dataclass(frozen=True)
class SetPowerLimit:
    watts: float


@dataclass(frozen=True)
class SetMode:
    mode: str  # of readings.MODES


@dataclass(frozen=True)
class FaultLight:
    on: bool


Act = Pause | Resume | Restart | SetPools | SetPowerLimit | SetMode | FaultLight


@dataclass(frozen=True)
class Refused:
    """A machine reports why it refuses a write instead of returning false."""

    reason: str
