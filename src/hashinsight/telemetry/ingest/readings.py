"""Hashrate, power, counters and boards: wrong units, zeros for unknown values, flags of our edge. Pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.extras import count_boards, encode_boards, with_temperatures
from hashinsight.telemetry.ingest.samples import Floats, Samples
from hashinsight.telemetry.ingest.temperatures import BOARD_COLUMNS
from hashinsight.telemetry.states import SampleFlags, SampleStatus

_MAX_THS = 5_000.0  # no machine hashes faster; more is MH/s, or unknown
_MEGA = 1e6
_WINDOWS = ("hashrate_1m", "hashrate_5m", "hashrate_15m")
_UNKNOWN_AT_ZERO = (
    *("frequency_mhz", "uptime_sec", "expected_ths", "voltage_v", "current_a", "pool_latency_ms", "fan_rpm"),
)
_COUNTERS = ("accepted", "rejected", "hw_errors")


def clean_hashrate(samples: Samples, *, zero_is_unknown: bool) -> dict[str, Floats]:
    """Some machines report hashrate a million times too high; a rate that is implausible even then is unknown.

    Returns the means of 1, 5 and 15 minutes, which have no column of their own but replace a missing hashrate.
    """
    numbers = samples.numbers
    lacking = np.isnan(samples.number("hashrate_ths"))
    rates = [numbers[name] for name in ("hashrate_ths", *_WINDOWS, "hashrate_5s_ths") if name in numbers]
    windows = {name: numbers.pop(name) for name in _WINDOWS if name in numbers}
    for values in rates:
        too_high = values > _MAX_THS
        if not too_high.any():
            continue
        shown = lacking if any(values is window for window in windows.values()) else np.ones_like(too_high)
        rescaled = too_high & (values <= _MAX_THS * _MEGA) & (values >= _MEGA)
        values[rescaled] /= _MEGA
        samples.flag(rescaled & shown, SampleFlags.UNITS_MENDED)
        implausible = too_high & ~rescaled
        values[implausible] = np.nan
        samples.flag(implausible & shown, SampleFlags.IMPLAUSIBLE)
    samples.set_first_known("hashrate_ths", rates)
    return {
        name: np.where(values == 0, np.nan, values) if zero_is_unknown else values for name, values in windows.items()
    }


def clean_zeros(samples: Samples, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    if "power_w" in numbers:
        # a machine that responds draws power: 0 W means no meter
        unknown = (numbers["power_w"] == 0) & (samples.status != SampleStatus.OFFLINE)
        numbers["power_w"][unknown] = np.nan
        samples.flag(unknown, SampleFlags.POWER_UNKNOWN)
    if not zero_is_unknown:
        return
    for column in _UNKNOWN_AT_ZERO:
        if column in numbers:
            numbers[column][numbers[column] == 0] = np.nan
    counters = [numbers[name] for name in _COUNTERS if name in numbers]
    if counters:
        silent = ~(np.stack(counters) > 0).any(axis=0)
        for values in counters:
            values[silent] = np.nan


def encode_board_lists(samples: Samples, boards: Sequence[Any] | None) -> None:
    """Boards as listed in the sample, with the temperatures that were sent in one field each."""
    temps_c = {
        number: samples.numbers.pop(name) for number, name in enumerate(BOARD_COLUMNS, 1) if name in samples.numbers
    }
    if boards is not None:
        _count_boards(samples, boards)
    if temps_c:
        boards = with_temperatures([None] * len(samples) if boards is None else boards, temps_c)
    if boards is not None:
        samples.texts["boards"] = encode_boards(boards, samples.scrubber)


def _count_boards(samples: Samples, boards: Sequence[Any]) -> None:
    counts = [count_boards(listed) for listed in boards]
    for index, column in enumerate(("boards_total", "boards_healthy")):
        counted = np.array([None if count is None else count[index] for count in counts], dtype=np.float64)  # None: NaN
        samples.set_first_known(column, [samples.number(column), counted])


_EDGE_FLAGS = {
    "sensor_broken": SampleFlags.TEMPERATURE_SENTINEL,
    "fan_sensor_broken": SampleFlags.FAN_SENTINEL,
    "hashrate_units_mended": SampleFlags.UNITS_MENDED,
    "hashrate_doubtful": SampleFlags.HASHRATE_DOUBTFUL,
    "hashrate_from_boards": SampleFlags.HASHRATE_DOUBTFUL,
    "boards_contradict_total": SampleFlags.HASHRATE_DOUBTFUL,
    "board_units_mended": SampleFlags.UNITS_MENDED,
    "expected_units_mended": SampleFlags.UNITS_MENDED,
    "temp_max_is_a_mean": SampleFlags.TEMPERATURE_DOUBTFUL,
    "temp_is_water": SampleFlags.TEMPERATURE_DOUBTFUL,
    "temp_unknown": SampleFlags.TEMPERATURE_DOUBTFUL,
}


def set_edge_flags(samples: Samples, raw_data: Sequence[Any] | None) -> None:
    """Flags that our edge sends with its readings; it removes impossible values itself."""
    for row, raw in enumerate(raw_data or ()):
        words = raw.get("flags") if isinstance(raw, dict) else None
        for word in words if isinstance(words, list) else ():
            flag = _EDGE_FLAGS.get(word) if isinstance(word, str) else None
            if flag is not None:
                samples.flags[row] |= flag.value
