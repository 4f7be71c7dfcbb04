"""What machines report: noisy estimates, broken sensors, frozen values of a hung firmware."""

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim import fans
from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.models import LEAST_FREQUENCY, MODE_FREQUENCY
from hashinsight.sim.physics import wanted_frequency
from hashinsight.sim.readings import BOARDS, FANS, Floats, Readings
from hashinsight.sim.state import Constants, State

Normals = NDArray[np.float32]
_HASH_NOISE = 0.013  # of a machine's own estimate at 60 s
_HASH_NOISE_5S = 0.045
_ESTIMATE_SEC = 60.0
_WATT_NOISE = 0.004
_TEMP_NOISE_C = 0.35
_VOLTS = 14.2
_OVERHEATED_CODE = 8000
NORMALS = 2 * BOARDS + FANS + 2  # drawn for every machine and step


def advance_noise(state: State, normals: Normals, dt: float) -> None:
    """Advances the slow part of the noise: a one-minute estimate does not jump every five seconds."""
    keep = np.exp(-dt / _ESTIMATE_SEC)
    fresh = np.sqrt(1 - keep**2)
    state.hash_noise = state.hash_noise * keep + normals[:BOARDS].T * fresh
    state.fan_noise = state.fan_noise * keep + normals[2 * BOARDS : 2 * BOARDS + FANS].T * fresh


def take_readings(
    fleet: Fleet, constants: Constants, state: State, effects: Effects, *, at: float, normals: Normals, noise: float
) -> Readings:
    """One row per machine. `noise` scales the noise of every sensor."""
    board_ths = state.board_ths * (1 + noise * _HASH_NOISE * np.sqrt(BOARDS) * state.hash_noise)
    total = board_ths.sum(axis=1)
    short_term = 1 + noise * (_HASH_NOISE_5S * normals[-1] - _HASH_NOISE * state.hash_noise.mean(axis=1))
    temp_noise = noise * _TEMP_NOISE_C * normals[BOARDS : 2 * BOARDS].T
    broken = ~np.isnan(effects.sensor_c)
    # rounded separately: adding a rounded difference would be off by up to half a degree all day
    board_c = np.where(broken, effects.sensor_c, _in_half_degrees(state.board_c + temp_noise))
    chip_c = np.where(broken, effects.sensor_c, _in_half_degrees(state.chip_c + temp_noise))
    rpm = fans.reported_rpm(
        state.duty,
        fleet.fan_gain * effects.fan_gain,
        full_rpm=constants.fan_rpm,
        minus=effects.fan_minus_rpm,
        jitter=effects.fan_jitter_rpm,
        noise=state.fan_noise * noise,
    )
    chips_found = fleet.board_chips[:, None] * effects.chips_share * effects.board_alive
    powered, cut = state.powered, np.any(state.trip_until > at, axis=1)
    return Readings(
        at=at,
        reachable=powered & effects.linked & (at >= state.reach_at),
        hashing=state.hashing.copy(),
        hashrate_ths=total,
        hashrate_5s_ths=np.maximum(total * short_term, 0),
        expected_ths=expected_ths(constants, state),
        board_ths=board_ths,
        board_temp_c=board_c,
        chip_temp_c=chip_c,
        board_chips=np.rint(chips_found).astype(np.int64),
        board_hw_errors=state.board_errors.copy(),
        frequency_mhz=np.rint(constants.mhz * state.frequency),
        fan_rpm=fans.mark_absent(rpm, constants.fans),
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


def expected_ths(constants: Constants, state: State) -> Floats:
    """Nameplate hashrate in the current mode and under the current power limit."""
    if np.isnan(state.limit_w).all():
        nameplate: Floats = constants.rated_ths * MODE_FREQUENCY[state.mode]
        return nameplate
    wanted = wanted_frequency(state.mode, state.limit_w, constants.rated_w)
    promised: Floats = constants.rated_ths * np.maximum(wanted, LEAST_FREQUENCY)
    return promised


def hold_frozen(readings: Readings, previous: Readings | None, effects: Effects) -> Readings:
    """A hung firmware keeps responding with its last values."""
    rows = np.flatnonzero(effects.frozen)
    if previous is None or not rows.size:
        return readings
    values_by_name = {}
    for field in fields(Readings):
        if field.name in {"at", "reachable"}:
            continue
        values = getattr(readings, field.name).copy()
        values[rows] = getattr(previous, field.name)[rows]
        values_by_name[field.name] = values
    return replace(readings, **values_by_name)
