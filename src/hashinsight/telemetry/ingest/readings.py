"""What readings mean when they are none: broken sensors, wrong units, zeros for what is not known. Pure, on arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.extras import count_boards, encode_boards, with_temperatures
from hashinsight.telemetry.ingest.lists import ListColumn
from hashinsight.telemetry.ingest.samples import Floats, Samples
from hashinsight.telemetry.ingest.temperatures import boards_told_as_chips
from hashinsight.telemetry.states import SampleFlags, SampleStatus

BROKEN_C = (0.0, 255.0)
_MOST_THS = 5_000.0  # no machine hashes faster
_MEGA = 1e6
_BOARDS = ("board1_c", "board2_c", "board3_c")
_BY_KIND = ("temp_chip_max_c", "temp_board_max_c")
_TEMPERATURES = ("temp_c", "temp_max_c", "temp_min_c", *_BY_KIND, *_BOARDS)
_WINDOWS = ("hashrate_1m", "hashrate_5m", "hashrate_15m")
_UNKNOWN_AT_ZERO = (
    *("frequency_mhz", "uptime_sec", "expected_ths", "voltage_v", "current_a", "pool_latency_ms", "fan_rpm"),
)
_COUNTERS = ("accepted", "rejected", "hw_errors")


def settle_temperatures(samples: Samples, chips: ListColumn | None, *, zero_is_unknown: bool) -> None:
    """0 and 255 °C are broken sensors, of a machine that answers. The mean is that of the chips, where they are listed.

    Of a collector that writes 0 for what it does not know, only a 0 among other chips is one. Where the hottest is no
    reading, the mean may have it in it, and does not stand for the hottest.
    """
    numbers = samples.numbers
    answers = samples.status != SampleStatus.OFFLINE
    suspect = np.zeros(len(answers), dtype=np.bool_)
    for column in _TEMPERATURES:
        if column in numbers:
            zero, hot = numbers[column] == BROKEN_C[0], numbers[column] == BROKEN_C[1]
            broken = hot if zero_is_unknown else hot | zero
            samples.flag(broken & answers, SampleFlags.TEMPERATURE_SENTINEL)
            numbers[column][zero | hot] = np.nan
            suspect |= broken & (column == "temp_max_c")
    _take_kinds(samples, chips)
    readings = [numbers[name] for name in ("temp_max_c", *_BY_KIND) if name in numbers]
    means, lows = ([numbers[name]] if name in numbers else [] for name in ("temp_c", "temp_min_c"))
    if chips is not None:
        samples.flag(chips.broken & answers, SampleFlags.TEMPERATURE_SENTINEL)
        means, lows = [chips.mean, *means], [*lows, chips.least]
    hottest = [np.fmax.reduce(readings)] if readings else []  # a collector's own maximum may leave sensors out
    _keep(samples, "temp_c", means)
    _keep(samples, "temp_min_c", lows)
    _keep(samples, "temp_max_c", [*hottest, *(np.where(suspect, np.nan, one) for one in means)])


def _take_kinds(samples: Samples, chips: ListColumn | None) -> None:
    """The hottest board and the hottest chip, also where a collector gives them one by one."""
    numbers = samples.numbers
    boards = [numbers[name] for name in _BOARDS if name in numbers]
    for column, listed in (("temp_chip_max_c", [] if chips is None else [chips.most]), ("temp_board_max_c", boards)):
        given = [*listed, *([numbers[column]] if column in numbers else [])]
        if given:
            numbers[column] = np.fmax.reduce(given)
    told = boards_told_as_chips(samples) if "temp_chip_max_c" in numbers else None
    if told is not None:
        as_boards = np.where(told, numbers["temp_chip_max_c"], np.nan)
        numbers["temp_board_max_c"] = np.fmax(samples.number("temp_board_max_c"), as_boards)
        numbers["temp_chip_max_c"] = np.where(told, np.nan, numbers["temp_chip_max_c"])


def settle_hashrate(samples: Samples, *, zero_is_unknown: bool) -> dict[str, Floats]:
    """One make reports its hashrate a million times too high; what is wild even then is not known.

    Gives the means of 1, 5 and 15 minutes, which have no column: where there is no hashrate they stand for it.
    """
    numbers = samples.numbers
    lacking = np.isnan(samples.number("hashrate_ths"))
    rates = [numbers[name] for name in ("hashrate_ths", *_WINDOWS, "hashrate_5s_ths") if name in numbers]
    windows = {name: numbers.pop(name) for name in _WINDOWS if name in numbers}
    for values in rates:
        wild = values > _MOST_THS
        if not wild.any():
            continue
        shown = lacking if any(values is window for window in windows.values()) else np.ones_like(wild)
        mended = wild & (values <= _MOST_THS * _MEGA) & (values >= _MEGA)
        values[mended] /= _MEGA
        samples.flag(mended & shown, SampleFlags.UNITS_MENDED)
        lost = wild & ~mended
        values[lost] = np.nan
        samples.flag(lost & shown, SampleFlags.IMPLAUSIBLE)
    _keep(samples, "hashrate_ths", rates)
    return {
        name: np.where(values == 0, np.nan, values) if zero_is_unknown else values for name, values in windows.items()
    }


def settle_zeros(samples: Samples, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    if "power_w" in numbers:
        # whoever answers draws power: 0 W is a meter that is not there
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


def settle_boards(samples: Samples, boards: Sequence[Any] | None) -> None:
    """Boards as a sample lists them, with the temperatures that came one field each."""
    temps_c = {number: samples.numbers.pop(name) for number, name in enumerate(_BOARDS, 1) if name in samples.numbers}
    if boards is not None:
        _count_boards(samples, boards)
    if temps_c:
        boards = with_temperatures([None] * len(samples) if boards is None else boards, temps_c)
    if boards is not None:
        samples.texts["boards"] = encode_boards(boards, samples.scrubber)


def _count_boards(samples: Samples, boards: Sequence[Any]) -> None:
    counted = [count_boards(one) for one in boards]
    for place, column in enumerate(("boards_total", "boards_healthy")):
        found = np.array([None if one is None else one[place] for one in counted], dtype=np.float64)  # None: NaN
        _keep(samples, column, [samples.number(column), found])


_SAID_BY_EDGE = {
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


def settle_doubts(samples: Samples, raw_data: Sequence[Any] | None) -> None:
    """What our edge mended or doubts stands beside its readings: it took out the sentinels itself."""
    for row, raw in enumerate(raw_data or ()):
        said = raw.get("flags") if isinstance(raw, dict) else None
        for word in said if isinstance(said, list) else ():
            flag = _SAID_BY_EDGE.get(word) if isinstance(word, str) else None
            if flag is not None:
                samples.flags[row] |= flag.value


def either(first: Floats, *others: Floats) -> Floats:
    """The first that is known, for each sample."""
    found = first
    for other in others:
        missing = np.isnan(found)
        if not missing.any():
            break
        found = np.where(missing, other, found)
    return found


def _keep(samples: Samples, column: str, said: list[Floats]) -> None:
    if said:
        samples.numbers[column] = either(*said)
