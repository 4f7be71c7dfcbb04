"""Fans: control loop, airflow and reported speed."""

import numpy as np

from hashinsight.sim.models import CONTROL_BAND_C, LEAST_DUTY
from hashinsight.sim.readings import FANS, NO_FAN, Counts, Floats

AIRFLOW_EXPONENT = 0.7  # the rise over inlet falls with airflow by this power
_FOLLOW_SEC = 20.0
_LEAST_FLOW = 0.12  # a dead fan still lets some air through, and there is convection
_FAN_NOISE_RPM = 25.0
_GAIN = (1 - LEAST_DUTY) / CONTROL_BAND_C


def steady_duty(
    duty: Floats, *, inlet_c: Floats, rise_c: Floats, over_c: Floats, target_c: Floats, flow: Floats
) -> Floats:
    """Where the control loop comes to rest: proportional between target less band and target, at 100 % from there on.

    `rise_c` is the hottest board's rise at full airflow, `over_c` its chip over board. Newton's method, from the last
    duty: the loop's two curves cross once, and the air changes little in a step.
    """
    fixed = inlet_c + over_c - (target_c - CONTROL_BAND_C)
    at = np.maximum(duty, LEAST_DUTY)
    for _ in range(3):
        rise = rise_c * np.maximum(at * flow, _LEAST_FLOW) ** -AIRFLOW_EXPONENT
        asked = LEAST_DUTY + _GAIN * (fixed + rise)
        slope = 1 + _GAIN * AIRFLOW_EXPONENT * rise / at
        at = np.clip(at - (at - asked) / slope, LEAST_DUTY, 1.0)
    return at


def follow(duty: Floats, steady: Floats, dt: float) -> Floats:
    followed: Floats = steady + (duty - steady) * np.exp(-dt / _FOLLOW_SEC)
    return followed


def air_share(duty: Floats, gain: Floats, minus_rpm: Floats, full_rpm: Floats) -> Floats:
    """Airflow as a share of what healthy fans move at this duty."""
    if minus_rpm.any():
        set_rpm = full_rpm * np.maximum(duty, LEAST_DUTY)
        gain = np.maximum(gain - minus_rpm / set_rpm[:, None], 0.0)
    share: Floats = gain.sum(axis=1)
    return share


def airflow(duty: Floats, share: Floats) -> Floats:
    """Airflow through the machine as a share of all fans at full speed."""
    flow: Floats = np.maximum(duty * share, _LEAST_FLOW)
    return flow


def reported_rpm(
    duty: Floats, gain: Floats, *, full_rpm: Floats, minus: Floats, jitter: Floats, noise: Floats
) -> Counts:
    """Reported speed of every fan; 0 when stopped."""
    turning = full_rpm[:, None] * duty[:, None] * gain
    rpm = np.where(turning > 0, np.maximum(turning - minus + noise * (_FAN_NOISE_RPM + jitter), 0), 0)
    return np.rint(rpm).astype(np.int64)


def mark_absent(rpm: Counts, fans: Floats) -> Counts:
    return np.where(np.arange(FANS) < fans[:, None], rpm, NO_FAN)
