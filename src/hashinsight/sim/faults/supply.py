"""Power supplies: tripped protection, reboot loops, machines that do not start again after a stop."""
# ruff: noqa: PLR2004 - effects are stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.family import DAY, HOUR, MINUTE, ActiveCases, Family

_PROTECTION_CODE = 239
_FAILED_START_CODE = 5030


def trip_protection(case: ActiveCases, effects: Effects) -> None:
    """Errors on all boards at once for a few minutes, then no output until somebody comes."""
    machine = case.machine[case.started]
    effects.volts[machine] = 0.3
    effects.error_code[machine] = _PROTECTION_CODE
    effects.errors_per_h[machine] += 400
    # a whole step at least, else rows every five minutes would show no error
    effects.stalled[case.machine[case.age >= 3 * MINUTE + case.dt]] = True


def loop_reboots(case: ActiveCases, effects: Effects) -> None:
    """Reboots under load, again and again: hashrate is a saw-tooth, errors come from all boards at once."""
    machine = case.machine[case.started]
    effects.errors_per_h[machine] += 60
    effects.volts[machine] = 0.9
    period = (12 + 25 * case.draws[:, 1]) * MINUTE / np.maximum(case.severity, 0.1)
    due_at = case.memory[:, 0]
    fires = case.started & ~(due_at > case.now)  # NaN at first: at once
    case.remember(0, np.where(fires, case.now + period * (0.7 + 0.6 * case.draws[:, 2]), due_at))
    effects.reboot[case.machine[fires]] = True


def reboot_once(case: ActiveCases, effects: Effects) -> None:
    fresh = case.started & np.isnan(case.memory[:, 0])
    case.remember(0, np.where(fresh, case.now, case.memory[:, 0]))
    effects.reboot[case.machine[fresh]] = True


def fail_to_start(case: ActiveCases, effects: Effects) -> None:
    machine = case.machine[case.started]
    effects.stalled[machine] = True
    effects.error_code[machine] = _FAILED_START_CODE
    # some hang before the network is up
    effects.linked[machine[case.draws[case.started, 1] < 0.4]] = False


FAMILIES = (
    Family(
        kind="psu_protection",
        family="psu",
        signature="errors on all boards at once, then 0 TH/s at standby power; machine still responds",
        within_sec=20 * MINUTE,
        does=trip_protection,
        share=0.09,
        heat=True,
        cycles=True,
    ),
    Family(
        kind="psu_reboot_loop",
        family="psu",
        signature="reboots every 10 to 40 min, sawtooth hashrate, errors on all boards at once",
        within_sec=4 * HOUR,
        does=loop_reboots,
        share=0.06,
        heat=True,
        cycles=True,
    ),
    Family(
        kind="spontaneous_reboot",
        family="reboot",
        signature="one reboot: uptime and counters from zero, back within 20 min",
        within_sec=20 * MINUTE,
        does=reboot_once,
        share=3.0,
        by_itself=True,
        repair_sec=(20 * MINUTE, 20 * MINUTE),
        repair_boots=False,
    ),
    Family(
        kind="failed_restart",
        family="restart",
        signature="0 TH/s at standby power after a stop was lifted, or no response",
        within_sec=20 * MINUTE,
        does=fail_to_start,
        repair_sec=(4 * HOUR, 1.5 * DAY),
        restart_cures=0.5,
    ),
)
