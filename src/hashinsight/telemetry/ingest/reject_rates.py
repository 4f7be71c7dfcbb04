"""The unit of a collector's `reject_rate`: 0.18 is 18 % from one collector and 0.18 % from another. Pure, on arrays.

A stated unit is taken as it is. Otherwise the counters of accepted and rejected shares show which unit fits, and so
does a value over 1, which cannot be a ratio. A collector has one unit: all its samples are read by the majority of what
it has sent so far. Without any evidence, a value up to 1 is a ratio.

A rate may be since boot, since the previous sample, or over some unknown minutes: 0.30 from a machine whose shares the
pool has begun to reject is not a percentage just because it had 0.4 % since boot. So a percentage must match the
counters exactly.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.samples import Bools, Floats, RejectRateUnitCounts, Samples

_HUNDRED = 100.0
_NEAR, _ROUNDED = 0.05, 0.00005  # tolerance: a few shares, and the second digit of a percentage


class RateUnit(StrEnum):
    RATIO = "ratio"
    PERCENT = "percent"


_UNITS = {unit.value: unit for unit in RateUnit}


def stated_unit(envelope: Mapping[str, Any]) -> RateUnit | None:
    in_percent = envelope.get("reject_rate_unit")
    return _UNITS.get(in_percent) if isinstance(in_percent, str) else None


def clean_reject_rate(samples: Samples, stated: RateUnit | None, before: RejectRateUnitCounts) -> RejectRateUnitCounts:
    """Converts rates to ratios; returns the evidence for the collector's unit, including this batch."""
    numbers = samples.numbers
    in_percent = numbers.pop("reject_percent", None)
    counts = before
    if "reject_rate" in numbers:
        rates = numbers["reject_rate"]
        over = rates > 1
        counts = before.add(_unit_counts(samples, rates)) if stated is None else before
        is_percent = counts.is_percent if stated is None else stated is RateUnit.PERCENT
        rates[over | is_percent] /= _HUNDRED
    if in_percent is not None:
        as_ratio = in_percent / _HUNDRED
        numbers["reject_rate"] = np.where(np.isnan(as_ratio), samples.number("reject_rate"), as_ratio)
    return counts


def _unit_counts(samples: Samples, rates: Floats) -> RejectRateUnitCounts:
    over = rates > 1
    if not samples.numbers.keys() >= {"accepted", "rejected"}:
        return RejectRateUnitCounts(over_one=_count(over))
    comparable = (rates >= 0) & ~over
    since_boot, since_previous = _shares(samples, comparable), _shares_since_previous(samples)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = rates / since_boot  # 1 for a ratio, 100 for a percentage; 10 lies half-way between
    is_near = (quotient > 0) & (quotient <= np.sqrt(_HUNDRED))
    is_ratio = is_near | _matches(rates, since_boot) | _matches(rates, since_previous)
    is_percent = _matches(rates / _HUNDRED, since_boot) | _matches(rates / _HUNDRED, since_previous)
    comparable &= ~(np.isnan(since_boot) & np.isnan(since_previous))
    return RejectRateUnitCounts(
        ratio=_count(comparable & is_ratio & ~is_percent),
        percent=_count(comparable & is_percent & ~is_ratio),
        neither=_count(comparable & ~is_ratio & ~is_percent),
        over_one=_count(over),
    )


def _matches(rates: Floats, shares: Floats) -> Bools:
    same: Bools = np.abs(rates - shares) <= _NEAR * shares + _ROUNDED  # NaN never matches
    return same


def _count(rows: Bools) -> int:
    return int(np.count_nonzero(rows))


def _shares(samples: Samples, wanted: Bools) -> Floats:
    """Rejected share of all shares, by the sample's own counters, else by another sample of the same machine."""
    share = _share(samples.number("accepted"), samples.number("rejected"))
    missing = np.flatnonzero(wanted & np.isnan(share))
    known = np.flatnonzero(~np.isnan(share))
    if missing.size and known.size:
        by_machine = {samples.miner_ids[row]: share[row] for row in known.tolist()}
        share[missing] = [by_machine.get(samples.miner_ids[row], np.nan) for row in missing.tolist()]
    return share


def _shares_since_previous(samples: Samples) -> Floats:
    """Rejected share since the previous sample of the same machine, if the batch has one."""
    share = np.full(len(samples), np.nan)
    if len(set(samples.miner_ids)) == len(samples):
        return share
    numbers: dict[str, int] = {}
    machines = np.array([numbers.setdefault(miner_id, len(numbers)) for miner_id in samples.miner_ids])
    order = np.lexsort((samples.ts, machines))
    accepted, rejected = (np.diff(samples.number(name)[order]) for name in ("accepted", "rejected"))
    is_same_machine = (np.diff(machines[order]) == 0) & (accepted >= 0) & (rejected >= 0)
    share[order[1:][is_same_machine]] = _share(accepted[is_same_machine], rejected[is_same_machine])
    return share


def _share(accepted: Floats, rejected: Floats) -> Floats:
    counted = accepted + rejected
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counted > 0, rejected / counted, np.nan)
