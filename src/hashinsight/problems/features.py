"""The features of one cycle: ratios, rates from counters and cross-checks, one row per machine.

An impossible reading (0 °C, 255 °C, -1 rpm) is a sensor fault and no value; the machine's other sensors still count.
A feature whose fields are missing is NaN, and `left_out` names it.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.facts.temperatures import BROKEN_READINGS_C
from hashinsight.problems import counters
from hashinsight.problems.codes import DataState, ExpectationSource, Metric
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.state import State
from hashinsight.telemetry.losses import efficiency
from hashinsight.telemetry.states import SampleFlags

HASHING_RATIO = 0.05
MAX_RATIO = 2.0  # of the expected hashrate: no machine reaches that
BOARDS_OFF = 0.15
# fans speed up in proportion to heat: their whole range is worth about this much of it
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
    temp_load: Floats  # at equal fan speed: fans that run faster hide heat
    temp_spread: Floats  # hottest over mean
    efficiency: Floats  # W/TH
    fan_speed_min: Floats
    reject_rate: Floats
    hw_error_rate: Floats  # per TH/s and hour
    board_share_min: Floats  # the weakest board's part of an even share
    boards_sum_ths: Floats
    boards_apart: Floats  # how far the sum of the boards is from the total, as a part of it
    volatility: Floats
    is_online: Flags
    temp_fault: Flags
    fan_fault: Flags
    hashrate_implausible: Flags
    boards_contradict: Flags
    uptime_stuck: Flags  # the newest sample has the uptime of the one before
    frozen: Flags  # nothing has changed for several samples, its uptime included
    booting: Flags
    hashing: Flags
    steady: Flags  # has been hashing for a while, on fresh data
    recent_rejected: Floats  # shares of about the last hour
    recent_shares: Floats
    boots: Floats  # of the last six hours, eight at most


# features that a row can be judged without; the place is the bit
LEFT_OUT = (
    "hashrate_ratio", "boards_ratio", "temp_max", "temp_load", "temp_spread", "efficiency", "fan_speed_min",
    "reject_rate", "hw_error_rate", "board_share_min",
)  # fmt: skip
# cross-checks, in bits above those; the feature store's columns have these names
CHECKS = ("boards_contradict", "uptime_stuck", "frozen", "temp_fault", "fan_fault", "hashrate_implausible")
_FIRST_CHECK = 16


def extract_features(
    frame: Frame, state: State, data: DataStatus, limits: MachineLimits, *, now: float, config: Config
) -> Features:
    """The features of this cycle. Updates counters and times in the state, in place."""
    fresh = data.state == int(DataState.FRESH)
    implausible, ratio = _hashrate_ratio(frame, fresh, state["expectation"] == ExpectationSource.GIVEN)
    temp_fault, temp = _temperature(frame, fresh)
    fan_fault, slowest = _slowest_fan(frame, fresh)
    hashing = np.where(np.isnan(ratio), fresh & (frame.hashrate_ths > 0) & ~implausible, ratio > HASHING_RATIO)
    booting, boots = counters.update_boots(frame, state, data, now=now, config=config)
    steady = counters.update_hashing(frame, state, data, hashing=hashing, config=config)
    counters.update_counters(frame, state, data, hashing=hashing, config=config)
    frozen_samples, uptime_stuck = counters.update_frozen(frame, state, data)
    watts = np.where((frame.power_w > 0) & ((frame.flags & SampleFlags.POWER_UNKNOWN) == 0), frame.power_w, np.nan)
    hashrate = np.where(fresh, frame.hashrate_ths, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        boards = np.where(frame.boards_total > 0, frame.boards_healthy / frame.boards_total, np.nan)
        rejected_share = state["recent_rejected"] / (state["recent_accepted"] + state["recent_rejected"])
        error_rate = state["recent_errors"] / state["recent_ths_hours"]
    has_counters = ~np.isnan(state["accepted"]) & ~np.isnan(state["rejected"])
    worked_enough = state["recent_ths_hours"] > 0.25 * np.where(frame.expected_ths > 0, frame.expected_ths, hashrate)
    board_share, board_sum, boards_apart = _boards(frame)
    return Features(
        hashrate_ratio=ratio,
        nameplate_ratio=hashrate / np.where(np.isnan(limits.rated_ths), frame.expected_ths, limits.rated_ths),
        power_share=watts / limits.rated_w,
        power_w=watts,
        boards_ratio=np.where(fresh, boards, np.nan),
        temp_max=temp,
        temp_load=temp + slowest / RPM_PER_C,
        temp_spread=temp - np.where(np.isin(frame.temp_c, BROKEN_READINGS_C), np.nan, frame.temp_c),
        efficiency=np.where(hashing, _efficiency(frame, watts, hashrate), np.nan),
        fan_speed_min=slowest,
        reject_rate=np.where(fresh, np.where(has_counters, rejected_share, frame.reject_rate), np.nan),
        hw_error_rate=np.where(fresh & ~np.isnan(state["hw_errors"]) & worked_enough, error_rate, np.nan),
        board_share_min=np.where(fresh, board_share, np.nan),
        boards_sum_ths=board_sum,
        boards_apart=boards_apart,
        volatility=_volatility(state, ratio, steady, config),
        is_online=fresh,
        temp_fault=temp_fault,
        fan_fault=fan_fault,
        hashrate_implausible=implausible,
        boards_contradict=fresh & (boards_apart > BOARDS_OFF),
        uptime_stuck=uptime_stuck,
        frozen=(frozen_samples >= limits["frozen_cycles"]) & data.judged,
        booting=booting,
        hashing=hashing,
        steady=steady,
        recent_rejected=state["recent_rejected"].astype(np.float64),
        recent_shares=(state["recent_accepted"] + state["recent_rejected"]).astype(np.float64),
        boots=boots,
    )


def left_out_bits(features: Features) -> NDArray[np.int32]:
    """A bit for each feature of `LEFT_OUT` that a fresh row was judged without."""
    bits = np.zeros(len(features.is_online), dtype=np.int32)
    for number, name in enumerate(LEFT_OUT):
        bits |= (np.isnan(getattr(features, name)) & features.is_online).astype(np.int32) << number
    return bits


def left_out_names(bits: int) -> tuple[str, ...]:
    return tuple(name for number, name in enumerate(LEFT_OUT) if bits >> number & 1)


def check_bits(features: Features) -> NDArray[np.int32]:
    """A bit for each cross-check of `CHECKS` that failed."""
    bits = np.zeros(len(features.is_online), dtype=np.int32)
    for number, name in enumerate(CHECKS, start=_FIRST_CHECK):
        bits |= getattr(features, name).astype(np.int32) << number
    return bits


def _hashrate_ratio(frame: Frame, fresh: Flags, given: Flags) -> tuple[Flags, Floats]:
    """Who reports an implausible hashrate, and the ratio of the others.

    Against an inferred figure nothing is too high: the figure may be too small, and then grows.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(frame.expected_ths > 0, frame.hashrate_ths / frame.expected_ths, np.nan)
    ratio = np.where(frame.hashrate_ths == 0, 0.0, ratio)  # nothing is nothing, whatever is expected
    implausible = fresh & (((ratio > MAX_RATIO) & given) | ((frame.flags & SampleFlags.IMPLAUSIBLE) != 0))
    return implausible, np.where(fresh & ~implausible, ratio, np.nan)


