"""What the readings of one cycle say: ratios, rates from counters, cross-checks. One row a machine.

A reading that is none (0 °C, 255 °C, -1 rpm) is a fault of its sensor and no value; what a machine's other sensors say
stays one. A feature whose fields are missing is NaN, and the row says which were left out.
"""

from dataclasses import dataclass, fields

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.facts.temperatures import BROKEN_READINGS_C
from hashinsight.problems import counters
from hashinsight.problems.codes import ExpectationSource
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.frame import Flags, Floats, Frame, Ints
from hashinsight.problems.state import State
from hashinsight.telemetry.losses import efficiency
from hashinsight.telemetry.states import SampleFlags as Said

HASHING_RATIO = 0.05
MOST_RATIO = 2.0  # of what is expected: no machine has that
BOARDS_OFF = 0.15
# fans turn faster in proportion to heat: all of their range is worth about this much of it
_FAN_C, _FULL_RPM = 16.0, 6000.0
RPM_PER_C = _FULL_RPM / _FAN_C
_VOLATILITY_SEC = 6 * 3600.0


@dataclass(frozen=True)
class Features:
    hashrate_ratio: Floats
    nameplate_ratio: Floats  # of the catalogue's rating, whatever mode it runs in
    power_share: Floats  # of the catalogue's watts
    power_w: Floats
    boards_ratio: Floats
    temp_max: Floats
    temp_load: Floats  # what it would be at equal fan speed: fans that work harder hide heat
    temp_spread: Floats  # hottest over mean
    efficiency: Floats  # W/TH
    fan_speed_min: Floats
    reject_rate: Floats
    hw_error_rate: Floats  # per TH/s and hour
    board_share_min: Floats
    volatility: Floats
    is_online: Flags
    temp_fault: Flags
    fan_fault: Flags
    hashrate_implausible: Flags
    boards_contradict: Flags
    uptime_stuck: Flags  # the newest sample has the uptime of the one before
    still: Flags  # nothing has changed for several samples, its uptime included
    booting: Flags
    hashing: Flags
    steady: Flags  # has been hashing for a while, on fresh data
    recent_rejected: Floats
    recent_shares: Floats  # rejected or not
    boots: Floats  # of the last six hours, eight at most


# what a row can say it was judged without
LEFT_OUT = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min",
)  # fmt: skip
# what a row can say of itself, in bits beside those; the store's columns have these names, `still` is `frozen` there
CHECKS = ("boards_contradict", "uptime_stuck", "still", "temp_fault", "fan_fault", "hashrate_implausible")
_FIRST_CHECK = 16


