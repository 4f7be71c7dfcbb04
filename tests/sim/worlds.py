"""Worlds for the tests of the simulator, and how to watch them."""

from functools import cache

from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Families
from hashinsight.sim.plan import Scenario
from hashinsight.sim.readings import Flags, Readings
from hashinsight.sim.reserved import RESERVED
from hashinsight.sim.scenario import from_library
from hashinsight.sim.world import World

START = 1_780_000_000.0  # a May afternoon
DAY, HOUR, MINUTE = 86_400.0, 3600.0, 60.0
EVERY_KIND: Families = (*PUBLIC, *RESERVED)


@cache
def quiet(machines: int) -> Scenario:
    return from_library("quiet").resized(machines)


def quiet_world(machines: int = 22, *, seed: int = 7, families: Families = EVERY_KIND, step: float = 300.0) -> World:
    """Every simulated model, nothing planned."""
    return World(quiet(machines), seed=seed, start=START, families=families, max_step_sec=step)


def watch(world: World, seconds: float, every: float) -> tuple[list[Readings], list[Flags]]:
    readings, heard, end = [], [], world.at + seconds
    while world.at < end:
        world.advance(min(world.at + every, end))
        readings.append(world.readings())
        heard.append(world.collected())
    return readings, heard