def _efficiency(frame: Frame, watts: Floats, hashrate: Floats) -> Floats:
    """By the hashrate of the samples that have watts; where that is not given apart, all of them have."""
    ths = np.where(np.isnan(frame.powered_ths), hashrate, frame.powered_ths)
    columns = pl.DataFrame({"watts": watts, "ths": ths})
    return columns.select(efficiency(pl.col("watts"), pl.col("ths"))).to_series().to_numpy()


def _temperature(frame: Frame, fresh: Flags) -> tuple[Flags, Floats]:
    """Whose sensor is broken, and the hottest working one: one broken sensor does not hide the others."""
    is_broken = np.isin(frame.temp_max_c, BROKEN_READINGS_C)
    flagged = (frame.flags & SampleFlags.TEMPERATURE_SENTINEL) != 0
    fault = fresh & (is_broken | np.isin(frame.temp_c, BROKEN_READINGS_C) | flagged)
    return fault, np.where(fresh & ~is_broken, frame.temp_max_c, np.nan)


def _slowest_fan(frame: Frame, fresh: Flags) -> tuple[Flags, Floats]:
    """The same of fans."""
    is_broken = frame.fan_min_rpm < 0
    fault = fresh & (is_broken | ((frame.flags & SampleFlags.FAN_SENTINEL) != 0))
    return fault, np.where(fresh & ~is_broken, frame.fan_min_rpm, np.nan)


def _boards(frame: Frame) -> tuple[Floats, Floats, Floats]:
    """The weakest board's part of an even share, the sum of all boards, and how far that is from the total.

    Machines differ in how many boards they have; one that does not report all of them is NaN.
    """
    if not len(frame.board_ths):
        unknown = np.full(frame.n, np.nan)
        return unknown, unknown, unknown
    reported = (~np.isnan(frame.board_ths)).sum(axis=0)
    all_reported = (reported > 0) & ~(reported < frame.boards_total)
    total = np.where(all_reported, np.nansum(frame.board_ths, axis=0), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.fmin.reduce(frame.board_ths) * reported / total
        apart = np.abs(total - frame.hashrate_ths) / np.fmax(frame.hashrate_ths, frame.expected_ths * 0.1)
    return share, total, apart


def _volatility(state: State, ratio: Floats, steady: Flags, config: Config) -> Floats:
    """How far it jumps from one sample to the next, over some hours."""
    change = np.abs(ratio - state["last_raw"][Metric.HASHRATE_RATIO])
    weight = 1 - np.exp(-config.cycle_sec / _VOLATILITY_SEC)
    usable = steady & ~np.isnan(change)
    before = state["volatility"]
    moved = np.where(np.isnan(before), change, before + weight * (change - before))
    state["volatility"][:] = np.where(usable, moved, before)
    return state["volatility"].astype(np.float64)