def observe(
    frame: Frame, state: State, standing: DataStatus, limits: MachineLimits, *, now: float, config: Config
) -> Features:
    """The features of this cycle. Carries counters and times in the state on, in place."""
    fresh = standing.state == 3  # noqa: PLR2004 - DataState.FRESH, compared as an array
    implausible, ratio = _ratio(frame, fresh, state["expectation"] == ExpectationSource.GIVEN)
    temp_fault, temp = _temperature(frame, fresh)
    fan_fault, slowest = _slowest_fan(frame, fresh)
    hashing = np.where(np.isnan(ratio), fresh & (frame.hashrate_ths > 0) & ~implausible, ratio > HASHING_RATIO)
    booting, boots = counters.note_boots(frame, state, standing, now=now, config=config)
    steady = counters.note_hashing(frame, state, standing, hashing=hashing, config=config)
    counters.add(frame, state, standing, hashing=hashing, config=config)
    still_cycles, uptime_stuck = counters.note_still(frame, state, standing)
    still = still_cycles >= limits["frozen_cycles"]
    watts = np.where((frame.power_w > 0) & ((frame.flags & Said.POWER_UNKNOWN) == 0), frame.power_w, np.nan)
    known = np.where(fresh, frame.hashrate_ths, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        boards = np.where(frame.boards_total > 0, frame.boards_healthy / frame.boards_total, np.nan)
        shares = counters.rejected_share(state)
        errors = state["recent_errors"] / state["recent_ths_hours"]
    has_counters = ~np.isnan(state["accepted"]) & ~np.isnan(state["rejected"])
    enough = state["recent_ths_hours"] > 0.25 * np.where(frame.expected_ths > 0, frame.expected_ths, known)
    share_min, contradict = _boards(frame, fresh)
    return Features(
        hashrate_ratio=ratio,
        nameplate_ratio=known / np.where(np.isnan(limits.rated_ths), frame.expected_ths, limits.rated_ths),
        power_share=watts / limits.rated_w,
        power_w=watts,
        boards_ratio=np.where(fresh, boards, np.nan),
        temp_max=temp,
        temp_load=temp + slowest / RPM_PER_C,
        temp_spread=temp - np.where(np.isin(frame.temp_c, BROKEN_READINGS_C), np.nan, frame.temp_c),
        efficiency=np.where(hashing, _efficiency(frame, watts, known), np.nan),
        fan_speed_min=slowest,
        reject_rate=np.where(fresh, np.where(has_counters, shares, frame.reject_rate), np.nan),
        hw_error_rate=np.where(fresh & ~np.isnan(state["hw_errors"]) & enough, errors, np.nan),
        board_share_min=share_min,
        volatility=_volatility(state, ratio, steady, config),
        is_online=fresh,
        temp_fault=temp_fault,
        fan_fault=fan_fault,
        hashrate_implausible=implausible,
        boards_contradict=contradict,
        uptime_stuck=uptime_stuck,
        still=still & standing.judged,
        booting=booting,
        hashing=hashing,
        steady=steady,
        recent_rejected=state["recent_rejected"].astype(np.float64),
        recent_shares=(state["recent_accepted"] + state["recent_rejected"]).astype(np.float64),
        boots=boots,
    )


def left_out(seen: Features) -> NDArray[np.int32]:
    """A bit for each feature of `LEFT_OUT` that a fresh row was judged without."""
    bits = np.zeros(len(seen.is_online), dtype=np.int32)
    for number, name in enumerate(LEFT_OUT):
        bits |= (np.isnan(getattr(seen, name)) & seen.is_online).astype(np.int32) << number
    return bits


def checked(seen: Features) -> NDArray[np.int32]:
    """A bit for each cross-check of `CHECKS` that found something."""
    bits = np.zeros(len(seen.is_online), dtype=np.int32)
    for number, name in enumerate(CHECKS, start=_FIRST_CHECK):
        bits |= getattr(seen, name).astype(np.int32) << number
    return bits


def names_left_out(bits: int) -> tuple[str, ...]:
    return tuple(name for number, name in enumerate(LEFT_OUT) if bits >> number & 1)


def as_columns(seen: Features) -> dict[str, NDArray[np.generic]]:
    """For `feature_store_5min`: written once, never computed again."""
    return {one.name: getattr(seen, one.name) for one in fields(Features)}


def _ratio(frame: Frame, fresh: Flags, given: Flags) -> tuple[Flags, Floats]:
    """Against an inferred figure nothing is too much: it may be the figure that is too small, and then grows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(frame.expected_ths > 0, frame.hashrate_ths / frame.expected_ths, np.nan)
    ratio = np.where(frame.hashrate_ths == 0, 0.0, ratio)  # nothing is nothing, whatever is expected
    wrong = fresh & (((ratio > MOST_RATIO) & given) | ((frame.flags & Said.IMPLAUSIBLE) != 0))
    return wrong, np.where(fresh & ~wrong, ratio, np.nan)


def _efficiency(frame: Frame, watts: Floats, known: Floats) -> Floats:
    """By the hashrate of the samples that have the watts; where nobody tells it apart, all of them have."""
    ths = np.where(np.isnan(frame.powered_ths), known, frame.powered_ths)
    columns = pl.DataFrame({"watts": watts, "ths": ths})
    return columns.select(efficiency(pl.col("watts"), pl.col("ths"))).to_series().to_numpy()


def _temperature(frame: Frame, fresh: Flags) -> tuple[Flags, Floats]:
    """Whose sensor is broken, and the hottest of those that are not: one blind sensor blinds no other."""
    none = np.isin(frame.temp_max_c, BROKEN_READINGS_C)
    fault = fresh & (none | np.isin(frame.temp_c, BROKEN_READINGS_C) | ((frame.flags & Said.TEMPERATURE_SENTINEL) != 0))
    return fault, np.where(fresh & ~none, frame.temp_max_c, np.nan)


def _slowest_fan(frame: Frame, fresh: Flags) -> tuple[Flags, Floats]:
    """The same of fans."""
    none = frame.fan_min_rpm < 0
    fault = fresh & (none | ((frame.flags & Said.FAN_SENTINEL) != 0))
    return fault, np.where(fresh & ~none, frame.fan_min_rpm, np.nan)


def _boards(frame: Frame, fresh: Flags) -> tuple[Floats, Flags]:
    """The weakest board's part of an even share, and totals that their boards contradict."""
    if not len(frame.board_ths):
        return np.full(frame.n, np.nan), np.zeros(frame.n, dtype=np.bool_)
    told, total = _board_sum(frame)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.fmin.reduce(frame.board_ths) * told / total
    return np.where(fresh, share, np.nan), fresh & (_apart(frame, total) > BOARDS_OFF)


def boards_apart(frame: Frame) -> Floats:
    """How far the sum of the boards is from the total, as a part of it."""
    return _apart(frame, _board_sum(frame)[1]) if len(frame.board_ths) else np.full(frame.n, np.nan)


def _apart(frame: Frame, total: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        apart: Floats = np.abs(total - frame.hashrate_ths) / np.fmax(frame.hashrate_ths, frame.expected_ths * 0.1)
    return apart


def _board_sum(frame: Frame) -> tuple[Ints, Floats]:
    """Machines differ in how many boards they have; of one that does not tell all of them nothing is said."""
    told = (~np.isnan(frame.board_ths)).sum(axis=0)
    all_told = (told > 0) & ~(told < frame.boards_total)
    return told, np.where(all_told, np.nansum(frame.board_ths, axis=0), np.nan)


def _volatility(state: State, ratio: Floats, steady: Flags, config: Config) -> Floats:
    """How far it jumps from one sample to the next, over some hours."""
    change = np.abs(ratio - state["last_raw"][0])
    part = 1 - np.exp(-config.cycle_sec / _VOLATILITY_SEC)
    usable = steady & ~np.isnan(change)
    before = state["volatility"]
    carried = np.where(np.isnan(before), change, before + part * (change - before))
    state["volatility"][:] = np.where(usable, carried, before)
    return state["volatility"].astype(np.float64)
