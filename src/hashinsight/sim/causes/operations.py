"""Pool outages and rejects, curtailment, firmware rollouts."""

from hashinsight.sim.causes.kind import CauseEvent, CauseKind
from hashinsight.sim.effects import Effects
from hashinsight.sim.episodes import MachineNumbers
from hashinsight.sim.state import State

HOUR = 3600.0
_ROLLOUT_PACE_SEC = 1800.0


def _still_there(event: CauseEvent, state: State) -> MachineNumbers:
    """Machines still on this pool; those switched to another pool since are not affected."""
    there: MachineNumbers = event.machines[state.first_pool[event.machines] == event.first_pool]
    return there


def kill_pool(event: CauseEvent, effects: Effects, state: State, _now: float) -> None:
    effects.pool_dead[_still_there(event, state)] = True


def reject_shares(event: CauseEvent, effects: Effects, state: State, _now: float) -> None:
    effects.rejects[_still_there(event, state)] += min(0.15 * event.plan.severity, 0.9)


def curtail(event: CauseEvent, effects: Effects, _state: State, _now: float) -> None:
    effects.curtailed[event.machines] = True
    effects.restart_failures[event.machines] = event.plan.restart_failures


def roll_out(event: CauseEvent, effects: Effects, state: State, now: float) -> None:
    """Machine by machine over half an hour: reboot, and from then on another firmware text, name or unit."""
    turn = event.start + event.luck * min(_ROLLOUT_PACE_SEC, event.end - event.start)
    machines = event.machines[(turn <= now) & (state.booted_at[event.machines] < turn)]
    effects.reboot[machines] = True
    if event.firmware_no is not None:
        state.firmware_no[machines] = event.firmware_no
    if event.reported_model_no is not None:
        state.reported_model_no[machines] = event.reported_model_no
    state.unit_factor[machines] = event.plan.hashrate_factor


KINDS = (
    CauseKind(
        kind="pool_outage",
        family="pool",
        signature="no accepted shares at a whole site, or all machines on their backup pool; hashrate normal",
        within_sec=1800.0,
        does=kill_pool,
        reach="site",
        usual_sec=2 * HOUR,
    ),
    CauseKind(
        kind="pool_trouble",
        family="pool",
        signature="15 % of the shares of a whole site rejected; hashrate normal",
        within_sec=3600.0,
        does=reject_shares,
        reach="site",
        usual_sec=3 * HOUR,
    ),
    CauseKind(
        kind="curtailment",
        family="curtailment",
        signature="all machines drop to standby power at once and still respond; some fail to restart",
        within_sec=900.0,
        does=curtail,
        reach="site",
        usual_sec=3 * HOUR,
    ),
    CauseKind(
        kind="firmware_rollout",
        family="firmware",
        signature="machines reboot one after the other within half an hour; firmware text, name or unit may change",
        within_sec=2700.0,
        does=roll_out,
        reach="site",
        usual_sec=HOUR,
        lasting=True,
    ),
)
