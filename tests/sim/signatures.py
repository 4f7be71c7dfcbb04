"""Signature checks of faults and common causes: what telemetry of one machine must show, against before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hashinsight.sim.readings import Counts, Flags, Floats, Readings


@dataclass(frozen=True)
class MachineHistory:
    """Arrays over time. Steps without a row are included; `collected` marks those with one."""

    collected: Flags
    online: Flags
    hashing: Flags
    hashrate_ths: Floats
    expected_ths: Floats
    board_ths: Floats
    board_temp_c: Floats
    chip_temp_c: Floats
    board_chips: Counts
    board_hw_errors: Counts
    fan_rpm: Counts
    fan_duty: Floats
    inlet_c: Floats
    power_w: Floats
    accepted: Counts
    rejected: Counts
    hw_errors: Counts
    uptime_sec: Counts
    pool: Counts
    error_code: Counts

    @property
    def ratio(self) -> float:
        """Median of hashrate over expected."""
        return float(np.median(self.hashrate_ths / self.expected_ths))

    @property
    def spread(self) -> float:
        """Standard deviation of hashrate over expected."""
        return float(np.std(self.hashrate_ths / self.expected_ths))

    @property
    def rise_c(self) -> float:
        """Median of hottest chip over inlet air."""
        return float(np.median(self.chip_temp_c.max(axis=1) - self.inlet_c))

    @property
    def watts_per_ths(self) -> float:
        return float(np.median(self.power_w) / max(float(np.median(self.hashrate_ths)), 1e-9))

    @property
    def boots(self) -> int:
        return int((np.diff(self.uptime_sec) < 0).sum())

    def gained(self, counter: Counts) -> float:
        """Increase of a counter, resets by boots ignored."""
        return float(np.maximum(np.diff(counter), 0).sum())


def machine_history(readings: Sequence[Readings], collected: Sequence[Flags], machine: int) -> MachineHistory:
    def over_time(name: str) -> NDArray[Any]:
        return np.array([getattr(step, name)[machine] for step in readings])

    names = [name for name in MachineHistory.__annotations__ if name not in {"collected", "online"}]
    return MachineHistory(
        collected=np.array([flags[machine] for flags in collected]),
        online=over_time("reachable"),
        **{name: over_time(name) for name in names},
    )


def shows_lost_board(before: MachineHistory, after: MachineHistory) -> bool:
    boards = before.board_ths.shape[1]
    stopped = after.ratio < 0.02
    one_less = abs(after.ratio / before.ratio - (boards - 1) / boards) < 0.06
    watts = np.median(after.power_w) / np.median(before.power_w)
    return bool((after.board_chips == 0).any() and (stopped or (one_less and 0.62 < watts < 0.73)))


def shows_lost_chips(before: MachineHistory, after: MachineHistory) -> bool:
    fewer = after.board_chips.min() < 0.95 * before.board_chips.min()
    slower = 0.6 < after.ratio / before.ratio < 0.985
    errors = after.gained(after.hw_errors) / len(after.hw_errors) > 3 * (
        before.gained(before.hw_errors) / len(before.hw_errors)
    )
    return bool(fewer and slower and errors and after.watts_per_ths > before.watts_per_ths)


def shows_failed_fan(before: MachineHistory, after: MachineHistory) -> bool:
    had = before.fan_rpm[:, before.fan_rpm[0] >= 0].astype(np.float64)
    has = after.fan_rpm[:, after.fan_rpm[0] >= 0].astype(np.float64)
    # rpm over duty: a fan is compared with its set speed
    was = np.median(had / before.fan_duty[:, None], axis=0)
    now = np.median(has / after.fan_duty[:, None], axis=0)
    harder = np.median(after.fan_duty) >= np.median(before.fan_duty) - 0.01
    has_stopped = not after.hashing.all()  # too hot without that fan: then the others slow down, too
    return bool((now < 0.75 * was).any() and (harder or has_stopped))


def errors_on_all_boards(seen: MachineHistory, least: float) -> bool:
    gained = np.maximum(np.diff(seen.board_hw_errors, axis=0), 0).sum(axis=0)
    return bool((gained > least).all())


def shows_protection(before: MachineHistory, after: MachineHistory) -> bool:
    stopped = after.ratio < 0.02 < before.ratio and after.online.all() and np.median(after.power_w) < 250
    return bool(stopped and errors_on_all_boards(after, 5))


def shows_reboot_loop(before: MachineHistory, after: MachineHistory) -> bool:
    return before.boots == 0 and after.boots >= 3 and after.spread > 0.1 and errors_on_all_boards(after, 20)


def shows_reboot(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.boots == 0 and after.boots <= 1 and after.uptime_sec.min() < before.uptime_sec.min())


def shows_failed_start(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.ratio > 0.5 and (after.ratio < 0.02 or not after.online.any()))


def shows_hotter(before: MachineHistory, after: MachineHistory) -> bool:
    """Hotter over inlet, or fans that work clearly harder to prevent it."""
    harder = float(np.median(after.fan_duty) - np.median(before.fan_duty))
    return after.rise_c - before.rise_c > 4 or (harder > 0.08 and after.rise_c > before.rise_c - 3)


def shows_one_hot_board(before: MachineHistory, after: MachineHistory) -> bool:
    def apart(seen: MachineHistory) -> float:
        boards = np.sort(np.max(seen.chip_temp_c, axis=0))
        return float(boards[-1] - boards[-2])

    return apart(after) - apart(before) > 5


def shows_broken_sensor(before: MachineHistory, after: MachineHistory) -> bool:
    sentinel = np.isin(after.board_temp_c, (0.0, 255.0)).all(axis=0)
    frozen = (np.ptp(after.board_temp_c, axis=0) == 0) & (np.ptp(before.board_temp_c, axis=0) > 0)
    return bool((sentinel | frozen).any() and after.ratio > 0.9 * before.ratio)


def shows_hang(before: MachineHistory, after: MachineHistory) -> bool:
    grew = np.ptp(before.uptime_sec) > 0
    still = np.ptp(after.uptime_sec) == 0 and np.ptp(after.hashrate_ths) == 0 and np.ptp(after.accepted) == 0
    return bool(grew and still and after.online.all())


def shows_no_network(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.online.all() and not after.online.any())


def reject_share(seen: MachineHistory) -> float:
    rejected = seen.gained(seen.rejected)
    return rejected / max(rejected + seen.gained(seen.accepted), 1.0)


def shows_rejects(before: MachineHistory, after: MachineHistory) -> bool:
    return reject_share(after) > 0.05 > reject_share(before) and after.ratio > 0.9 * before.ratio


def shows_hot_air(before: MachineHistory, after: MachineHistory) -> bool:
    warmer = np.max(after.inlet_c) - np.max(before.inlet_c) > 5
    return bool(warmer and np.max(after.fan_duty) >= np.max(before.fan_duty))


def shows_silence(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.collected.all() and not after.collected.any())


def shows_no_power(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.online.all() and not after.online.any() and after.power_w.max() == 0)


def shows_dark_site(before: MachineHistory, after: MachineHistory) -> bool:
    return shows_silence(before, after) and shows_no_power(before, after)


def shows_dead_pool(before: MachineHistory, after: MachineHistory) -> bool:
    unpaid = after.gained(after.accepted) == 0
    moved = bool((after.pool != before.pool[-1]).any())
    return before.gained(before.accepted) > 0 and (unpaid or moved) and after.ratio > 0.9 * before.ratio


def shows_many_rejects(before: MachineHistory, after: MachineHistory) -> bool:
    return reject_share(after) > 0.06 > reject_share(before) and after.ratio > 0.9 * before.ratio


def shows_curtailed(before: MachineHistory, after: MachineHistory) -> bool:
    return bool(before.ratio > 0.5 and after.ratio < 0.02 and np.median(after.power_w) < 250 and after.online.all())


def shows_drop_when_hot(before: MachineHistory, after: MachineHistory) -> bool:
    gone = (after.board_chips == 0).any(axis=1)
    if not gone.any() or gone.all() or (before.board_chips == 0).any():
        return False
    return float(after.inlet_c[gone].mean()) > float(after.inlet_c[~gone].mean()) + 2


def shows_waste(before: MachineHistory, after: MachineHistory) -> bool:
    return after.watts_per_ths / before.watts_per_ths > 1.03 and abs(after.ratio / before.ratio - 1) < 0.02


def shows_exhaust(before: MachineHistory, after: MachineHistory) -> bool:
    """Within one day some hours are far hotter than the same machine's hottest before."""
    jump = np.max(np.abs(after.inlet_c[1:] - after.inlet_c[:-1])) - np.max(np.abs(np.diff(before.inlet_c)))
    return bool(jump > 4 and np.ptp(after.inlet_c) > np.ptp(before.inlet_c))


