"""Readings of a simulated fleet at one moment: arrays with one row per machine."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

BOARDS = 3  # every model of the catalogue has three
FANS = 4  # models with two leave the others at NO_FAN
NO_FAN = -1


@dataclass(frozen=True)
class Readings:
    """NaN: not reported. An unreachable machine has the values that it would report."""

    at: float  # seconds since 1970
    reachable: Flags  # responds on its sockets
    hashing: Flags  # False: paused, stopped by protection, booting or dead
    hashrate_ths: Floats  # the machine's own estimate, noise included
    hashrate_5s_ths: Floats
    expected_ths: Floats  # for the mode that it runs in
    board_ths: Floats  # (n, BOARDS)
    board_temp_c: Floats  # (n, BOARDS), 0 and 255 are broken sensors
    chip_temp_c: Floats  # (n, BOARDS), hottest chip of the board
    board_chips: Counts  # (n, BOARDS), chips found
    board_hw_errors: Counts  # (n, BOARDS), since boot
    frequency_mhz: Floats
    fan_rpm: Counts  # (n, FANS)
    fan_duty: Floats  # 0..1
    inlet_c: Floats
    power_w: Floats
    voltage_v: Floats
    power_limit_w: Floats
    mode: NDArray[np.int8]  # index into MODES
    accepted: Counts  # since boot
    rejected: Counts
    hw_errors: Counts
    uptime_sec: Counts
    pool: NDArray[np.int8]  # which of its configured pools it mines on, -1: none alive
    error_code: Counts  # the maker's own code, 0: none
    fault_light: Flags


MODES = ("eco", "normal", "perf")
