"""What machines say about themselves: estimates with noise, sensors that may be broken, values that may be frozen."""

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim import fans
from hashinsight.sim.constants import Constants
from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.models import LEAST_FREQUENCY, MODE_FREQUENCY
from hashinsight.sim.power import wanted_frequency
from hashinsight.sim.readings import BOARDS, FANS, Floats, Readings
from hashinsight.sim.state import State

Normals = NDArray[np.float32]
_HASH_NOISE = 0.013  # of a machine's own estimate at 60 s
_HASH_NOISE_5S = 0.045
_ESTIMATE_SEC = 60.0
_WATT_NOISE = 0.004
_TEMP_NOISE_C = 0.35
_VOLTS = 14.2
_OVERHEATED_CODE = 8000
NORMALS = 2 * BOARDS + FANS + 2  # drawn for every machine and step


def hear_noise(state: State, normals: Normals, dt: float) -> None:
    """Carries the slow part of the noise on: an estimate over a minute does not jump every five seconds."""
    keep = np.exp(-dt / _ESTIMATE_SEC)
    fresh = np.sqrt(1 - keep**2)
    state.hash_noise = state.hash_noise * keep + normals[:BOARDS].T * fresh
    state.fan_noise = state.fan_noise * keep + normals[2 * BOARDS : 2 * BOARDS + FANS].T * fresh


def say(
    fleet: Fleet, fixed: Constants, state: State, effects: Effects, *, at: float, normals: Normals, noise: float
) -> Readings:
    """One row a machine. `noise` scales that of every sensor."""
    board_ths = state.board_ths * (1 + noise * _HASH_NOISE * np.sqrt(BOARDS) * state.hash_noise)
    total = board_ths.sum(axis=1)
    rough = 1 + noise * (_HASH_NOISE_5S * normals[-1] - _HASH_NOISE * state.hash_noise.mean(axis=1))
    trembling = noise * _TEMP_NOISE_C * normals[BOARDS : 2 * BOARDS].T
    broken = ~np.isnan(effects.sensor_c)
    # each rounded by itself: a rounded difference added on would be off by up to half a degree, the same all day
    board_c = np.where(broken, effects.sensor_c, _in_half_degrees(state.board_c + trembling))
    chip_c = np.where(broken, effects.sensor_c, _in_half_degrees(state.chip_c + trembling))
    rpm = fans.said_rpm(
        state.duty,
        fleet.fan_gain * effects.fan_gain,
        full_rpm=fixed.fan_rpm,
        minus=effects.fan_minus_rpm,
        jitter=effects.fan_jitter_rpm,
        noise=state.fan_noise * noise,
    )
    found = fleet.board_chips[:, None] * effects.chips_share * effects.board_alive
    powered, cut = state.powered, np.any(state.trip_until > at, axis=1)
    return Readings(
        at=at,
        reachable=powered & effects.linked & (at >= state.reach_at),
        hashing=state.hashing.copy(),
        hashrate_ths=total,
        hashrate_5s_ths=np.maximum(total * rough, 0),
        expected_ths=expected_ths(fixed, state),
        board_ths=board_ths,
        board_temp_c=board_c,
        chip_temp_c=chip_c,
        board_chips=np.rint(found).astype(np.int64),
        board_hw_errors=state.board_errors.copy(),
        frequency_mhz=np.rint(fixed.mhz * state.frequency),
        fan_rpm=fans.mark_absent(rpm, fixed.fans),
        fan_duty=state.duty,
        inlet_c=state.inlet_c,
        power_w=np.rint(state.power_w * (1 + noise * _WATT_NOISE * normals[-2])),
        voltage_v=_VOLTS * effects.volts * np.where(state.hashing, 0.7 + 0.3 * state.frequency, 0.0),
        power_limit_w=state.limit_w.copy(),
        mode=state.mode.copy(),
        accepted=state.accepted.copy(),
        rejected=state.rejected.copy(),
        hw_errors=state.board_errors.sum(axis=1),
        uptime_sec=np.maximum(at - state.booted_at, 0).astype(np.int64),
        pool=state.pool_no.copy(),
        error_code=np.where(cut & (effects.error_code == 0), _OVERHEATED_CODE, effects.error_code),
        fault_light=state.light.copy(),
    )


def _in_half_degrees(temp_c: Floats) -> Floats:
    rounded: Floats = np.rint(temp_c * 2) / 2
    return rounded


def expected_ths(fixed: Constants, state: State) -> Floats:
    """The nameplate in the mode and under the limit that are set: what an owner may expect."""
    if np.isnan(state.limit_w).all():
        nameplate: Floats = fixed.rated_ths * MODE_FREQUENCY[state.mode]
        return nameplate
    wanted = wanted_frequency(state.mode, state.limit_w, fixed.rated_w)
    promised: Floats = fixed.rated_ths * np.maximum(wanted, LEAST_FREQUENCY)
    return promised


def keep_frozen(said: Readings, before: Readings | None, effects: Effects) -> Readings:
    """A hung firmware answers, but with what it said last."""
    rows = np.flatnonzero(effects.frozen)
    if before is None or not rows.size:
        return said
    held = {}
    for one in fields(Readings):
        if one.name in {"at", "reachable"}:
            continue
        values = getattr(said, one.name).copy()
        values[rows] = getattr(before, one.name)[rows]
        held[one.name] = values
    return replace(said, **held)
