"""Fans, listed or one field each: their list, mean and slowest. Pure, on arrays."""

import numpy as np

from hashinsight.facts.models import find_model
from hashinsight.telemetry.ingest.lists import MOST_SENSORS, ListColumn
from hashinsight.telemetry.ingest.readings import either
from hashinsight.telemetry.ingest.samples import Bools, Floats, Samples
from hashinsight.telemetry.states import SampleFlags, SampleStatus

MOST_RPM = 30_000.0  # no fan turns faster
_SINGLE = ("fan1", "fan2", "fan3", "fan4")


def settle_fans(samples: Samples, listed: ListColumn | None, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    answers = samples.status != SampleStatus.OFFLINE
    singles = [numbers.pop(name) if name in numbers else None for name in _SINGLE]
    fitted = [np.zeros(len(samples), np.bool_) if one is None else ~np.isnan(one) for one in singles]
    said = [numbers["fan_rpm"]] if "fan_rpm" in numbers else []
    for one in (*singles, *said):
        if one is None:
            continue
        one[(one > 0) & (one <= MOST_SENSORS)] = np.nan
        broken = (one < 0) | (one > MOST_RPM)
        samples.flag(broken & answers, SampleFlags.FAN_SENTINEL)
        one[broken] = np.nan
    least: list[Floats] = []
    mean: list[Floats] = []
    if listed is not None:
        samples.flag(listed.broken & answers, SampleFlags.FAN_SENTINEL)
        least, mean = [listed.least], [listed.mean]
    if any(one is not None for one in singles):
        none = np.full(len(samples), np.nan)
        every = np.stack([none if one is None else one for one in singles])
        present = np.stack(fitted)
        if zero_is_unknown:
            absent = _absent(samples, every)
            every[absent] = np.nan
            present &= ~absent
        known = np.maximum((~np.isnan(every)).sum(axis=0), 1)
        least.append(np.fmin.reduce(every))
        mean.append(np.where(np.isnan(least[-1]), np.nan, np.nansum(every, axis=0) / known))
        samples.lists["fan_speeds"] = _with_singles(every, present, mean[-1], least[-1], listed)
    if mean or said:
        numbers["fan_rpm"] = either(*mean, *said)
    if least:  # fans of a machine that rests stand by right; one alone that stands does not
        slowest = either(*least)
        resting = (numbers["fan_rpm"] == 0) & ~(samples.number("hashrate_ths") > 0)
        numbers["fan_min_rpm"] = np.where(resting, np.nan, slowest)


def _with_singles(every: Floats, present: Bools, mean: Floats, least: Floats, listed: ListColumn | None) -> ListColumn:
    """Fans that came one field each as a list, in the order of their names; a sample's own list comes first."""
    said = np.ascontiguousarray(every.T)
    places = np.arange(1, said.shape[1] + 1)
    lengths = np.where(present.T, places, 0).max(axis=1)  # connectors behind the last fan are none
    broken = np.zeros(len(said), dtype=np.bool_)
    if listed is None:
        return ListColumn(mean, least, np.fmax.reduce(every), broken, said, lengths)
    own = listed.lengths > 0
    width = max(said.shape[1], listed.said.shape[1])
    return ListColumn(
        np.where(own, listed.mean, mean),
        np.where(own, listed.least, least),
        np.where(own, listed.most, np.fmax.reduce(every)),
        listed.broken,
        np.where(own[:, None], _widened(listed.said, width), _widened(said, width)),
        np.where(own, listed.lengths, lengths),
    )


def _widened(said: Floats, width: int) -> Floats:
    return np.pad(said, ((0, 0), (0, width - said.shape[1])), constant_values=np.nan)


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
