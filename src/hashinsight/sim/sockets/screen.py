"""What one machine shows at this moment, in plain numbers: numpy's are slow to take singly and no JSON."""

import math
from dataclasses import dataclass, fields
from typing import Any

from hashinsight.sim.readings import FANS, MODES, NO_FAN, Readings


@dataclass(frozen=True, slots=True)
class Screen:
    """One row of the readings, under the same names."""

    at: float
    reachable: bool
    hashing: bool
    hashrate_ths: float
    hashrate_5s_ths: float
    expected_ths: float
    board_ths: list[float]
    board_temp_c: list[float]
    chip_temp_c: list[float]
    board_chips: list[int]
    board_hw_errors: list[int]
    frequency_mhz: float
    fan_rpm: list[int]
    fan_duty: float
    inlet_c: float
    power_w: float
    voltage_v: float
    power_limit_w: float
    mode: int
    accepted: int
    rejected: int
    hw_errors: int
    uptime_sec: int
    pool: int
    error_code: int
    fault_light: bool

    @property
    def mode_name(self) -> str:
        return MODES[self.mode]

    @property
    def fans(self) -> list[int]:
        return [rpm for rpm in self.fan_rpm[:FANS] if rpm != NO_FAN]


_COLUMNS = tuple(field.name for field in fields(Screen) if field.name != "at")


class Screens:
    """One step's readings of the whole fleet. Turned into lists at once: far cheaper than value by value."""

    def __init__(self, readings: Readings) -> None:
        self.at = readings.at
        self.reachable: list[bool] = readings.reachable.tolist()
        self._columns: list[list[Any]] = [getattr(readings, name).tolist() for name in _COLUMNS]
        self._shown: dict[int, Screen] = {}

    def of(self, machine: int) -> Screen:
        """The same one until the next step: a machine is asked a dozen questions in a row."""
        if machine not in self._shown:
            self._shown[machine] = Screen(self.at, *(column[machine] for column in self._columns))
        return self._shown[machine]


def number(value: float, digits: int = 2) -> float:
    """As firmware prints it: a value that it does not know is 0."""
    return 0.0 if math.isnan(value) else round(value, digits)


def whole(value: float) -> int:
    return 0 if math.isnan(value) else round(value)


def hottest(screen: Screen) -> float:
    """The hottest board that is believable; what a machine shows as its one temperature."""
    return max((temp for temp in screen.board_temp_c if 0 < temp < 255), default=0.0)  # noqa: PLR2004 - the sentinels


def mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
