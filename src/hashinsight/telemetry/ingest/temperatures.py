"""At what the hottest temperature was measured, and the limits that a machine reports of itself. Pure, on arrays."""

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
from hashinsight.telemetry.ingest.samples import Bools, Floats, Samples
from hashinsight.telemetry.states import SampleFlags

_FLAGS = {SensorKind.CHIP: SampleFlags.CHIP_SENSOR, SensorKind.BOARD: SampleFlags.BOARD_SENSOR}


def settle_sensors(samples: Samples, limits: Sequence[Any] | None) -> None:
    """The kind becomes a flag. The limits change rarely, so that all machines of a kind share one short text."""
    named = samples.texts.pop("temp_sensor", None)
    _flag_kinds(samples, named)
    warn_c, stop_c = (samples.numbers.pop(name, None) for name in ("temp_warn_c", "temp_limit_c"))
    if stop_c is None and limits is None:
        return
    firmware = samples.texts.get("firmware")
    columns = {
        "temp_limits": limits,
        "temp_limit_c": None if stop_c is None else _plain(stop_c),
        "temp_warn_c": None if warn_c is None else _plain(warn_c),
        "temp_sensor": named,
        "firmware": firmware,
    }
    written: dict[tuple[Any, ...], str | None] = {}
    texts: list[str | None] = [None] * len(samples)
    for row in _rows_with_limits(limits, columns["temp_limit_c"]):
        record = {name: None if values is None else values[row] for name, values in columns.items()}
        key = (str(record["temp_limits"]), *list(record.values())[1:])
        if key not in written:
            written[key] = _written(record)
        texts[row] = written[key]
    if any(texts):
        samples.texts["temp_limits"] = texts
        _flag_by_firmware(samples, texts)


def boards_told_as_chips(samples: Samples) -> Bools | None:
    """Samples whose chips are boards by their firmware, and which name no sensor themselves; None where there are none.

    By distinct firmware and model, of which a batch has a few.
    """
    firmware = samples.texts.get("firmware")
    if firmware is None:
        return None
    models = samples.texts.get("model") or [None] * len(samples)
    told = {pair for pair in set(zip(firmware, models, strict=True)) if reports_boards_as_chips(*pair)}
    if not told:
        return None
    named = samples.texts.get("temp_sensor") or [None] * len(samples)
    rows = zip(firmware, models, named, strict=True)
    return np.array([sensor not in _FLAGS and (text, model) in told for text, model, sensor in rows], dtype=np.bool_)


def _plain(values: Floats) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN differs from itself


def _rows_with_limits(limits: Sequence[Any] | None, stop_c: Sequence[Any] | None) -> list[int]:
    """Most machines report none."""
    rows = {row for row, given in enumerate(limits or ()) if given is not None}
    return sorted(rows | {row for row, given in enumerate(stop_c or ()) if given is not None})


def _flag_kinds(samples: Samples, named: list[str | None] | None) -> None:
    """As the sample names it, else whichever kind the hottest equals."""
    unknown: Bools = np.ones(len(samples), dtype=np.bool_)
    if named is not None:
        for kind, flag in _FLAGS.items():
            rows = np.array([text == kind for text in named], dtype=np.bool_)
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
    if chip is not None:  # a maximum above the chips that are listed is another chip's
        rows = unknown & ~np.isnan(chip) & np.isnan(samples.number("temp_board_max_c"))
        samples.flag(rows, SampleFlags.CHIP_SENSOR)
        unknown &= ~rows
    boards_alone = boards_told_as_chips(samples) if unknown.any() else None
    if boards_alone is not None:  # and of a firmware that has boards alone, another board's
        samples.flag(unknown & boards_alone & ~np.isnan(samples.number("temp_board_max_c")), SampleFlags.BOARD_SENSOR)


def _flag_by_firmware(samples: Samples, limits: list[str | None]) -> None:
    """Whoever reports a limit names its sensor by it: the kind that its firmware measures."""
    named = (samples.flags & (SampleFlags.CHIP_SENSOR | SampleFlags.BOARD_SENSOR)) != 0
    firmware = samples.texts.get("firmware")
    for row in np.flatnonzero(~named & np.array([text is not None for text in limits])).tolist():
        samples.flags[row] |= _FLAGS[sensor_kind(None if firmware is None else firmware[row])].value


def _written(record: Mapping[str, Any]) -> str | None:
    found = {kind: find_reported_limits(record, kind) for kind in SensorKind}
    return format_limits({kind: limits for kind, limits in found.items() if limits is not None})
