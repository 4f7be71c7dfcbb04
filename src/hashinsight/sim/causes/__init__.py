"""Common causes: one event, many machines."""

from hashinsight.sim.causes import facility, operations
from hashinsight.sim.causes.kind import CauseKind

CAUSES: tuple[CauseKind, ...] = (*facility.HEAT_KINDS, *facility.OUTAGE_KINDS, *operations.KINDS)
