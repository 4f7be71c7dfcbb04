"""Power loss and return, reboots, restarts of the mining program, and the warm-up after each."""

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.state import State

WARM_UP_SEC = 420.0
_SYSTEM_SEC = 55.0  # until a rebooted machine responds
_PROGRAM_SEC = 45.0  # until a restarted mining program hashes
_STAGGER_SEC = 90.0  # machines of one PDU do not come back in the same second
_JOBLESS_SEC = 150.0  # without a network, work runs out after this long


def reboot(fleet: Fleet, state: State, machines: Flags, *, now: float, stagger: Floats | float = 0.0) -> None:
    """Reboots: unreachable at first, counters cleared, hashing after the unit's boot time."""
    begin = np.broadcast_to(now + stagger, (fleet.n,))[machines]
    state.booted_at[machines] = begin
    state.reach_at[machines] = begin + _SYSTEM_SEC
    state.ready_at[machines] = begin + fleet.boot_sec[machines]
    state.trip_until[machines] = -np.inf
    state.trim[machines] = 1.0
    state.board_ths[machines] = 0.0
    clear_counters(state, machines)


def restart_program(state: State, machines: Flags, *, now: float) -> None:
    """Restarts the mining program only: the machine stays reachable, counters and uptime start again."""
    state.booted_at[machines] = now
    state.ready_at[machines] = now + _PROGRAM_SEC
    state.board_ths[machines] = 0.0
    clear_counters(state, machines)


def resume(state: State, machines: Flags, *, now: float, stagger: Floats | float = 0.0) -> None:
    """Resumes hashing after a pause: no boot, but the same warm-up."""
    begin = np.broadcast_to(now + stagger, machines.shape)[machines] + _PROGRAM_SEC
    state.ready_at[machines] = np.maximum(state.ready_at[machines], begin)


def clear_counters(state: State, machines: Flags) -> None:
    """Resets the counters, as a restarted mining program does."""
    state.accepted[machines] = 0
    state.rejected[machines] = 0
    state.board_errors[machines] = 0


def update_power(fleet: Fleet, state: State, effects: Effects, *, now: float, luck: Floats) -> tuple[Flags, Flags]:
    """Applies power and curtailment. Returns which machines booted and which came back from curtailment."""
    back = effects.powered & ~state.powered
    returned = state.curtailed & ~effects.curtailed & effects.powered
    booted = back | (effects.reboot & effects.powered)
    if booted.any():
        reboot(fleet, state, booted, now=now, stagger=np.where(back, luck * _STAGGER_SEC, 0.0))
        state.power_cycles[booted] += 1
    if returned.any():
        resume(state, returned, now=now, stagger=luck * _STAGGER_SEC)
        state.power_cycles[returned] += 1
    state.powered[:] = effects.powered
    state.curtailed[:] = effects.curtailed
    return booted, returned


def update_network(state: State, effects: Effects, *, now: float) -> Flags:
    """Which machines have work: one without network hashes on until its work runs out."""
    state.linked_at[effects.linked] = now
    jobless: Flags = now - state.linked_at > _JOBLESS_SEC
    state.ready_at[jobless] = np.maximum(state.ready_at[jobless], now + _PROGRAM_SEC)
    return ~jobless


def warm_up(state: State, now: float) -> Floats:
    """Share of its frequency that a machine has reached: 0 before start, then from a third to all in seven minutes."""
    since = now - state.ready_at
    return np.where(since < 0, 0.0, np.minimum(0.35 + 0.65 * since / WARM_UP_SEC, 1.0))
