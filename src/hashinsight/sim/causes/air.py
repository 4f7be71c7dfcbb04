"""Too much heat for many at once: weather, or an aisle whose cooling failed."""
# ruff: noqa: PLR2004 - a signature is stated in figures

import numpy as np

from hashinsight.sim.causes.kind import CauseKind, Event
from hashinsight.sim.effects import Effects
from hashinsight.sim.looks import Look
from hashinsight.sim.state import State
from hashinsight.sim.weather import DAY_SEC

_HEAT_WAVE_C = 9.0
_AISLE_C = 11.0


def heat_wave(event: Event, effects: Effects, _state: State, now: float) -> None:
    effects.inlet_add_c[event.machines] += _HEAT_WAVE_C * event.plan.severity * event.swelling(now, 0.5 * DAY_SEC)


def hot_aisle(event: Event, effects: Effects, _state: State, now: float) -> None:
    # machines in the middle of the aisle get more of their own air back
    part = 0.7 + 0.3 * event.luck
    effects.inlet_add_c[event.machines] += _AISLE_C * event.plan.severity * event.swelling(now, 1200.0) * part


def shows_hot_air(before: Look, after: Look) -> bool:
    warmer = np.max(after.inlet_c) - np.max(before.inlet_c) > 5
    return bool(warmer and np.max(after.fan_duty) >= np.max(before.fan_duty))


KINDS = (
    CauseKind(
        kind="heat_wave",
        family="heat",
        signature="a whole site hotter for days, fans at full, hashrate 5…10 % down in the afternoons",
        within_sec=1.5 * DAY_SEC,
        does=heat_wave,
        shows=shows_hot_air,
        reach="site",
        usual_sec=3 * DAY_SEC,
    ),
    CauseKind(
        kind="hot_aisle",
        family="heat",
        signature="a zone gets hotter within 20 min, fans at full, throttling, some stop",
        within_sec=3600.0,
        does=hot_aisle,
        shows=shows_hot_air,
        reach="zone",
        usual_sec=6 * 3600.0,
    ),
)
