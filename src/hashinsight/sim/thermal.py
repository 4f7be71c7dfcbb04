"""Heat: where boards and chips come to rest, how fast they get there, and what protection does when it is too much."""

import numpy as np

from hashinsight.facts.temperatures import CHIP_OVER_BOARD_C
from hashinsight.sim.models import DERATED_FREQUENCY, POWER_OF_FREQUENCY
from hashinsight.sim.readings import Flags, Floats

_BOARD_SEC = 110.0  # time constant of a board with its heatsinks in moving air
_THROTTLE_BELOW_HOT_C = 2.0
_THROTTLE_PER_C = 0.03
_LEAST_TRIM = 0.80
_TRIM_SEC = 60.0
_TRIP_SEC = 1200.0


def relaxed(board_c: Floats, rest_c: Floats, dt: float) -> Floats:
    """The exact solution for a step of any length towards a constant point of rest."""
    carried: Floats = rest_c + (board_c - rest_c) * np.exp(-dt / _BOARD_SEC)
    return carried


def chip_over(load: Floats, factor: Floats) -> Floats:
    over: Floats = CHIP_OVER_BOARD_C * load * factor
    return over


def throttled(trim: Floats, chip_c: Floats, inlet_c: Floats, hot_c: Floats, dt: float) -> Floats:
    """What throttling leaves of the frequency. Divided by the loop's own gain, else long steps would swing."""
    hottest = chip_c.max(axis=1)
    asked = np.clip(1 - _THROTTLE_PER_C * (hottest - (hot_c - _THROTTLE_BELOW_HOT_C)), _LEAST_TRIM, 1.0)
    gain = _THROTTLE_PER_C * POWER_OF_FREQUENCY * np.maximum(hottest - inlet_c, 0.0)
    left: Floats = np.clip(trim + (asked - trim) / (1 + gain) * (1 - np.exp(-dt / _TRIM_SEC)), _LEAST_TRIM, 1.0)
    return left


def derated(inlet_c: Floats, derate_inlet_c: Floats) -> Floats:
    """Models that know the air: 490 → 440 MHz on an S21 above 40 °C."""
    return np.where(inlet_c > derate_inlet_c, DERATED_FREQUENCY, 1.0)


def tripped(trip_until: Floats, chip_c: Floats, panic_c: Floats, too_hot_air: Flags, now: float) -> Floats:
    """Until when each board is cut: 20 minutes from the last time that it was past its panic limit."""
    past = (chip_c >= panic_c[:, None]) | too_hot_air[:, None]
    return np.where(past, now + _TRIP_SEC, trip_until)
