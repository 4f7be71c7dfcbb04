"""One step of all machines: inlet air, power, heat, fans, throttling, protection, hashrate, counters."""

import numpy as np
from numpy.typing import NDArray

from hashinsight.facts.temperatures import CHIP_OVER_BOARD_C
from hashinsight.sim import fans, restarts
from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.models import (
    DERATED_FREQUENCY,
    FANS_FULL_W,
    IDLE_W,
    LEAK_PER_C,
    LEAST_FREQUENCY,
    MODE_FREQUENCY,
    POWER_OF_FREQUENCY,
)
from hashinsight.sim.readings import BOARDS, Flags, Floats
from hashinsight.sim.state import Constants, State

_BOARD_SEC = 110.0  # time constant of a board with its heatsinks in moving air
_THROTTLE_BELOW_HOT_C = 2.0
_THROTTLE_PER_C = 0.03
_LEAST_TRIM = 0.80
_TRIM_SEC = 60.0
_TRIP_SEC = 1200.0


def relaxed(board_c: Floats, rest_c: Floats, dt: float) -> Floats:
    """Exact exponential approach to a constant equilibrium, for a step of any length."""
    carried: Floats = rest_c + (board_c - rest_c) * np.exp(-dt / _BOARD_SEC)
    return carried


def chip_over(load: Floats, factor: Floats) -> Floats:
    over: Floats = CHIP_OVER_BOARD_C * load * factor
    return over


def throttled(trim: Floats, chip_c: Floats, inlet_c: Floats, hot_c: Floats, dt: float) -> Floats:
    """Share of the frequency left by throttling. Divided by the loop gain, else long steps would oscillate."""
    hottest = chip_c.max(axis=1)
    asked = np.clip(1 - _THROTTLE_PER_C * (hottest - (hot_c - _THROTTLE_BELOW_HOT_C)), _LEAST_TRIM, 1.0)
    gain = _THROTTLE_PER_C * POWER_OF_FREQUENCY * np.maximum(hottest - inlet_c, 0.0)
    left: Floats = np.clip(trim + (asked - trim) / (1 + gain) * (1 - np.exp(-dt / _TRIM_SEC)), _LEAST_TRIM, 1.0)
    return left


def derated(inlet_c: Floats, derate_inlet_c: Floats) -> Floats:
    """Derating by inlet air: 490 → 440 MHz on an S21 above 40 °C."""
    return np.where(inlet_c > derate_inlet_c, DERATED_FREQUENCY, 1.0)


def tripped(trip_until: Floats, chip_c: Floats, panic_c: Floats, too_hot_air: Flags, now: float) -> Floats:
    """Until when protection keeps each board off: 20 minutes after it was last above its panic limit."""
    past = (chip_c >= panic_c[:, None]) | too_hot_air[:, None]
    return np.where(past, now + _TRIP_SEC, trip_until)


_LEAK_FREE_BELOW_TARGET_C = 4.0  # rated figures hold at about this much below the target
_RATED_AIR_C = 25.0


def wanted_frequency(mode: NDArray[np.int8], limit_w: Floats, hash_w: Floats) -> Floats:
    """Frequency set by mode and power limit, as a share of the rated one."""
    by_mode = MODE_FREQUENCY[mode]
    room = np.maximum(limit_w - IDLE_W - FANS_FULL_W * 0.4, 1.0) / hash_w
    by_limit = np.maximum(room ** (1 / POWER_OF_FREQUENCY), LEAST_FREQUENCY)
    # fmin: no limit is NaN
    wanted: Floats = np.fmin(by_mode, by_limit)
    return wanted


def board_load(frequency: Floats, chips_share: Floats, on: Flags) -> Floats:
    """Dynamic power of each board as a share of its rated power; a dead chip still draws half."""
    load: Floats = (frequency**POWER_OF_FREQUENCY)[:, None] * on * (0.5 + 0.5 * chips_share)
    return load


def with_leakage(load: Floats, chip_c: Floats, target_c: Floats) -> Floats:
    """Adds leakage: hot silicon draws more."""
    warm: Floats = load * (1 + LEAK_PER_C * (chip_c - (target_c - _LEAK_FREE_BELOW_TARGET_C)[:, None]))
    return warm


def wall_power(load: Floats, hash_w: Floats, duty: Floats, inlet_c: Floats, air_watts: Floats) -> Floats:
    air = 1 + air_watts * (inlet_c - _RATED_AIR_C)
    watts: Floats = IDLE_W + FANS_FULL_W * duty**3 + hash_w * load.sum(axis=1) / BOARDS * air
    return watts


