"""Temperatures: broken sensors, the hottest chip and board, sensor kinds, limits that machines report. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hashinsight.facts.temperatures import (
    SensorKind,
    find_reported_limits,
    format_limits,
    reports_boards_as_chips,
    sensor_kind,
)
from hashinsight.telemetry.ingest.samples import Bools, Floats, ListColumn, Samples
from hashinsight.telemetry.states import SampleFlags, SampleStatus

BROKEN_C = (0.0, 255.0)
BOARD_COLUMNS = ("board1_c", "board2_c", "board3_c")
_BY_KIND = ("temp_chip_max_c", "temp_board_max_c")
_TEMPERATURES = ("temp_c", "temp_max_c", "temp_min_c", *_BY_KIND, *BOARD_COLUMNS)
_FLAGS = {SensorKind.CHIP: SampleFlags.CHIP_SENSOR, SensorKind.BOARD: SampleFlags.BOARD_SENSOR}


def clean_temperatures(samples: Samples, chips: ListColumn | None, *, zero_is_unknown: bool) -> None:
    """0 and 255 °C are broken sensors of a machine that responds. The mean is that of the chips, if they are listed.

    From a collector that writes 0 for unknown, only a 0 among other chips is a broken sensor. If the maximum is broken,
    the mean may include it, so the mean does not replace the maximum.
    """
    numbers = samples.numbers
    responds = samples.status != SampleStatus.OFFLINE
    suspect = np.zeros(len(responds), dtype=np.bool_)
    for column in _TEMPERATURES:
        if column in numbers:
            zero, hot = numbers[column] == BROKEN_C[0], numbers[column] == BROKEN_C[1]
            broken = hot if zero_is_unknown else hot | zero
            samples.flag(broken & responds, SampleFlags.TEMPERATURE_SENTINEL)
            numbers[column][zero | hot] = np.nan
            suspect |= broken & (column == "temp_max_c")
    _set_maxima(samples, chips)
    readings = [numbers[name] for name in ("temp_max_c", *_BY_KIND) if name in numbers]
    means, lows = ([numbers[name]] if name in numbers else [] for name in ("temp_c", "temp_min_c"))
    if chips is not None:
        samples.flag(chips.broken & responds, SampleFlags.TEMPERATURE_SENTINEL)
        means, lows = [chips.mean, *means], [*lows, chips.least]
    hottest = [np.fmax.reduce(readings)] if readings else []  # a collector's own maximum may omit sensors
    samples.set_first_known("temp_c", means)
    samples.set_first_known("temp_min_c", lows)
    samples.set_first_known("temp_max_c", [*hottest, *(np.where(suspect, np.nan, mean) for mean in means)])


def _set_maxima(samples: Samples, chips: ListColumn | None) -> None:
    """The hottest board and the hottest chip, also if a collector sends them in one field each."""
    numbers = samples.numbers
    boards = [numbers[name] for name in BOARD_COLUMNS if name in numbers]
    for column, listed in (("temp_chip_max_c", [] if chips is None else [chips.most]), ("temp_board_max_c", boards)):
        sources = [*listed, *([numbers[column]] if column in numbers else [])]
        if sources:
            numbers[column] = np.fmax.reduce(sources)
    are_boards = boards_reported_as_chips(samples) if "temp_chip_max_c" in numbers else None
    if are_boards is not None:
        as_boards = np.where(are_boards, numbers["temp_chip_max_c"], np.nan)
        numbers["temp_board_max_c"] = np.fmax(samples.number("temp_board_max_c"), as_boards)
        numbers["temp_chip_max_c"] = np.where(are_boards, np.nan, numbers["temp_chip_max_c"])


def set_sensor_kinds(samples: Samples, limits: Sequence[Any] | None) -> None:
    """The sensor kind becomes a flag; reported limits become a short text that all machines of a kind share."""
    sensor_names = samples.texts.pop("temp_sensor", None)
    _flag_kinds(samples, sensor_names)
    warn_c, stop_c = (samples.numbers.pop(name, None) for name in ("temp_warn_c", "temp_limit_c"))
    if stop_c is None and limits is None:
        return
    firmware = samples.texts.get("firmware")
    columns = {
        "temp_limits": limits,
        "temp_limit_c": None if stop_c is None else _without_nan(stop_c),
        "temp_warn_c": None if warn_c is None else _without_nan(warn_c),
        "temp_sensor": sensor_names,
        "firmware": firmware,
    }
    formatted: dict[tuple[Any, ...], str | None] = {}
    texts: list[str | None] = [None] * len(samples)
    for row in _rows_with_limits(limits, columns["temp_limit_c"]):
        record = {name: None if values is None else values[row] for name, values in columns.items()}
        key = (str(record["temp_limits"]), *list(record.values())[1:])
        if key not in formatted:
            formatted[key] = _format_limits(record)
        texts[row] = formatted[key]
    if any(texts):
        samples.texts["temp_limits"] = texts
        _flag_by_firmware(samples, texts)


def boards_reported_as_chips(samples: Samples) -> Bools | None:
    """Samples whose firmware reports boards as chips and that name no sensor; None if there are none.

    Looked up per distinct firmware and model, of which a batch has a few.
    """
    firmware = samples.texts.get("firmware")
    if firmware is None:
        return None
    models = samples.texts.get("model") or [None] * len(samples)
    are_boards = {pair for pair in set(zip(firmware, models, strict=True)) if reports_boards_as_chips(*pair)}
    if not are_boards:
        return None
    sensor_names = samples.texts.get("temp_sensor") or [None] * len(samples)
    rows = zip(firmware, models, sensor_names, strict=True)
    return np.array(
        [sensor not in _FLAGS and (text, model) in are_boards for text, model, sensor in rows], dtype=np.bool_
    )


def _without_nan(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN differs from itself


def _rows_with_limits(limits: Sequence[Any] | None, stop_c: Sequence[Any] | None) -> list[int]:
    """Most machines report no limits."""
    rows = {row for row, sources in enumerate(limits or ()) if sources is not None}
    return sorted(rows | {row for row, sources in enumerate(stop_c or ()) if sources is not None})


def _flag_kinds(samples: Samples, sensor_names: list[str | None] | None) -> None:
    """As the sample names it, else the kind whose maximum equals the hottest reading."""
    unknown: Bools = np.ones(len(samples), dtype=np.bool_)
    if sensor_names is not None:
        for kind, flag in _FLAGS.items():
            rows = np.array([text == kind for text in sensor_names], dtype=np.bool_)
            samples.flag(rows, flag)
            unknown &= ~rows
    chip, board = samples.numbers.get("temp_chip_max_c"), samples.numbers.get("temp_board_max_c")
    if chip is None and board is None:
        return
    hottest = samples.number("temp_max_c")
    for values, flag in ((chip, SampleFlags.CHIP_SENSOR), (board, SampleFlags.BOARD_SENSOR)):
        if values is not None:
            rows = unknown & (values >= hottest)
            samples.flag(rows, flag)
            unknown &= ~rows
    if chip is not None:  # a maximum above the listed chips is from another chip
        rows = unknown & ~np.isnan(chip) & np.isnan(samples.number("temp_board_max_c"))
        samples.flag(rows, SampleFlags.CHIP_SENSOR)
        unknown &= ~rows
    boards_alone = boards_reported_as_chips(samples) if unknown.any() else None
    if boards_alone is not None:  # with a firmware that reads only boards, from another board
        samples.flag(unknown & boards_alone & ~np.isnan(samples.number("temp_board_max_c")), SampleFlags.BOARD_SENSOR)


def _flag_by_firmware(samples: Samples, limits: list[str | None]) -> None:
    """A reported limit also tells the sensor: the kind that the firmware measures."""
    sensor_names = (samples.flags & (SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)) != 0
    firmware = samples.texts.get("firmware")
    for row in np.flatnonzero(~sensor_names & np.array([text is not None for text in limits])).tolist():
        samples.flags[row] |= _FLAGS[sensor_kind(None if firmware is None else firmware[row])].value


def _format_limits(record: Mapping[str, Any]) -> str | None:
    limits = {kind: find_reported_limits(record, kind) for kind in SensorKind}
    return format_limits({kind: limits for kind, limits in limits.items() if limits is not None})
