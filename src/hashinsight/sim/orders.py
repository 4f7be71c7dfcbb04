"""Commands: what each verb changes in a machine's physics, or why the machine refuses it."""

import numpy as np

from hashinsight.sim import boots
from hashinsight.sim.acts import (
    Act,
    FaultLight,
    Pause,
    Pool,
    Refused,
    Restart,
    Resume,
    SetMode,
    SetPools,
    SetPowerLimit,
    pool_number,
)
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.labels import Places
from hashinsight.sim.models import RATED_W, has_power_limit
from hashinsight.sim.readings import MODES
from hashinsight.sim.state import State

_LIMIT_RANGE = (0.4, 1.3)  # of the rated watts
_MOST_POOLS = 3


def refusal(fleet: Fleet, machine: int, act: Act, *, firmware: str, hung: bool) -> Refused | None:
    """Why this machine, which answers, would not do it."""
    model = fleet.models[fleet.model[machine]]
    if hung and not (isinstance(act, Restart) and act.whole):
        return Refused("the mining program does not answer")
    if isinstance(act, SetMode) and act.mode not in MODES:
        return Refused(f"mode {act.mode!r} is none of {', '.join(MODES)}")
    if isinstance(act, SetPools) and not 1 <= len(act.pools) <= _MOST_POOLS:
        return Refused(f"it takes one to {_MOST_POOLS} pools, not {len(act.pools)}")
    if isinstance(act, SetPowerLimit):
        if not has_power_limit(model, firmware):
            return Refused(f"the maker's own firmware of the {model.name} has no power limit")
        low, high = (round(part * float(RATED_W[fleet.model[machine]])) for part in _LIMIT_RANGE)
        if not low <= act.watts <= high:
            return Refused(f"the power limit of this {model.name} is between {low} and {high} W")
    return None


def obey(
    fleet: Fleet, state: State, machines: Places, act: Act, *, now: float, pools: dict[int, tuple[Pool, ...]]
) -> None:
    """Changes the state as the verb says."""
    chosen = np.zeros(fleet.n, dtype=np.bool_)
    chosen[machines] = True
    match act:
        case Pause():
            state.paused[chosen] = True
        case Resume():
            boots.resume(state, chosen & state.paused, now=now)
            state.paused[chosen] = False
        case Restart(whole=True):
            state.power_cycles[chosen] += 1
            boots.reboot(fleet, state, chosen, now=now)
        case Restart():
            boots.restart_program(state, chosen, now=now)
        case SetPools():
            pools.update(dict.fromkeys(machines.tolist(), act.pools))
            state.first_pool[chosen] = pool_number(act.pools)
        case SetPowerLimit():
            state.limit_w[chosen] = act.watts
        case SetMode():
            state.mode[chosen] = MODES.index(act.mode)
        case FaultLight():
            state.light[chosen] = act.on
