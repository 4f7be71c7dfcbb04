"""What a fault family is: its figures as data, what it does to a machine, and how that shows."""

from collections.abc import Callable
from dataclasses import dataclass

from hashinsight.sim.cases import Running
from hashinsight.sim.effects import Effects
from hashinsight.sim.looks import Look

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True)
class Family:
    """`share`: of a machine's hardware faults, or faults a year where `by_itself`. `warns`: part that gives warning."""

    kind: str
    family: str
    signature: str  # in words
    within_sec: float  # measurable this long after the start, at severity 1
    does: Callable[[Running, Effects], None]
    shows: Callable[[Look, Look], bool]  # before and after, the same machine at about the same air
    share: float = 0.0
    by_itself: bool = False
    warns: float = 0.0
    lead_sec: tuple[float, float] = (0.0, 0.0)
    precursor: str = "none"
    repair_sec: tuple[float, float] | None = None  # None: the scenario's repair time
    heat: bool = False  # heat brings it on
    cycles: bool = False  # power cycles bring it on
    repair_boots: bool = True  # whoever mends it switches the machine off and on
    restart_cures: float = 0.0  # chance that a reboot by command ends it
    spreads: str = "machine"  # or rack: all its machines at once


Families = tuple[Family, ...]
