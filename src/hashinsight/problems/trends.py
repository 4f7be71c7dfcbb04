"""Which machines are getting slower day by day: the lag of an average behind its own values is their slope."""

import numpy as np

from hashinsight.problems.baselines import Residuals
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.frame import Flags, Floats
from hashinsight.problems.state import State, restart

_SMOOTH_SEC = 6 * 3600.0
_DAY = 86_400.0


def follow(
    state: State,
    seen: Residuals,
    limits: MachineLimits,
    *,
    may: Flags,
    explained: Flags,
    elapsed: Floats,
    config: Config,
) -> Floats:
    """Slope of hashrate_ratio in 1/day, and in the state for how many hours it has been too steep. In place.

    An average with time scale T lags a ramp by slope times T, so the residual divided by T is the slope.
    """
    part = 1 - np.exp(-elapsed / _SMOOTH_SEC)
    now = seen.residual[0] / (config.baseline_sec / _DAY)
    usable = may & ~seen.cold[0]
    bound = 3 * seen.sigma[0] / (config.baseline_sec / _DAY)
    before = state["slope"]
    state["slope"][:] = np.where(usable, before + part * (np.clip(now, -bound, bound) - before), before)
    steep = state["slope"] < -limits["trend_per_day"]
    hours = np.where(steep, state["slope_hours"] + elapsed / 3600, 0.0)
    state["slope_hours"][:] = np.where(usable, np.minimum(hours, 1000.0), state["slope_hours"])
    # what another problem explains is no trend, and leaves none behind
    restart(state, explained, ("slope", "slope_hours"))
    return state["slope"].astype(np.float64)