def shows_skimming(before: MachineHistory, after: MachineHistory) -> bool:
    def leanest(seen: MachineHistory) -> float:
        gains = np.maximum(np.diff(seen.accepted), 0) / np.maximum(seen.hashrate_ths[1:], 1e-9)
        hours = gains[: len(gains) // 12 * 12].reshape(-1, 12).sum(axis=1)
        return float(hours.min() / np.median(hours))

    return leanest(after) < 0.82 < leanest(before) + 0.08 and after.ratio > 0.95 * before.ratio


def shows_hunting(before: MachineHistory, after: MachineHistory) -> bool:
    return after.spread > 2 * before.spread and after.ratio > 0.85


Signature = Callable[[MachineHistory, MachineHistory], bool]  # before and after, the same machine at about the same air
# by fault or common cause
SIGNATURES: dict[str, Signature] = {
    "hashboard_lost": shows_lost_board,
    "chips_failing": shows_lost_chips,
    "fan_failing": shows_failed_fan,
    "psu_protection": shows_protection,
    "psu_reboot_loop": shows_reboot_loop,
    "spontaneous_reboot": shows_reboot,
    "failed_restart": shows_failed_start,
    "dust": shows_hotter,
    "paste": shows_hotter,
    "heatsink_off": shows_one_hot_board,
    "sensor_fault": shows_broken_sensor,
    "hung_firmware": shows_hang,
    "network_lost": shows_no_network,
    "pool_rejects": shows_rejects,
    "heat_wave": shows_hot_air,
    "hot_aisle": shows_hot_air,
    "switch_outage": shows_silence,
    "collector_silent": shows_silence,
    "pdu_outage": shows_no_power,
    "site_outage": shows_dark_site,
    "pool_outage": shows_dead_pool,
    "pool_trouble": shows_many_rejects,
    "curtailment": shows_curtailed,
    "firmware_rollout": shows_reboot,
    "board_drops_when_hot": shows_drop_when_hot,
    "psu_efficiency_loss": shows_waste,
    "rack_recirculation": shows_exhaust,
    "share_skimming": shows_skimming,
    "frequency_hunting": shows_hunting,
}
