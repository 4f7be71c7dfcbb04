"""In which unit a collector writes `reject_rate`: 0.18 is 18 % of one and 0.18 % of another. Pure, on arrays.

Whoever states the unit is believed. Otherwise the counters of accepted and rejected shares say which reading fits, and
so does a value over 1, which no ratio can be. A collector has one unit: all its samples are read alike, by the majority
of what it has sent so far. With nothing to go by, a bare value up to 1 is a ratio.

A rate is since boot, since the sample before, or of some minutes that nobody tells: 0.30 of a machine that the pool has
begun to refuse is no percentage because it had 0.4 % since boot. So a percentage has to be the counters' own figure.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.samples import Bools, Floats, RejectRateUnitCounts, Samples

_HUNDRED = 100.0
_NEAR, _ROUNDED = 0.05, 0.00005  # two figures are the same, but for a few shares and the second digit of a percentage


class RateUnit(StrEnum):
    RATIO = "ratio"
    PERCENT = "percent"


_UNITS = {unit.value: unit for unit in RateUnit}


def stated_unit(envelope: Mapping[str, Any]) -> RateUnit | None:
    named = envelope.get("reject_rate_unit")
    return _UNITS.get(named) if isinstance(named, str) else None


def settle_reject_rate(samples: Samples, stated: RateUnit | None, before: RejectRateUnitCounts) -> RejectRateUnitCounts:
    """Rates as ratios; and the signs of the collector's unit, with those of this batch."""
    numbers = samples.numbers
    named = numbers.pop("reject_percent", None)
    signs = before
    if "reject_rate" in numbers:
        rates = numbers["reject_rate"]
        over = rates > 1
        signs = before.with_more(_signs(samples, rates)) if stated is None else before
        is_percent = signs.is_percent if stated is None else stated is RateUnit.PERCENT
        rates[over | is_percent] /= _HUNDRED
    if named is not None:
        in_name = named / _HUNDRED
        numbers["reject_rate"] = np.where(np.isnan(in_name), samples.number("reject_rate"), in_name)
    return signs


def _signs(samples: Samples, rates: Floats) -> RejectRateUnitCounts:
    over = rates > 1
    if not samples.numbers.keys() >= {"accepted", "rejected"}:
        return RejectRateUnitCounts(over_one=_count(over))
    comparable = (rates >= 0) & ~over
    since_boot, since_before = _shares(samples, comparable), _shares_since_before(samples)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = rates / since_boot  # 1 for a ratio, 100 for a percentage; 10 lies half-way between
    is_near = (times > 0) & (times <= np.sqrt(_HUNDRED))
    is_ratio = is_near | _agree(rates, since_boot) | _agree(rates, since_before)
    is_percent = _agree(rates / _HUNDRED, since_boot) | _agree(rates / _HUNDRED, since_before)
    comparable &= ~(np.isnan(since_boot) & np.isnan(since_before))
    return RejectRateUnitCounts(
        ratio=_count(comparable & is_ratio & ~is_percent),
        percent=_count(comparable & is_percent & ~is_ratio),
        neither=_count(comparable & ~is_ratio & ~is_percent),
        over_one=_count(over),
    )


def _agree(rates: Floats, shares: Floats) -> Bools:
    same: Bools = np.abs(rates - shares) <= _NEAR * shares + _ROUNDED  # never, where there is no share
    return same


def _count(rows: Bools) -> int:
    return int(np.count_nonzero(rows))


def _shares(samples: Samples, wanted: Bools) -> Floats:
    """Rejected of all shares, by the sample's own counters, else by those of a neighbouring sample of its machine."""
    share = _share(samples.number("accepted"), samples.number("rejected"))
    lacking = np.flatnonzero(wanted & np.isnan(share))
    told = np.flatnonzero(~np.isnan(share))
    if lacking.size and told.size:
        by_machine = {samples.miner_ids[row]: share[row] for row in told.tolist()}
        share[lacking] = [by_machine.get(samples.miner_ids[row], np.nan) for row in lacking.tolist()]
    return share


def _shares_since_before(samples: Samples) -> Floats:
    """Rejected of the shares since the sample before of the same machine, where the batch has one."""
    share = np.full(len(samples), np.nan)
    if len(set(samples.miner_ids)) == len(samples):
        return share
    numbers: dict[str, int] = {}
    machines = np.array([numbers.setdefault(miner_id, len(numbers)) for miner_id in samples.miner_ids])
    order = np.lexsort((samples.ts, machines))
    accepted, rejected = (np.diff(samples.number(name)[order]) for name in ("accepted", "rejected"))
    goes_on = (np.diff(machines[order]) == 0) & (accepted >= 0) & (rejected >= 0)
    share[order[1:][goes_on]] = _share(accepted[goes_on], rejected[goes_on])
    return share


def _share(accepted: Floats, rejected: Floats) -> Floats:
    counted = accepted + rejected
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(counted > 0, rejected / counted, np.nan)
