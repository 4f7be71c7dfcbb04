"""Decoded samples to the columns that are stored: aliases, units, impossible values, rejections. Pure, on arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.scrub import Scrubber
from hashinsight.telemetry.fields import FIELDS, MINER, TIMES, Field, Kind
from hashinsight.telemetry.ingest.decoder import DecodedBatch
from hashinsight.telemetry.ingest.extras import encode_extra
from hashinsight.telemetry.ingest.fans import MAX_RPM, clean_fans
from hashinsight.telemetry.ingest.readings import clean_hashrate, clean_zeros, encode_board_lists, set_edge_flags
from hashinsight.telemetry.ingest.reject_rates import clean_reject_rate, stated_unit
from hashinsight.telemetry.ingest.samples import (
    Floats,
    ListColumn,
    Plausible,
    RejectRateUnitCounts,
    Samples,
    first_known,
    read_lists,
)
from hashinsight.telemetry.ingest.temperatures import BROKEN_C, clean_temperatures, set_sensor_kinds
from hashinsight.telemetry.ingest.texts import Columns, first_alias, set_miner_ids, set_texts
from hashinsight.telemetry.ingest.times import UNREADABLE, read_times
from hashinsight.telemetry.states import SampleStatus, sample_status

_FIELD = {field.column: field for field in FIELDS}
_CHIPS, _FANS = Plausible(broken=BROKEN_C, apart=30.0), Plausible(most=MAX_RPM)
_NUMBERS = tuple(field for field in FIELDS if field.kind in (Kind.NUMBER, Kind.COUNT))


def normalise(
    batch: DecodedBatch,
    *,
    zero_is_unknown: bool,
    scrubber: Scrubber | None = None,
    rate_units: RejectRateUnitCounts | None = None,
) -> Samples:
    """`zero_is_unknown`: field collectors write 0 and "" for unknown values.

    `rate_units`: evidence for the unit of this collector's reject rates so far.
    """
    columns, count = batch.columns, len(batch.indexes)
    samples = Samples(
        indexes=batch.indexes,
        miner_ids=[""] * count,
        ts=_times(columns, count),
        numbers={
            field.column: _numbers(columns, field) for field in _NUMBERS if any(name in columns for name in field.names)
        },
        texts={},
        lists={},
        status=np.full(count, SampleStatus.ONLINE, np.int16),
        flags=np.zeros(count, np.int16),
        scrubber=scrubber or Scrubber(),
    )
    samples.reject(samples.ts == UNREADABLE, "BAD_TIME", "the time is missing, or neither ISO 8601 nor epoch seconds")
    set_miner_ids(samples, columns.get(MINER))
    set_texts(samples, columns)
    _check_ranges(samples)
    _set_status(samples, columns)
    chips = _lists(samples, columns, "chip_temps_c", _CHIPS, zeros=not zero_is_unknown)
    clean_temperatures(samples, chips, zero_is_unknown=zero_is_unknown)
    set_sensor_kinds(samples, columns.get("temp_limits"))
    windows = clean_hashrate(samples, zero_is_unknown=zero_is_unknown)
    fans = _lists(samples, columns, "fan_speeds", _FANS, zeros=not zero_is_unknown)
    clean_fans(samples, fans, zero_is_unknown=zero_is_unknown)
    clean_zeros(samples, zero_is_unknown=zero_is_unknown)
    stated = stated_unit(batch.envelope)
    samples.rate_units = clean_reject_rate(samples, stated, rate_units or RejectRateUnitCounts())
    encode_board_lists(samples, columns.get("boards"))
    set_edge_flags(samples, columns.get("raw_data"))
    extra = encode_extra(batch.extras, columns.get("raw_data"), windows, samples.scrubber, count=count)
    if extra is not None:
        samples.texts["extra"] = extra
    return samples


def _numbers(columns: Columns, field: Field) -> Floats:
    aliased = [_floats(columns[alias.name], alias.factor) for alias in field.aliases if alias.name in columns]
    return aliased[0] if len(aliased) == 1 else first_known(*aliased)


def _floats(values: Sequence[Any], factor: float) -> Floats:
    try:
        floats = np.fromiter(values, np.float64, count=len(values))
    except TypeError:  # a None among them
        floats = np.array(values, dtype=np.float64)
    return floats if factor == 1 else floats * factor


def _times(columns: Columns, count: int) -> NDArray[np.int64]:
    aliased = [columns[name] for name in TIMES if name in columns]
    if not aliased:
        return np.full(count, UNREADABLE, np.int64)
    first = aliased[0] if len(aliased) == 1 else [a if a is not None else b for a, b in zip(*aliased, strict=True)]
    return read_times(first)


def _check_ranges(samples: Samples) -> None:
    if not samples.numbers:
        return
    limits = np.array([(_FIELD[column].least, _FIELD[column].most) for column in samples.numbers])
    every = np.stack(list(samples.numbers.values()))
    out_of_range = (every < limits[:, :1]) | (every > limits[:, 1:])
    if not out_of_range.any():
        return
    for rows, (column, values) in zip(out_of_range, samples.numbers.items(), strict=True):
        if _FIELD[column].least == 0:
            samples.reject(values < 0, "NEGATIVE", f"{column} is negative")
        samples.reject(rows, "OUT_OF_RANGE", f"{column} is out of range")
        values[rows] = np.nan


def _set_status(samples: Samples, columns: Columns) -> None:
    states, online = samples.texts.get("state"), columns.get("online")
    if states is None and (online is None or (set(map(type, online)) == {bool} and all(online))):
        return
    for row in range(len(samples)):
        reported = None if online is None else online[row]
        if reported is not True or states is not None:
            samples.status[row] = sample_status(states[row] if states is not None else None, reported)


def _lists(samples: Samples, columns: Columns, column: str, plausible: Plausible, *, zeros: bool) -> ListColumn | None:
    values = first_alias(columns, _FIELD[column])
    if values is None:
        return None
    lists = read_lists(values, _FIELD[column], samples.rejected, plausible=plausible, zeros=zeros)
    samples.lists[column] = lists
    return lists
