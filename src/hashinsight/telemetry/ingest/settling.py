"""What readings mean when they are none: broken sensors, wrong units, zeros for what is not known. Pure, on arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.bulky import count_boards, encode_boards
from hashinsight.telemetry.ingest.lists import Lists
from hashinsight.telemetry.ingest.samples import Floats, Samples
from hashinsight.telemetry.states import Flags, Status

BROKEN_C = (0.0, 255.0)
_MOST_THS = 5_000.0  # no machine hashes faster
_MEGA = 1e6
_TEMPERATURES = ("temp_c", "temp_max_c", "temp_min_c", "board1_c", "board2_c", "board3_c")
_FANS = ("fan1", "fan2", "fan3", "fan4")
_UNKNOWN_AT_ZERO = (
    *("frequency_mhz", "uptime_sec", "expected_ths", "voltage_v", "current_a", "pool_latency_ms", "fan_rpm"),
)
_COUNTERS = ("accepted", "rejected", "hw_errors")


def settle_temperatures(samples: Samples, chips: Lists | None) -> None:
    """0 and 255 °C are broken sensors. The mean is that of the chips, where they are listed."""
    numbers = samples.numbers
    for column in _TEMPERATURES:
        broken = np.isin(numbers[column], BROKEN_C)
        samples.flag(broken, Flags.TEMPERATURE_SENTINEL)
        numbers[column][broken] = np.nan
    boards = np.stack([numbers.pop(f"board{n}_c") for n in (1, 2, 3)])
    known = ~np.isnan(boards).all(axis=0)
    tops = np.full(len(samples), np.nan)
    tops[known] = np.nanmax(boards[:, known], axis=0)
    if chips is not None:
        samples.flag(chips.broken, Flags.TEMPERATURE_SENTINEL)
        numbers["temp_c"] = either(chips.mean, numbers["temp_c"])
        numbers["temp_max_c"] = either(numbers["temp_max_c"], chips.most)
        numbers["temp_min_c"] = either(numbers["temp_min_c"], chips.least)
    numbers["temp_max_c"] = either(either(numbers["temp_max_c"], tops), numbers["temp_c"])


def settle_fans(samples: Samples, fans: Lists | None) -> None:
    numbers = samples.numbers
    singles = np.stack([numbers.pop(name) for name in _FANS])
    samples.flag((singles < 0).any(axis=0) | (numbers["fan_rpm"] < 0), Flags.FAN_SENTINEL)
    singles[singles < 0] = np.nan
    numbers["fan_rpm"][numbers["fan_rpm"] < 0] = np.nan
    known = ~np.isnan(singles).all(axis=0)
    least = np.full(len(samples), np.nan)
    mean = np.full(len(samples), np.nan)
    if known.any():
        least[known] = np.nanmin(singles[:, known], axis=0)
        mean[known] = np.nanmean(singles[:, known], axis=0)
    if fans is not None:
        samples.flag(fans.broken, Flags.FAN_SENTINEL)
        least, mean = either(fans.least, least), either(fans.mean, mean)
    numbers["fan_rpm"] = either(mean, numbers["fan_rpm"])
    numbers["fan_min_rpm"] = least


def settle_hashrate(samples: Samples) -> None:
    """One make reports its hashrate a million times too high; what is wild even then is not known."""
    for column in ("hashrate_ths", "hashrate_5s_ths"):
        values = samples.numbers[column]
        wild = values > _MOST_THS
        mended = wild & (values <= _MOST_THS * _MEGA) & (values >= _MEGA)
        values[mended] /= _MEGA
        samples.flag(mended, Flags.UNITS_MENDED)
        lost = wild & ~mended
        values[lost] = np.nan
        samples.flag(lost, Flags.IMPLAUSIBLE)
    numbers = samples.numbers
    numbers["hashrate_ths"] = either(numbers["hashrate_ths"], numbers["hashrate_5s_ths"])


def settle_zeros(samples: Samples, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    # whoever answers draws power: 0 W is a meter that is not there
    unknown = (numbers["power_w"] == 0) & (samples.status != Status.OFFLINE)
    numbers["power_w"][unknown] = np.nan
    samples.flag(unknown, Flags.POWER_UNKNOWN)
    rate = numbers["reject_rate"]
    rate[rate > 1] /= 100  # a percentage
    if not zero_is_unknown:
        return
    for column in _UNKNOWN_AT_ZERO:
        numbers[column][numbers[column] == 0] = np.nan
    silent = np.all([np.nan_to_num(numbers[name]) == 0 for name in _COUNTERS], axis=0)
    for name in _COUNTERS:
        numbers[name][silent] = np.nan


def settle_boards(samples: Samples, boards: Sequence[Any] | None) -> None:
    if boards is None:
        return
    counted = [count_boards(one) for one in boards]
    for place, column in enumerate(("boards_total", "boards_healthy")):
        found = np.array([None if one is None else one[place] for one in counted], dtype=np.float64)
        samples.numbers[column] = either(samples.numbers[column], found)
    samples.texts["boards"] = encode_boards(boards)


def either(one: Floats, other: Floats) -> Floats:
    return np.where(np.isnan(one), other, one)
