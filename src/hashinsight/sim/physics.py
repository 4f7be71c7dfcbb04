"""One step of every machine at once: air in, watts, heat, fans, throttling, protection, hashrate."""

import numpy as np

from hashinsight.sim import boots, fans, power, shares, thermal
from hashinsight.sim.constants import Constants
from hashinsight.sim.effects import Effects
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.readings import Flags, Floats
from hashinsight.sim.state import State


def step(
    fleet: Fleet,
    fixed: Constants,
    state: State,
    effects: Effects,
    *,
    air_c: Floats,
    has_work: Flags,
    now: float,
    dt: float,
    rng: np.random.Generator,
) -> None:
    """Carries the state to `now`, `dt` seconds on. Any step up to five minutes gives the same points of rest."""
    state.inlet_c = air_c[fleet.site.no] + fleet.inlet_add_c + effects.inlet_add_c
    before_ths = state.board_ths
    on = _boards_on(fixed, state, effects, has_work, now)
    _set_frequency(fixed, state, effects, now)
    load = power.leaked(power.board_load(state.frequency, effects.chips_share, on), state.chip_c, fixed.target_c)
    _exchange_heat(fixed, state, effects, load, dt)
    state.trim = thermal.throttled(state.trim, state.chip_c, state.inlet_c, fixed.hot_c, dt)
    too_hot = state.inlet_c > fixed.stop_inlet_c
    state.trip_until = thermal.tripped(state.trip_until, state.chip_c, fixed.panic_c, too_hot, now)
    state.board_ths = fixed.board_ths * state.frequency[:, None] * on * effects.chips_share
    watts = power.wall_power(load, fixed.hash_w, state.duty, state.inlet_c, fixed.air_watts)
    state.power_w = watts * effects.watts * state.powered
    shares.count(state, effects, before_ths=before_ths, rated_ths=fixed.rated_ths, dt=dt, rng=rng)


def _boards_on(fixed: Constants, state: State, effects: Effects, has_work: Flags, now: float) -> Flags:
    allowed = state.powered & ~state.paused & ~state.curtailed & ~effects.stalled & has_work & (now >= state.ready_at)
    alive = effects.board_alive
    # without a PIC the firmware cannot leave one board out: the whole machine stops
    whole: Flags = np.all(alive, axis=1)
    allowed &= fixed.has_pic | whole
    on: Flags = allowed[:, None] & alive & (state.trip_until <= now)
    state.hashing = np.any(on, axis=1)
    return on


def _set_frequency(fixed: Constants, state: State, effects: Effects, now: float) -> None:
    wanted = power.wanted_frequency(state.mode, state.limit_w, fixed.hash_w)
    if fixed.any_derating:
        wanted = wanted * thermal.derated(state.inlet_c, fixed.derate_inlet_c)
    state.frequency = wanted * state.trim * effects.frequency * boots.warm_up(state, now) * state.hashing


def _exchange_heat(fixed: Constants, state: State, effects: Effects, load: Floats, dt: float) -> None:
    rise = fixed.rise_c * effects.board_rise * load
    over = thermal.chip_over(load, effects.chip_over)
    # by what each board gives off now: one that protection has cut is still hot but needs no air
    hottest = np.argmax(rise + over, axis=1)
    rows = np.arange(len(hottest))
    share = fans.air_share(state.duty, fixed.fan_gain * effects.fan_gain, effects.fan_minus_rpm, fixed.fan_rpm)
    steady = fans.steady_duty(
        state.duty,
        inlet_c=state.inlet_c,
        rise_c=rise[rows, hottest],
        over_c=over[rows, hottest],
        target_c=fixed.target_c,
        flow=share,
    )
    state.duty = fans.follow(state.duty, steady, dt) * state.powered
    flow = fans.airflow(state.duty, share)
    rest = state.inlet_c[:, None] + rise * (flow**-fans.AIRFLOW_EXPONENT)[:, None]
    state.board_c = thermal.relaxed(state.board_c, rest, dt)
    state.chip_c = state.board_c + over
