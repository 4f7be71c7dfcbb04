"""Common causes: one event that affects many machines at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashinsight.sim.effects import Effects
from hashinsight.sim.episodes import MachineNumbers
from hashinsight.sim.plan import PlannedCause
from hashinsight.sim.readings import Counts, Floats
from hashinsight.sim.state import State


@dataclass
class CauseEvent:
    """A cause that is active or scheduled."""

    no: int
    plan: PlannedCause
    machines: MachineNumbers
    start: float
    end: float
    luck: Floats  # random number between 0 and 1 for each of its machines
    first_pool: Counts  # of each of its machines, when it was planned or injected
    firmware_no: int | None = None  # set by a rollout
    reported_model_no: int | None = None

    def swelling(self, now: float, over_sec: float) -> float:
        """0 to 1 within `over_sec` of the start, and back before the end."""
        up, down = (now - self.start) / over_sec, (self.end - now) / over_sec
        return float(np.clip(min(up, down), 0.0, 1.0))


@dataclass(frozen=True)
class CauseKind:
    kind: str
    family: str
    signature: str
    within_sec: float
    does: Callable[[CauseEvent, Effects, State, float], None]
    reach: str  # what it affects unless narrowed: site, zone, switch or pdu
    usual_sec: float
    lasting: bool = False  # its changes stay after its end
