"""Fault families of single machines: the public ones, open to tuning."""

from hashinsight.sim.faults import boards, connections, cooling, fans, sensors, supply
from hashinsight.sim.faults.family import Families

PUBLIC: Families = (
    *boards.FAMILIES,
    *fans.FAMILIES,
    *supply.FAMILIES,
    *cooling.FAMILIES,
    *sensors.FAMILIES,
    *connections.FAMILIES,
)
