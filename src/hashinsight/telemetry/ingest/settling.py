"""What readings mean when they are none: broken sensors, wrong units, zeros for what is not known. Pure, on arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hashinsight.facts.spellings import find_model
from hashinsight.telemetry.ingest.bulky import count_boards, encode_boards
from hashinsight.telemetry.ingest.lists import MOST_SENSORS, Lists
from hashinsight.telemetry.ingest.samples import Bools, Floats, Samples
from hashinsight.telemetry.ingest.sensors import boards_told_as_chips
from hashinsight.telemetry.states import Flags, Status

BROKEN_C = (0.0, 255.0)
_MOST_THS = 5_000.0  # no machine hashes faster
_MEGA = 1e6
_BOARDS = ("board1_c", "board2_c", "board3_c")
_BY_KIND = ("temp_chip_max_c", "temp_board_max_c")
_TEMPERATURES = ("temp_c", "temp_max_c", "temp_min_c", *_BY_KIND, *_BOARDS)
_FANS = ("fan1", "fan2", "fan3", "fan4")
MOST_RPM = 30_000.0  # no fan turns faster
_UNKNOWN_AT_ZERO = (
    *("frequency_mhz", "uptime_sec", "expected_ths", "voltage_v", "current_a", "pool_latency_ms", "fan_rpm"),
)
_COUNTERS = ("accepted", "rejected", "hw_errors")


def settle_temperatures(samples: Samples, chips: Lists | None, *, zero_is_unknown: bool) -> None:
    """0 and 255 °C are broken sensors, of a machine that answers. The mean is that of the chips, where they are listed.

    Of a collector that writes 0 for what it does not know, only a 0 among other chips is one. Where the hottest is no
    reading, the mean may have it in it, and does not stand for the hottest.
    """
    numbers = samples.numbers
    answers = samples.status != Status.OFFLINE
    suspect = np.zeros(len(answers), dtype=np.bool_)
    for column in _TEMPERATURES:
        if column in numbers:
            zero, hot = numbers[column] == BROKEN_C[0], numbers[column] == BROKEN_C[1]
            broken = hot if zero_is_unknown else hot | zero
            samples.flag(broken & answers, Flags.TEMPERATURE_SENTINEL)
            numbers[column][zero | hot] = np.nan
            suspect |= broken & (column == "temp_max_c")
    _take_kinds(samples, chips)
    readings = [numbers[name] for name in ("temp_max_c", *_BY_KIND) if name in numbers]
    means, lows = ([numbers[name]] if name in numbers else [] for name in ("temp_c", "temp_min_c"))
    if chips is not None:
        samples.flag(chips.broken & answers, Flags.TEMPERATURE_SENTINEL)
        means, lows = [chips.mean, *means], [*lows, chips.least]
    hottest = [np.fmax.reduce(readings)] if readings else []  # a collector's own maximum may leave sensors out
    _keep(samples, "temp_c", means)
    _keep(samples, "temp_min_c", lows)
    _keep(samples, "temp_max_c", [*hottest, *(np.where(suspect, np.nan, one) for one in means)])


def _take_kinds(samples: Samples, chips: Lists | None) -> None:
    """The hottest board and the hottest chip, also where a collector gives them one by one."""
    numbers = samples.numbers
    boards = [numbers.pop(name) for name in _BOARDS if name in numbers]
    for column, listed in (("temp_chip_max_c", [] if chips is None else [chips.most]), ("temp_board_max_c", boards)):
        given = [*listed, *([numbers[column]] if column in numbers else [])]
        if given:
            numbers[column] = np.fmax.reduce(given)
    told = boards_told_as_chips(samples) if "temp_chip_max_c" in numbers else None
    if told is not None:
        as_boards = np.where(told, numbers["temp_chip_max_c"], np.nan)
        numbers["temp_board_max_c"] = np.fmax(samples.number("temp_board_max_c"), as_boards)
        numbers["temp_chip_max_c"] = np.where(told, np.nan, numbers["temp_chip_max_c"])


def settle_fans(samples: Samples, fans: Lists | None, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    answers = samples.status != Status.OFFLINE
    singles = [numbers.pop(name) for name in _FANS if name in numbers]
    said = [numbers["fan_rpm"]] if "fan_rpm" in numbers else []
    for one in (*singles, *said):
        one[(one > 0) & (one <= MOST_SENSORS)] = np.nan
        broken = (one < 0) | (one > MOST_RPM)
        samples.flag(broken & answers, Flags.FAN_SENTINEL)
        one[broken] = np.nan
    least: list[Floats] = []
    mean: list[Floats] = []
    if fans is not None:
        samples.flag(fans.broken & answers, Flags.FAN_SENTINEL)
        least, mean = [fans.least], [fans.mean]
    if singles:
        every = np.stack(singles)
        if zero_is_unknown:
            every[_absent(samples, every)] = np.nan
        known = np.maximum((~np.isnan(every)).sum(axis=0), 1)
        least.append(np.fmin.reduce(every))
        mean.append(np.where(np.isnan(least[-1]), np.nan, np.nansum(every, axis=0) / known))
    _keep(samples, "fan_rpm", [*mean, *said])
    _keep(samples, "fan_min_rpm", least)
    if "fan_min_rpm" in numbers:  # fans of a machine that rests stand by right; one alone that stands does not
        resting = (numbers["fan_rpm"] == 0) & ~(samples.number("hashrate_ths") > 0)
        numbers["fan_min_rpm"] = np.where(resting, np.nan, numbers["fan_min_rpm"])


def _absent(samples: Samples, every: Floats) -> Bools:
    """Which fans at 0 are none, by fan and sample: all at 0 are not known, and who has two fans has four connectors.

    Where as many turn as the model has, no other is missed. A model that nobody knows has two where two of four turn.
    """
    zero: Bools = every == 0
    turning = (every > 0).sum(axis=0)
    if not zero.any():
        return zero
    names = samples.texts.get("model") or [None] * len(samples)
    known = {name: find_model(name) for name in set(names) if name}
    fitted = {name: model.fans for name, model in known.items() if model is not None and model.fans}
    half = (turning == 2) & (zero.sum(axis=0) == 2)  # noqa: PLR2004 - two of four
    fitted_fans = np.array([fitted.get(name or "", 0) for name in names])
    are_all = np.where(fitted_fans > 0, turning >= fitted_fans, half)
    absent: Bools = zero & ((turning == 0) | are_all)
    return absent


def settle_hashrate(samples: Samples) -> None:
    """One make reports its hashrate a million times too high; what is wild even then is not known."""
    rates = [samples.numbers[name] for name in ("hashrate_ths", "hashrate_5s_ths") if name in samples.numbers]
    for values in rates:
        wild = values > _MOST_THS
        if not wild.any():
            continue
        mended = wild & (values <= _MOST_THS * _MEGA) & (values >= _MEGA)
        values[mended] /= _MEGA
        samples.flag(mended, Flags.UNITS_MENDED)
        lost = wild & ~mended
        values[lost] = np.nan
        samples.flag(lost, Flags.IMPLAUSIBLE)
    _keep(samples, "hashrate_ths", rates)


def settle_zeros(samples: Samples, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    if "power_w" in numbers:
        # whoever answers draws power: 0 W is a meter that is not there
        unknown = (numbers["power_w"] == 0) & (samples.status != Status.OFFLINE)
        numbers["power_w"][unknown] = np.nan
        samples.flag(unknown, Flags.POWER_UNKNOWN)
    if "reject_rate" in numbers:
        numbers["reject_rate"][numbers["reject_rate"] > 1] /= 100  # a percentage
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
    if boards is None:
        return
    counted = [count_boards(one) for one in boards]
    for place, column in enumerate(("boards_total", "boards_healthy")):
        found = np.array([None if one is None else one[place] for one in counted], dtype=np.float64)  # None: NaN
        _keep(samples, column, [samples.number(column), found])
    samples.texts["boards"] = encode_boards(boards, samples.scrubber)


_SAID_BY_EDGE = {
    "sensor_broken": Flags.TEMPERATURE_SENTINEL,
    "fan_sensor_broken": Flags.FAN_SENTINEL,
    "hashrate_units_mended": Flags.UNITS_MENDED,
    "hashrate_doubtful": Flags.HASHRATE_DOUBTFUL,
    "hashrate_from_boards": Flags.HASHRATE_DOUBTFUL,
    "boards_contradict_total": Flags.HASHRATE_DOUBTFUL,
    "board_units_mended": Flags.UNITS_MENDED,
    "expected_units_mended": Flags.UNITS_MENDED,
    "temp_max_is_a_mean": Flags.TEMPERATURE_DOUBTFUL,
    "temp_is_water": Flags.TEMPERATURE_DOUBTFUL,
    "temp_unknown": Flags.TEMPERATURE_DOUBTFUL,
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
