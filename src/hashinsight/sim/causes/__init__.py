"""Common causes: one event, many machines."""

from hashinsight.sim.causes import air, lines, orders
from hashinsight.sim.causes.kind import CauseKind

CAUSES: tuple[CauseKind, ...] = (*air.KINDS, *lines.KINDS, *orders.KINDS)
