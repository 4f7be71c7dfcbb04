"""What two samples of one machine say together: counters since boot, reboots, frozen readings."""

import numpy as np

from hashinsight.problems.config import Config
from hashinsight.problems.data_state import DataStatus
from hashinsight.problems.frame import Flags, Floats, Frame, zeroed
from hashinsight.problems.state import State

_BOOT_MEMORY_SEC = 6 * 3600.0
_SLACK_SEC = 90.0  # clock and uptime are not read at the same moment
_LONGEST_SEC = 6 * 3600.0  # after a longer silence a difference of counters says nothing about now


def gained(now: Floats, before: Floats) -> Floats:
    """What a counter grew by. One that is smaller than before started again at zero."""
    grown: Floats = np.where(now >= before, now - before, now)
    return grown


def update_boots(frame: Frame, state: State, data: DataStatus, *, now: float, config: Config) -> tuple[Flags, Floats]:
    """Who is still booting, and how often each rebooted in six hours without a command."""
    elapsed = zeroed(frame.ts - state["seen_ts"])
    fresh = data.judged
    # the uptime fell, or is shorter than the time since the sample before
    uptime = frame.uptime_sec + _SLACK_SEC
    rebooted = fresh & ((uptime < state["uptime_sec"]) | (uptime < elapsed))
    booted_at = frame.ts - frame.uptime_sec
    rows = np.flatnonzero(rebooted & ~data.planned_outage)
    times = state["boot_times"]
    times[:, rows] = np.concatenate([booted_at[None, rows], times[:-1, rows]])
    state["booted_at"][:] = np.where(fresh & ~np.isnan(frame.uptime_sec), booted_at, state["booted_at"])
    state["hashing_since"][rebooted] = np.nan
    booting: Flags = now - state["booted_at"] < config.boot_sec
    return booting, (times > now - _BOOT_MEMORY_SEC).sum(axis=0).astype(np.float64)


def update_hashing(frame: Frame, state: State, data: DataStatus, *, hashing: Flags, config: Config) -> Flags:
    """Since when it has been hashing without a break; who has for a while is steady."""
    fresh = data.judged
    since = state["hashing_since"]
    # one seen for the first time may have been hashing since it booted
    first = fresh & hashing & np.isnan(state["seen_ts"]) & ~np.isnan(frame.uptime_sec)
    start = np.where(first, frame.ts - frame.uptime_sec + config.boot_sec, frame.ts)
    since = np.where(fresh & hashing & np.isnan(since), start, since)
    # time without samples does not count: after a gap it is at most just steady
    gap_sec = data.age_limits.stale_sec + config.cycle_sec
    returned = fresh & (frame.ts - state["seen_ts"] > gap_sec) & ~np.isnan(since)
    since = np.where(returned, np.fmax(since, frame.ts - config.settle_sec), since)
    stopped = (fresh & ~hashing & ~np.isnan(frame.hashrate_ths)) | data.offline
    since = np.where(stopped, np.nan, since)
    state["hashing_since"][:] = since
    steady: Flags = fresh & hashing & (frame.ts - since >= config.settle_sec)
    return steady


def update_counters(frame: Frame, state: State, data: DataStatus, *, hashing: Flags, config: Config) -> None:
    """Shares and errors of about the last hour, fading. What was counted before a long silence is forgotten."""
    elapsed = frame.ts - state["seen_ts"]
    usable = data.judged & (elapsed > 0)
    fade = np.exp(-np.clip(zeroed(elapsed), 0, None) / config.counter_sec)
    near = usable & (elapsed <= _LONGEST_SEC)
    for counter, recent in (
        ("accepted", "recent_accepted"), ("rejected", "recent_rejected"), ("hw_errors", "recent_errors"),
    ):  # fmt: skip
        now = getattr(frame, counter)
        more = np.where(near, zeroed(gained(now, state[counter])), 0.0)
        state[recent][:] = np.where(usable, state[recent] * fade + more, state[recent])
        state[counter][:] = np.where(data.judged, now, state[counter])
    worked = np.where(near & hashing, zeroed(frame.hashrate_ths * elapsed / 3600), 0.0)
    state["recent_ths_hours"][:] = np.where(
        usable, state["recent_ths_hours"] * fade + worked, state["recent_ths_hours"]
    )


def update_frozen(frame: Frame, state: State, data: DataStatus) -> tuple[Floats, Flags]:
    """In how many samples in a row nothing changed, and whose uptime is stuck.

    A hashing machine's readings always vary, and uptimes grow. A planned outage does not count.
    """
    fresh = data.judged
    same = _same(frame.hashrate_ths, state["last_hashrate_ths"]) & _same(frame.temp_c, state["last_temp_c"])
    same &= _same(frame.power_w, state["last_power_w"])
    has_uptime = ~np.isnan(frame.uptime_sec)
    stuck = fresh & (frame.uptime_sec == state["uptime_sec"])
    moves = np.where(has_uptime, frame.uptime_sec != state["uptime_sec"], ~(frame.hashrate_ths > 0))
    count = np.where(
        fresh,
        np.where(same & ~moves & ~np.isnan(frame.hashrate_ths) & ~data.planned_outage, state["still_cycles"] + 1, 0),
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
    """Equal, or missing both times."""
    same: Flags = (now.astype(np.float32) == before) | (np.isnan(now) & np.isnan(before))
    return same
