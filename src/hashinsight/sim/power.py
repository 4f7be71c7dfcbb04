"""Watts: what hashing, leaking, fans and standby take from the wall, and which frequency a limit leaves."""

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim.models import FANS_FULL_W, IDLE_W, LEAK_PER_C, LEAST_FREQUENCY, MODE_FREQUENCY, POWER_OF_FREQUENCY
from hashinsight.sim.readings import BOARDS, Flags, Floats

_LEAK_FREE_BELOW_TARGET_C = 4.0  # rated figures hold at about this much below the target
_RATED_AIR_C = 25.0


def wanted_frequency(mode: NDArray[np.int8], limit_w: Floats, hash_w: Floats) -> Floats:
    """What mode and power limit ask for, as a share of the rated frequency."""
    by_mode = MODE_FREQUENCY[mode]
    room = np.maximum(limit_w - IDLE_W - FANS_FULL_W * 0.4, 1.0) / hash_w
    by_limit = np.maximum(room ** (1 / POWER_OF_FREQUENCY), LEAST_FREQUENCY)
    # fmin: no limit is NaN
    wanted: Floats = np.fmin(by_mode, by_limit)
    return wanted


def board_load(frequency: Floats, chips_share: Floats, on: Flags) -> Floats:
    """Dynamic power of every board as a share of its rated one; a dead chip still takes half of its part."""
    load: Floats = (frequency**POWER_OF_FREQUENCY)[:, None] * on * (0.5 + 0.5 * chips_share)
    return load


def leaked(load: Floats, chip_c: Floats, target_c: Floats) -> Floats:
    """The same with leakage: silicon takes more when it is hot."""
    warm: Floats = load * (1 + LEAK_PER_C * (chip_c - (target_c - _LEAK_FREE_BELOW_TARGET_C)[:, None]))
    return warm


def wall_power(load: Floats, hash_w: Floats, duty: Floats, inlet_c: Floats, air_watts: Floats) -> Floats:
    air = 1 + air_watts * (inlet_c - _RATED_AIR_C)
    watts: Floats = IDLE_W + FANS_FULL_W * duty**3 + hash_w * load.sum(axis=1) / BOARDS * air
    return watts