SHARES_PER_SEC = 0.2  # pools set the difficulty for about twelve shares a minute
USUAL_REJECTS = 0.003
USUAL_ERRORS_PER_H = 0.5  # a board


def count_shares(
    state: State, effects: Effects, *, before_ths: Floats, rated_ths: Floats, dt: float, rng: np.random.Generator
) -> None:
    """Adds the shares and errors of a step; work is the mean of both ends of the step."""
    work = (before_ths + state.board_ths) * 0.5
    shares = dt * SHARES_PER_SEC * work.sum(axis=1) / rated_ths
    submitted = shares * (state.pool_no >= 0)
    rejects = np.minimum(USUAL_REJECTS + effects.rejects, 1.0)
    state.accepted += rng.poisson(submitted * (1 - rejects) * (1 - effects.diverted))
    state.rejected += rng.poisson(submitted * rejects)
    per_board = rated_ths[:, None] / work.shape[1]
    errors = dt / 3600 * (USUAL_ERRORS_PER_H + effects.errors_per_h) * work / per_board
    state.board_errors += rng.poisson(errors)


def step(
    fleet: Fleet,
    constants: Constants,
    state: State,
    effects: Effects,
    *,
    air_c: Floats,
    has_work: Flags,
    now: float,
    dt: float,
    rng: np.random.Generator,
) -> None:
    """Advances the state by `dt` seconds to `now`. Steps of up to five minutes reach the same equilibrium."""
    state.inlet_c = air_c[fleet.site.no] + fleet.inlet_add_c + effects.inlet_add_c
    before_ths = state.board_ths
    on = _boards_on(constants, state, effects, has_work, now)
    _set_frequency(constants, state, effects, now)
    load = with_leakage(board_load(state.frequency, effects.chips_share, on), state.chip_c, constants.target_c)
    _exchange_heat(constants, state, effects, load, dt)
    state.trim = throttled(state.trim, state.chip_c, state.inlet_c, constants.hot_c, dt)
    too_hot = state.inlet_c > constants.stop_inlet_c
    state.trip_until = tripped(state.trip_until, state.chip_c, constants.panic_c, too_hot, now)
    state.board_ths = constants.board_ths * state.frequency[:, None] * on * effects.chips_share
    watts = wall_power(load, constants.hash_w, state.duty, state.inlet_c, constants.air_watts)
    state.power_w = watts * effects.watts * state.powered
    count_shares(state, effects, before_ths=before_ths, rated_ths=constants.rated_ths, dt=dt, rng=rng)


def _boards_on(constants: Constants, state: State, effects: Effects, has_work: Flags, now: float) -> Flags:
    allowed = state.powered & ~state.paused & ~state.curtailed & ~effects.stalled & has_work & (now >= state.ready_at)
    alive = effects.board_alive
    # without a PIC the firmware cannot leave one board out: the whole machine stops
    whole: Flags = np.all(alive, axis=1)
    allowed &= constants.has_pic | whole
    on: Flags = allowed[:, None] & alive & (state.trip_until <= now)
    state.hashing = np.any(on, axis=1)
    return on


def _set_frequency(constants: Constants, state: State, effects: Effects, now: float) -> None:
    wanted = wanted_frequency(state.mode, state.limit_w, constants.hash_w)
    if constants.any_derating:
        wanted = wanted * derated(state.inlet_c, constants.derate_inlet_c)
    state.frequency = wanted * state.trim * effects.frequency * restarts.warm_up(state, now) * state.hashing


def _exchange_heat(constants: Constants, state: State, effects: Effects, load: Floats, dt: float) -> None:
    rise = constants.rise_c * effects.board_rise * load
    over = chip_over(load, effects.chip_over)
    # by current heat output: a board that protection switched off is hot but needs no air
    hottest = np.argmax(rise + over, axis=1)
    rows = np.arange(len(hottest))
    share = fans.air_share(state.duty, constants.fan_gain * effects.fan_gain, effects.fan_minus_rpm, constants.fan_rpm)
    steady = fans.steady_duty(
        state.duty,
        inlet_c=state.inlet_c,
        rise_c=rise[rows, hottest],
        over_c=over[rows, hottest],
        target_c=constants.target_c,
        flow=share,
    )
    state.duty = fans.follow(state.duty, steady, dt) * state.powered
    flow = fans.airflow(state.duty, share)
    rest = state.inlet_c[:, None] + rise * (flow**-fans.AIRFLOW_EXPONENT)[:, None]
    state.board_c = relaxed(state.board_c, rest, dt)
    state.chip_c = state.board_c + over
