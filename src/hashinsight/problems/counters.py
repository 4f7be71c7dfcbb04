"""Counters since boot, uptimes and values that stand still: what two samples of one machine say together."""

import numpy as np

from hashinsight.problems.config import Config
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.frame import Flags, Floats, Frame, zeroed
from hashinsight.problems.state import State

_BOOT_MEMORY_SEC = 6 * 3600.0
_SLACK_SEC = 90.0  # clocks and uptimes are not read in the same moment
_LONGEST_SEC = 6 * 3600.0  # after a longer silence a difference of counters says nothing about now


def gained(now: Floats, before: Floats) -> Floats:
    """What a counter grew by. One that is smaller than before began again at zero."""
    grown: Floats = np.where(now >= before, now - before, now)
    return grown


def rejected_share(state: State) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = state["recent_rejected"] / (state["recent_accepted"] + state["recent_rejected"])
    return share


def note_boots(frame: Frame, state: State, standing: DataStatus, *, now: float, config: Config) -> tuple[Flags, Floats]:
    """Who may still take its time to hash after a boot, and how often each booted in six hours untold."""
    elapsed = zeroed(frame.ts - state["seen_ts"])
    fresh = standing.judged
    # the uptime fell, or is shorter than the time since we last looked
    lately = frame.uptime_sec + _SLACK_SEC
    rebooted = fresh & ((lately < state["uptime_sec"]) | (lately < elapsed))
    booted_at = frame.ts - frame.uptime_sec
    rows = np.flatnonzero(rebooted & ~standing.excused)
    times = state["boot_times"]
    times[:, rows] = np.concatenate([booted_at[None, rows], times[:-1, rows]])
    state["booted_at"][:] = np.where(fresh & ~np.isnan(frame.uptime_sec), booted_at, state["booted_at"])
    state["hashing_since"][rebooted] = np.nan
    booting: Flags = now - state["booted_at"] < config.boot_sec
    return booting, (times > now - _BOOT_MEMORY_SEC).sum(axis=0).astype(np.float64)


def note_hashing(frame: Frame, state: State, standing: DataStatus, *, hashing: Flags, config: Config) -> Flags:
    """Since when it hashes without a break; whoever has for a while is steady."""
    fresh = standing.judged
    since = state["hashing_since"]
    # one that we never saw may have been at it since it booted
    first = fresh & hashing & np.isnan(state["seen_ts"]) & ~np.isnan(frame.uptime_sec)
    begin = np.where(first, frame.ts - frame.uptime_sec + config.boot_sec, frame.ts)
    since = np.where(fresh & hashing & np.isnan(since), begin, since)
    # what nobody saw is no time of hashing: after a silence it is counted from where it would just be steady
    returned = fresh & (frame.ts - state["seen_ts"] > config.stale_sec + config.cycle_sec) & ~np.isnan(since)
    since = np.where(returned, np.fmax(since, frame.ts - config.settle_sec), since)
    broken = (fresh & ~hashing & ~np.isnan(frame.hashrate_ths)) | standing.offline
    since = np.where(broken, np.nan, since)
    state["hashing_since"][:] = since
    steady: Flags = fresh & hashing & (frame.ts - since >= config.settle_sec)
    return steady


def add(frame: Frame, state: State, standing: DataStatus, *, hashing: Flags, config: Config) -> None:
    """Shares and errors of about the last hour, fading; what was counted before a long silence is forgotten."""
    elapsed = frame.ts - state["seen_ts"]
    usable = standing.judged & (elapsed > 0)
    fade = np.exp(-np.clip(zeroed(elapsed), 0, None) / config.counter_sec)
    near = usable & (elapsed <= _LONGEST_SEC)
    for counter, recent in (
        ("accepted", "recent_accepted"), ("rejected", "recent_rejected"), ("hw_errors", "recent_errors"),
    ):  # fmt: skip
        now = getattr(frame, counter)
        more = np.where(near, zeroed(gained(now, state[counter])), 0.0)
        state[recent][:] = np.where(usable, state[recent] * fade + more, state[recent])
        state[counter][:] = np.where(standing.judged, now, state[counter])
    worked = np.where(near & hashing, zeroed(frame.hashrate_ths * elapsed / 3600), 0.0)
    state["recent_ths_hours"][:] = np.where(
        usable, state["recent_ths_hours"] * fade + worked, state["recent_ths_hours"]
    )


def note_still(frame: Frame, state: State, standing: DataStatus) -> tuple[Floats, Flags]:
    """In how many samples in a row nothing moved, and whose uptime stands. Hashing always trembles, uptimes grow.

    Who was told to stand still is counted from when that ends.
    """
    fresh = standing.judged
    same = _same(frame.hashrate_ths, state["last_hashrate_ths"]) & _same(frame.temp_c, state["last_temp_c"])
    same &= _same(frame.power_w, state["last_power_w"])
    tells = ~np.isnan(frame.uptime_sec)
    stuck = fresh & (frame.uptime_sec == state["uptime_sec"])
    moves = np.where(tells, frame.uptime_sec != state["uptime_sec"], ~(frame.hashrate_ths > 0))
    count = np.where(
        fresh,
        np.where(same & ~moves & ~np.isnan(frame.hashrate_ths) & ~standing.excused, state["still_cycles"] + 1, 0),
        state["still_cycles"],
    )
    state["still_cycles"][:] = count
    for name, values in (
        ("last_hashrate_ths", frame.hashrate_ths), ("last_temp_c", frame.temp_c), ("last_power_w", frame.power_w),
        ("uptime_sec", frame.uptime_sec),
    ):  # fmt: skip
        state[name][:] = np.where(fresh, values, state[name])
    return count, stuck


def _same(now: Floats, before: Floats) -> Flags:
    """Equal, or not told either time."""
    same: Flags = (now.astype(np.float32) == before) | (np.isnan(now) & np.isnan(before))
    return same
