"""Decoded samples to the columns that are stored: units, aliases, sentinels, a verdict for each. Pure, on arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.kit.scrub import Scrubber
from hashinsight.telemetry.fields import FIELDS, MINER, TIMES, Field, Kind
from hashinsight.telemetry.ingest.decoder import DecodedBatch
from hashinsight.telemetry.ingest.extras import encode_extra
from hashinsight.telemetry.ingest.fans import MOST_RPM, settle_fans
from hashinsight.telemetry.ingest.lists import ListColumn, Plausible, read_lists
from hashinsight.telemetry.ingest.readings import (
    BROKEN_C,
    either,
    settle_boards,
    settle_doubts,
    settle_hashrate,
    settle_temperatures,
    settle_zeros,
)
from hashinsight.telemetry.ingest.reject_rates import settle_reject_rate, stated_unit
from hashinsight.telemetry.ingest.samples import Floats, RejectRateUnitCounts, Samples
from hashinsight.telemetry.ingest.temperatures import settle_sensors
from hashinsight.telemetry.ingest.texts import first_of, take_miners, take_texts
from hashinsight.telemetry.ingest.times import UNREADABLE, read_times
from hashinsight.telemetry.states import SampleStatus, sample_status

__all__ = ["Samples", "normalise"]

Given = Mapping[str, Sequence[Any]]

_FIELD = {one.column: one for one in FIELDS}
_CHIPS, _FANS = Plausible(broken=BROKEN_C, apart=30.0), Plausible(most=MOST_RPM)
_NUMBERS = tuple(one for one in FIELDS if one.kind in (Kind.NUMBER, Kind.COUNT))


def normalise(
    batch: DecodedBatch,
    *,
    zero_is_unknown: bool,
    scrubber: Scrubber | None = None,
    rate_signs: RejectRateUnitCounts | None = None,
) -> Samples:
    """`zero_is_unknown` is how collectors in the field write: 0 and "" for what they do not know.

    `rate_signs`: in which unit this collector has written its reject rates so far.
    """
    given, count = batch.columns, len(batch.indexes)
    samples = Samples(
        indexes=batch.indexes,
        miner_ids=[""] * count,
        ts=_times(given, count),
        numbers={one.column: _numbers(given, one) for one in _NUMBERS if any(name in given for name in one.names)},
        texts={},
        lists={},
        status=np.full(count, SampleStatus.ONLINE, np.int16),
        flags=np.zeros(count, np.int16),
        scrubber=scrubber or Scrubber(),
    )
    samples.refuse(samples.ts == UNREADABLE, "BAD_TIME", "the time is missing, or neither ISO 8601 nor epoch seconds")
    take_miners(samples, given.get(MINER))
    take_texts(samples, given)
    _check_ranges(samples)
    _take_status(samples, given)
    chips = _lists(samples, given, "chip_temps_c", _CHIPS, zeros=not zero_is_unknown)
    settle_temperatures(samples, chips, zero_is_unknown=zero_is_unknown)
    settle_sensors(samples, given.get("temp_limits"))
    windows = settle_hashrate(samples, zero_is_unknown=zero_is_unknown)
    fans = _lists(samples, given, "fan_speeds", _FANS, zeros=not zero_is_unknown)
    settle_fans(samples, fans, zero_is_unknown=zero_is_unknown)
    settle_zeros(samples, zero_is_unknown=zero_is_unknown)
    stated = stated_unit(batch.envelope)
    samples.rate_signs = settle_reject_rate(samples, stated, rate_signs or RejectRateUnitCounts())
    settle_boards(samples, given.get("boards"))
    settle_doubts(samples, given.get("raw_data"))
    extra = encode_extra(batch.extras, given.get("raw_data"), windows, samples.scrubber, count=count)
    if extra is not None:
        samples.texts["extra"] = extra
    return samples


def _numbers(given: Given, one: Field) -> Floats:
    named = [_floats(given[alias.name], alias.factor) for alias in one.aliases if alias.name in given]
    return named[0] if len(named) == 1 else either(*named)


def _floats(values: Sequence[Any], factor: float) -> Floats:
    try:
        found = np.fromiter(values, np.float64, count=len(values))
    except TypeError:  # a None among them
        found = np.array(values, dtype=np.float64)
    return found if factor == 1 else found * factor


def _times(given: Given, count: int) -> NDArray[np.int64]:
    named = [given[name] for name in TIMES if name in given]
    if not named:
        return np.full(count, UNREADABLE, np.int64)
    first = named[0] if len(named) == 1 else [a if a is not None else b for a, b in zip(*named, strict=True)]
    return read_times(first)


def _check_ranges(samples: Samples) -> None:
    if not samples.numbers:
        return
    limits = np.array([(_FIELD[column].least, _FIELD[column].most) for column in samples.numbers])
    every = np.stack(list(samples.numbers.values()))
    wild = (every < limits[:, :1]) | (every > limits[:, 1:])
    if not wild.any():
        return
    for rows, (column, values) in zip(wild, samples.numbers.items(), strict=True):
        if _FIELD[column].least == 0:
            samples.refuse(values < 0, "NEGATIVE", f"{column} is negative")
        samples.refuse(rows, "OUT_OF_RANGE", f"{column} is out of range")
        values[rows] = np.nan


def _take_status(samples: Samples, given: Given) -> None:
    states, online = samples.texts.get("state"), given.get("online")
    if states is None and (online is None or (set(map(type, online)) == {bool} and all(online))):
        return
    for row in range(len(samples)):
        said = None if online is None else online[row]
        if said is not True or states is not None:
            samples.status[row] = sample_status(states[row] if states is not None else None, said)


def _lists(samples: Samples, given: Given, column: str, plausible: Plausible, *, zeros: bool) -> ListColumn | None:
    values = first_of(given, _FIELD[column])
    if values is None:
        return None
    lists = read_lists(values, _FIELD[column], samples.bad, plausible=plausible, zeros=zeros)
    samples.lists[column] = lists
    return lists
