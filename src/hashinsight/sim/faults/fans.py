"""Fans: one stops or runs far below its set speed; after a while protection stops the machine."""
# ruff: noqa: PLR2004 - effects are stated in figures

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.faults.family import DAY, MINUTE, ActiveCases, Family
from hashinsight.sim.models import FAN_COUNT

_FAN_LOST_CODE = 110


def fail_fan(case: ActiveCases, effects: Effects) -> None:
    count = FAN_COUNT[case.fleet.model[case.machine]]
    fan = (case.draws[:, 0] * count).astype(np.int64)
    index = (case.machine, fan)
    warned = (case.warns_from < case.start) & ~case.started
    effects.fan_jitter_rpm[index] += 260 * case.warning * warned
    effects.fan_gain[index] *= np.where(warned, 1 - 0.10 * case.warning, 1.0)
    has_stopped = case.started & (case.draws[:, 1] < 0.55)
    slow = case.started & ~has_stopped
    effects.fan_gain[index] *= np.where(has_stopped, 0.0, 1.0)
    # what the tachometer misses, the air misses too
    effects.fan_minus_rpm[index] += np.where(slow, 2000 + 1000 * case.draws[:, 2], 0.0)
    effects.fan_gain[index] *= np.where(slow, 0.85, 1.0)
    patience = (20 + 100 * case.draws[:, 3]) * MINUTE
    stopped = case.machine[has_stopped & (case.age > patience)]
    effects.stalled[stopped] = True
    effects.error_code[stopped] = _FAN_LOST_CODE


FAMILIES = (
    Family(
        kind="fan_failing",
        family="fan",
        signature="one fan at 0 rpm (machine stops) or 2,000 to 3,000 below the others, which speed up; hotter",
        within_sec=15 * MINUTE,
        does=fail_fan,
        share=0.15,
        warns=0.65,
        lead_sec=(2 * DAY, 10 * DAY),
        precursor="rpm variance up, rpm over duty drifts down",
        heat=True,
    ),
)
