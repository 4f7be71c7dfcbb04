"""Readings of one machine over time: the input of signature checks."""

from collections.abc import Sequence
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
