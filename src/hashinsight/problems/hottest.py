"""The sensor that is nearest to its limit: a board over its own is not hidden by a cool chip, nor a chip by a board."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from hashinsight.problems.config import MachineLimits
from hashinsight.problems.features import Features
from hashinsight.problems.frame import Flags, Floats, Frame, Ints

WARN, CRIT = "warn", "crit"


@dataclass(frozen=True)
class Hottest:
    temp_c: Floats
    limit_c: Floats  # where the problem is open already, the narrower one
    is_other: Flags  # not the sensor of `temp_max`

    @property
    def is_over(self) -> Flags:
        over: Flags = self.temp_c >= self.limit_c
        return over


def hottest(frame: Frame, features: Features, limits: MachineLimits, level: str, shown: Flags) -> Hottest:
    """`level` is WARN or CRIT."""
    held = limits["overheat_hold_c"] * shown
    temp, limit = features.temp_max, limits[f"overheat_{level}_c"] - held
    other = _other_reading(frame, features, limits)
    if other is None:
        return Hottest(temp, limit, np.zeros(frame.n, dtype=np.bool_))
    of_other = np.array([getattr(heat.other, f"{level}_c") for heat in limits.heat])[limits.kind] - held
    nearer = (other - of_other > temp - limit) | (np.isnan(temp) & ~np.isnan(other))
    return Hottest(np.where(nearer, other, temp), np.where(nearer, of_other, limit), nearer)


def told_limits(limits: MachineLimits, found: Hottest, level: str, rows: Ints) -> dict[str, pl.Series]:
    """At which sensor, and whose limit it is: `machine`, `catalogue`, `settings` or `assumed`."""
    pairs = [one for heat in limits.heat for one in (heat.main, heat.other)]
    which = 2 * limits.kind[rows] + found.is_other[rows]
    return {
        "sensor": pl.Series([one.sensor.value for one in pairs], dtype=pl.String).gather(which),
        "limit_source": pl.Series([str(getattr(one, f"{level}_source")) for one in pairs], dtype=pl.String).gather(
            which
        ),
    }


def _other_reading(frame: Frame, features: Features, limits: MachineLimits) -> Floats | None:
    """The hottest of the kind that `temp_max` is not of; None where no machine gives one."""
    if np.isnan(frame.temp_chip_c).all() and np.isnan(frame.temp_board_c).all():
        return None
    is_chip = np.array([heat.main.sensor == "chip" for heat in limits.heat])[limits.kind]
    other = np.where(is_chip, frame.temp_board_c, frame.temp_chip_c)
    return np.where(features.is_online, other, np.nan)
