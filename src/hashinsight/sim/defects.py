"""What is wrong with the data: gaps, sentinels, clocks, duplicates, lateness, units. Machines know nothing of it."""

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim.columns import Block
from hashinsight.sim.draws import stream_of
from hashinsight.sim.plan import Defects
from hashinsight.sim.readings import Floats
from hashinsight.sim.world import World

Millis = NDArray[np.int64]
_SENTINELS: tuple[tuple[str, float], ...] = (
    ("temp_max", 0.0),
    ("temp_max", 255.0),
    ("temp_avg", 0.0),
    ("fan_rpm", -1.0),
    ("power_w", 0.0),
)
_USUAL_DELAY_SEC = (1.0, 6.0)
_DRAIN = 0.5  # a backlog of an hour takes half an hour to arrive


class Spoiler:
    """Spoils one step at a time, so that how a run is cut into chunks changes nothing."""

    def __init__(self, world: World, defects: Defects, seed: int) -> None:
        self._defects, self._n = defects, world.fleet.n
        self._rng = stream_of(seed, "defects")
        lag = self._rng.uniform(-1, 1, self._n) * defects.clock_sec
        self._clock_ms: Millis = np.rint(lag * 1000).astype(np.int64)
        make = [model.make == defects.units_off_make for model in world.fleet.models]
        self._factor = np.where(np.array(make)[world.fleet.model], 1e6, 1.0).astype(np.float32)

    def spoil(self, block: Block, row: int, at: float) -> tuple[Millis, Floats, NDArray[np.bool_]]:
        """Changes a row of the block. Returns its times, how late each is, and which come twice."""
        wrong = self._defects
        luck = self._rng.random((5, self._n), dtype=np.float32)
        block["heard"][row] &= luck[0] >= wrong.missing
        for number, (name, value) in enumerate(_SENTINELS):
            part = wrong.sentinels / len(_SENTINELS)
            hit = (luck[1] >= number * part) & (luck[1] < (number + 1) * part)
            block[name][row][hit] = value
        if wrong.units_off_make is not None:
            block["hashrate_ths"][row] *= self._factor
        low, high = _USUAL_DELAY_SEC
        late = luck[3] < wrong.late
        delay = np.where(late, luck[4] * wrong.late_max_sec, low + (high - low) * luck[4]).astype(np.float64)
        return np.rint(at * 1000).astype(np.int64) + self._clock_ms, delay, luck[2] < wrong.duplicates


def hear_spooled(world: World, block: Block, row: int) -> None:
    """Where arrival is told, rows that a silent collector kept are there too, to be spoilt like all others."""
    kept = np.isfinite(world.spooled()[1])
    if kept.any():
        block["heard"][row] |= kept & (world.readings().reachable | world.fleet.says_offline)


def arrival_ms(world: World, delay: Floats) -> Millis:
    """When each row reaches the cloud. Rows that a silent collector kept come after its silence, oldest first."""
    begin, end = world.spooled()
    arrived = np.where(np.isfinite(end), end + _DRAIN * (world.at - begin), world.at) + delay
    return np.rint(arrived * 1000).astype(np.int64)
