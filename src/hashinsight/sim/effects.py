"""Effects of faults and common causes on machines in one step; neutral by default."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hashinsight.sim.readings import BOARDS, FANS, Counts, Flags, Floats

Neutral = dict[str, float]  # a truth value is a number too
_BY_BOARD: Neutral = {
    "board_alive": True,
    "chips_share": 1.0,
    "errors_per_h": 0.0,
    "board_rise": 1.0,
    "chip_over": 1.0,
    "sensor_c": np.nan,
}
_BY_FAN: Neutral = {
    "fan_gain": 1.0,
    "fan_minus_rpm": 0.0,
    "fan_jitter_rpm": 0.0,
}
_BY_MACHINE: Neutral = {
    "inlet_add_c": 0.0,
    "frequency": 1.0,
    "watts": 1.0,
    "volts": 1.0,
    "powered": True,
    "linked": True,
    "silent": False,
    "spooled_from": np.nan,
    "spooled_until": np.nan,
    "stalled": False,
    "frozen": False,
    "curtailed": False,
    "restart_failures": 0.0,
    "reboot": False,
    "pool_dead": False,
    "rejects": 0.0,
    "diverted": 0.0,
    "error_code": 0,
}


@dataclass
class Effects:
    board_alive: Flags
    chips_share: Floats
    errors_per_h: Floats  # on top of what is normal
    board_rise: Floats  # factor on the rise over inlet air
    chip_over: Floats  # factor on chip over board
    sensor_c: Floats  # value that a broken sensor reports
    fan_gain: Floats
    fan_minus_rpm: Floats
    fan_jitter_rpm: Floats
    inlet_add_c: Floats
    frequency: Floats
    watts: Floats  # factor on what the wall delivers
    volts: Floats
    powered: Flags
    linked: Flags  # network
    silent: Flags  # not collected: no row
    spooled_from: Floats
    spooled_until: Floats  # a silent collector sends its rows after this time
    stalled: Flags  # reachable, not hashing
    frozen: Flags  # repeats its last values
    curtailed: Flags
    restart_failures: Floats  # share of machines that fail when curtailment ends
    reboot: Flags
    pool_dead: Flags  # its first pool
    rejects: Floats  # share of shares refused, on top of what is normal
    diverted: Floats  # share of shares credited to somebody else
    error_code: Counts

    def reset(self) -> None:
        for name, neutral in _NEUTRAL:
            getattr(self, name).fill(neutral)


_NEUTRAL = tuple((_BY_BOARD | _BY_FAN | _BY_MACHINE).items())
_KINDS: dict[type, type[np.generic]] = {bool: np.bool_, int: np.int64, float: np.float64}


def no_effects(machines: int) -> Effects:
    """Effects of a fleet of this size, all neutral."""
    made: dict[str, Any] = {}
    for shape, table in (((machines, BOARDS), _BY_BOARD), ((machines, FANS), _BY_FAN), ((machines,), _BY_MACHINE)):
        made |= {name: np.full(shape, neutral, dtype=_KINDS[type(neutral)]) for name, neutral in table.items()}
    return Effects(**made)
