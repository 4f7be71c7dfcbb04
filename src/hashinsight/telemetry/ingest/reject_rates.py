"""In which unit a collector writes `reject_rate`: 0.18 is 18 % of one and 0.18 % of another. Pure, on arrays.

Whoever states the unit is believed. Otherwise the counters of accepted and rejected shares say which reading fits, and
so does a value over 1, which no ratio can be. A collector has one unit: all its samples are read alike, by the majority
of what it has sent so far. With nothing to go by, a bare value up to 1 is a ratio.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from hashinsight.telemetry.ingest.samples import Bools, Floats, RateSigns, Samples

_HUNDRED = 100.0


class RateUnit(StrEnum):
    RATIO = "ratio"
    PERCENT = "percent"


_UNITS = {unit.value: unit for unit in RateUnit}


def stated_unit(envelope: Mapping[str, Any]) -> RateUnit | None:
    named = envelope.get("reject_rate_unit")
    return _UNITS.get(named) if isinstance(named, str) else None


def settle_reject_rate(samples: Samples, stated: RateUnit | None, before: RateSigns) -> RateSigns:
    """Rates as ratios; and the signs of the collector's unit, with those of this batch."""
    numbers = samples.numbers
    named = numbers.pop("reject_percent", None)
    signs = before
    if "reject_rate" in numbers:
        rates = numbers["reject_rate"]
        over = rates > 1
        ratio, percent = _signs(samples, rates)
        signs = before.with_more(int(ratio.sum()), int(percent.sum()) + int(over.sum()))
        is_percent = signs.is_percent if stated is None else stated is RateUnit.PERCENT
        rates[over | is_percent] /= _HUNDRED
    if named is not None:
        in_name = named / _HUNDRED
        numbers["reject_rate"] = np.where(np.isnan(in_name), samples.number("reject_rate"), in_name)
    return signs


def _signs(samples: Samples, rates: Floats) -> tuple[Bools, Bools]:
    """Which samples are nearer to their machine's share of rejects as a ratio, and which as a percentage."""
    unclear = (rates > 0) & (rates <= 1)
    share = _shares(samples, unclear)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = rates / share  # 1 for a ratio, 100 for a percentage; 10 lies half-way between
        known: Bools = unclear & (share > 0)
        is_percent: Bools = known & (times > np.sqrt(_HUNDRED))
    return known & ~is_percent, is_percent


def _shares(samples: Samples, wanted: Bools) -> Floats:
    """Rejected of all shares, by the sample's own counters, else by those of a neighbouring sample of its machine."""
    accepted, rejected = samples.number("accepted"), samples.number("rejected")
    counted = accepted + rejected
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(counted > 0, rejected / counted, np.nan)
    lacking = np.flatnonzero(wanted & np.isnan(share))
    told = np.flatnonzero(~np.isnan(share))
    if lacking.size and told.size:
        by_machine = {samples.miner_ids[row]: share[row] for row in told.tolist()}
        share[lacking] = [by_machine.get(samples.miner_ids[row], np.nan) for row in lacking.tolist()]
    return share
