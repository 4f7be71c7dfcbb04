"""Outdoor temperature by site: annual mean, daily cycle, and warm and cold spells."""

from collections.abc import Sequence

import numpy as np

from hashinsight.sim.plan import Site
from hashinsight.sim.readings import Floats

HOTTEST_LOCAL_H = 15.5
DAY_SEC = 86_400.0


class Air:
    """Weather of all sites; a spell is an Ornstein-Uhlenbeck process, so its statistics do not depend on the step."""

    def __init__(self, sites: Sequence[Site], rng: np.random.Generator) -> None:
        self._rng = rng
        self._mean = np.array([site.weather.mean_c for site in sites])
        self._half_swing = np.array([site.weather.daily_swing_c for site in sites]) / 2
        self._spell_sd = np.array([site.weather.spell_c for site in sites])
        self._spell_sec = np.array([site.weather.spell_days for site in sites]) * DAY_SEC
        self._offset_sec = np.array([site.utc_offset_h for site in sites]) * 3600
        self._spell = rng.normal(0, 1, len(sites)) * self._spell_sd

    def step(self, now: float, dt: float) -> Floats:
        """Outdoor temperature at every site at `now`, `dt` seconds after the step before."""
        keep = np.exp(-dt / self._spell_sec)
        fresh = self._spell_sd * np.sqrt(1 - keep**2) * self._rng.standard_normal(len(self._spell))
        self._spell = self._spell * keep + fresh
        local = now + self._offset_sec
        day = 2 * np.pi * (local / DAY_SEC - HOTTEST_LOCAL_H / 24)
        # the second term makes mornings warm up faster than evenings cool down
        shape = np.cos(day) + 0.15 * np.sin(2 * day)
        air: Floats = self._mean + self._half_swing * shape + self._spell
        return air
