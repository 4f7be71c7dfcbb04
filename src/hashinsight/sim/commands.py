"""Commands to a simulated machine, by socket or control API: what each changes, or why the machine refuses it."""

from dataclasses import dataclass

import numpy as np

from hashinsight.sim import restarts
from hashinsight.sim.episodes import MachineNumbers
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.models import RATED_W, has_power_limit
from hashinsight.sim.plan import Pool, pool_number
from hashinsight.sim.readings import MODES
from hashinsight.sim.state import State


@dataclass(frozen=True)
class Pause:
    """Stops hashing; control board and network stay up."""


@dataclass(frozen=True)
class Resume:
    """Starts hashing again after a warm-up; a few restarts fail."""


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


Command = Pause | Resume | Restart | SetPools | SetPowerLimit | SetMode | FaultLight


@dataclass(frozen=True)
class Refusal:
    """Why a machine refused a command."""

    reason: str


_LIMIT_RANGE = (0.4, 1.3)  # of the rated watts
_MAX_POOLS = 3


def find_refusal(fleet: Fleet, machine: int, command: Command, *, firmware: str, hung: bool) -> Refusal | None:
    """The reason why a reachable machine refuses the command, or None."""
    model = fleet.models[fleet.model[machine]]
    if hung and not (isinstance(command, Restart) and command.whole):
        return Refusal("mining program is not responding")
    if isinstance(command, SetMode) and command.mode not in MODES:
        return Refusal(f"unknown mode {command.mode!r}: use one of {', '.join(MODES)}")
    if isinstance(command, SetPools) and not 1 <= len(command.pools) <= _MAX_POOLS:
        return Refusal(f"1 to {_MAX_POOLS} pools can be set, not {len(command.pools)}")
    if isinstance(command, SetPowerLimit):
        if not has_power_limit(model, firmware):
            return Refusal(f"stock firmware of the {model.name} has no power limit")
        low, high = (round(part * float(RATED_W[fleet.model[machine]])) for part in _LIMIT_RANGE)
        if not low <= command.watts <= high:
            return Refusal(f"the power limit of this {model.name} is between {low} and {high} W")
    return None


def execute(
    fleet: Fleet,
    state: State,
    machines: MachineNumbers,
    command: Command,
    *,
    now: float,
    pools: dict[int, tuple[Pool, ...]],
) -> None:
    """Applies the command to the state of these machines."""
    chosen = np.zeros(fleet.n, dtype=np.bool_)
    chosen[machines] = True
    match command:
        case Pause():
            state.paused[chosen] = True
        case Resume():
            restarts.resume(state, chosen & state.paused, now=now)
            state.paused[chosen] = False
        case Restart(whole=True):
            state.power_cycles[chosen] += 1
            restarts.reboot(fleet, state, chosen, now=now)
        case Restart():
            restarts.restart_program(state, chosen, now=now)
        case SetPools():
            pools.update(dict.fromkeys(machines.tolist(), command.pools))
            state.first_pool[chosen] = pool_number(command.pools)
        case SetPowerLimit():
            state.limit_w[chosen] = command.watts
        case SetMode():
            state.mode[chosen] = MODES.index(command.mode)
        case FaultLight():
            state.light[chosen] = command.on
