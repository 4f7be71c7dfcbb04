"""Fans, listed or in one field each: the list, the mean and the slowest. Pure, on arrays."""

import numpy as np

from hashinsight.facts.models import find_model
from hashinsight.telemetry.ingest.samples import MAX_SENSORS, Bools, Floats, ListColumn, Samples, first_known
from hashinsight.telemetry.states import SampleFlags, SampleStatus

MAX_RPM = 30_000.0  # no fan spins faster
_SINGLE = ("fan1", "fan2", "fan3", "fan4")


def clean_fans(samples: Samples, listed: ListColumn | None, *, zero_is_unknown: bool) -> None:
    numbers = samples.numbers
    responds = samples.status != SampleStatus.OFFLINE
    singles = [numbers.pop(name) if name in numbers else None for name in _SINGLE]
    present_by_fan = [np.zeros(len(samples), np.bool_) if fan is None else ~np.isnan(fan) for fan in singles]
    reported_means = [numbers["fan_rpm"]] if "fan_rpm" in numbers else []
    for rpm in (*singles, *reported_means):
        if rpm is None:
            continue
        rpm[(rpm > 0) & (rpm <= MAX_SENSORS)] = np.nan
        broken = (rpm < 0) | (rpm > MAX_RPM)
        samples.flag(broken & responds, SampleFlags.FAN_SENTINEL)
        rpm[broken] = np.nan
    least: list[Floats] = []
    mean: list[Floats] = []
    if listed is not None:
        samples.flag(listed.broken & responds, SampleFlags.FAN_SENTINEL)
        least, mean = [listed.least], [listed.mean]
    if any(fan is not None for fan in singles):
        none = np.full(len(samples), np.nan)
        every = np.stack([none if fan is None else fan for fan in singles])
        present = np.stack(present_by_fan)
        if zero_is_unknown:
            not_fitted = _not_fitted(samples, every)
            every[not_fitted] = np.nan
            present &= ~not_fitted
        known = np.maximum((~np.isnan(every)).sum(axis=0), 1)
        least.append(np.fmin.reduce(every))
        mean.append(np.where(np.isnan(least[-1]), np.nan, np.nansum(every, axis=0) / known))
        samples.lists["fan_speeds"] = _with_singles(every, present, mean[-1], least[-1], listed)
    if mean or reported_means:
        numbers["fan_rpm"] = first_known(*mean, *reported_means)
    if least:  # fans of an idle machine may stop; a single stopped fan is a fault
        slowest = first_known(*least)
        idle = (numbers["fan_rpm"] == 0) & ~(samples.number("hashrate_ths") > 0)
        numbers["fan_min_rpm"] = np.where(idle, np.nan, slowest)


def _with_singles(every: Floats, present: Bools, mean: Floats, least: Floats, listed: ListColumn | None) -> ListColumn:
    """Fans sent in one field each as a list, in the order of their names; a sample's own list has priority."""
    values = np.ascontiguousarray(every.T)
    positions = np.arange(1, values.shape[1] + 1)
    lengths = np.where(present.T, positions, 0).max(axis=1)  # connectors after the last fan are empty
    broken = np.zeros(len(values), dtype=np.bool_)
    if listed is None:
        return ListColumn(mean, least, np.fmax.reduce(every), broken, values, lengths)
    own = listed.lengths > 0
    width = max(values.shape[1], listed.values.shape[1])
    return ListColumn(
        np.where(own, listed.mean, mean),
        np.where(own, listed.least, least),
        np.where(own, listed.most, np.fmax.reduce(every)),
        listed.broken,
        np.where(own[:, None], _widened(listed.values, width), _widened(values, width)),
        np.where(own, listed.lengths, lengths),
    )


def _widened(values: Floats, width: int) -> Floats:
    return np.pad(values, ((0, 0), (0, width - values.shape[1])), constant_values=np.nan)


def _not_fitted(samples: Samples, every: Floats) -> Bools:
    """Which fans at 0 are not fitted, by fan and sample: all at 0 is unknown; a two-fan machine has four connectors.

    If as many spin as the model has, the others are not fitted. An unknown model has two fans if two of four spin.
    """
    zero: Bools = every == 0
    spinning = (every > 0).sum(axis=0)
    if not zero.any():
        return zero
    names = samples.texts.get("model") or [None] * len(samples)
    known = {name: find_model(name) for name in set(names) if name}
    fitted = {name: model.fans for name, model in known.items() if model is not None and model.fans}
    half = (spinning == 2) & (zero.sum(axis=0) == 2)  # noqa: PLR2004 - two of four
    fitted_fans = np.array([fitted.get(name or "", 0) for name in names])
    are_all = np.where(fitted_fans > 0, spinning >= fitted_fans, half)
    not_fitted: Bools = zero & ((spinning == 0) | are_all)
    return not_fitted
