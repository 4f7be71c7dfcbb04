"""The columns of a frame, filled step by step into arrays that are made once a chunk."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.sim.readings import BOARDS, FANS, MODES, Floats, Readings
from hashinsight.sim.world import World

Array = NDArray[np.generic]
Block = dict[str, Array]  # (steps, machines), one array a column

_PLAIN: dict[str, type[np.generic]] = {
    "hashrate_ths": np.float32,
    "expected_ths": np.float32,
    "temp_avg": np.float32,
    "temp_max": np.float32,
    "power_w": np.float32,
    "fan_rpm": np.int32,
    "fan_avg_rpm": np.float32,
    "boards_healthy": np.int8,
    "hw_errors": np.int64,
    "accepted": np.int64,
    "rejected": np.int64,
    "online": np.int8,
    "mode": np.int8,
    "uptime_seconds": np.int64,
}
_HIDDEN: dict[str, type[np.generic]] = {"heard": np.bool_, "firmware": np.int16, "model": np.int16}
_PARTS: dict[str, type[np.generic]] = {
    **{f"board{number}_{what}": np.float32 for number in range(1, BOARDS + 1) for what in ("ths", "temp")},
    **{f"board{number}_{what}": np.int32 for number in range(1, BOARDS + 1) for what in ("chips", "hw_errors")},
    **{f"fan{number}_rpm": np.int32 for number in range(1, FANS + 1)},
    "fan_duty": np.float32,
    "inlet_temp": np.float32,
    "pool": np.int8,
}
ALWAYS_KNOWN = {"expected_ths", "online", "mode"}  # an unreachable machine's inventory still says these


def empty_block(steps: int, machines: int, *, parts: bool) -> Block:
    kinds = _PLAIN | _HIDDEN | (_PARTS if parts else {})
    return {name: np.empty((steps, machines), dtype=kind) for name, kind in kinds.items()}


def fill(block: Block, row: int, world: World, *, parts: bool) -> None:
    """Writes the moment where the world stands."""
    said = world.readings()
    fleet, state = world.fleet, world.state
    temps = np.where(fleet.chip_sensor[:, None], said.chip_temp_c, said.board_temp_c)
    block["hashrate_ths"][row] = said.hashrate_ths * state.unit_factor
    block["expected_ths"][row] = said.expected_ths
    block["temp_avg"][row] = np.rint(temps.mean(axis=1) * 10) / 10
    block["temp_max"][row] = temps.max(axis=1)
    block["power_w"][row] = said.power_w
    block["fan_rpm"][row] = slowest_fan(said)
    block["fan_avg_rpm"][row] = mean_fan(said)
    block["boards_healthy"][row] = (said.board_chips * 2 > fleet.board_chips[:, None]).sum(axis=1)
    for name in ("hw_errors", "accepted", "rejected", "mode"):
        block[name][row] = getattr(said, name)
    block["online"][row] = said.reachable
    block["uptime_seconds"][row] = said.uptime_sec
    block["heard"][row] = world.heard()
    block["firmware"][row] = state.firmware_no
    block["model"][row] = state.model_said_no
    if parts:
        _fill_parts(block, row, said, temps)


def slowest_fan(said: Readings) -> Array:
    """Absent fans say NO_FAN and do not count."""
    slowest: Array = np.where(said.fan_rpm < 0, np.iinfo(np.int64).max, said.fan_rpm).min(axis=1)
    return slowest


def mean_fan(said: Readings) -> Floats:
    """The same of the mean; where there are no fans at all, so it is said of it."""
    there = said.fan_rpm >= 0
    mean: Floats = np.where(there, said.fan_rpm, 0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return mean


def _fill_parts(block: Block, row: int, said: Readings, temps: Floats) -> None:
    for board in range(BOARDS):
        block[f"board{board + 1}_ths"][row] = said.board_ths[:, board]
        block[f"board{board + 1}_temp"][row] = temps[:, board]
        block[f"board{board + 1}_chips"][row] = said.board_chips[:, board]
        block[f"board{board + 1}_hw_errors"][row] = said.board_hw_errors[:, board]
    for fan in range(FANS):
        block[f"fan{fan + 1}_rpm"][row] = said.fan_rpm[:, fan]
    block["fan_duty"][row] = said.fan_duty
    block["inlet_temp"][row] = said.inlet_c
    block["pool"][row] = said.pool


class Dressing:
    """Turns blocks into frames: the texts of a fleet are kept once and pointed at."""

    def __init__(self, world: World) -> None:
        fleet = world.fleet
        self._n = fleet.n
        zones = tuple(dict.fromkeys(fleet.zone.of))
        zone_no = np.array([zones.index(name) for name in fleet.zone.of])[fleet.zone.no]
        pools = tuple(dict.fromkeys(pool.url for pools in fleet.site_pools for pool in pools))
        self._pools = pools
        self._fixed = {
            "site": (fleet.site.of, fleet.site.no),
            "miner_id": (tuple(fleet.machine_id), np.arange(fleet.n)),
            "zone": (zones, zone_no),
        }
        self._moving = {"model": world.models_said, "firmware": world.firmwares, "mode": MODES}

    def frame(self, block: Block, ts_ms: NDArray[np.int64]) -> pl.DataFrame:
        """`ts_ms` is (steps, machines). Rows in order of steps, then machines; unheard ones left out."""
        steps = len(ts_ms)
        columns: dict[str, pl.Series] = {"ts": pl.Series(ts_ms.reshape(-1)).cast(pl.Datetime("ms", "UTC"))}
        for name, (texts, numbers) in self._fixed.items():
            columns[name] = _pointing(np.tile(numbers.astype(np.uint32), steps), texts)
        for name, values in block.items():
            flat = values.reshape(-1)
            if name in self._moving:
                columns[name] = _pointing(flat.astype(np.uint32), self._moving[name])
            elif name != "heard":
                columns[name] = pl.Series(flat)
        frame = pl.DataFrame(columns).with_columns(boards_total=pl.lit(BOARDS, dtype=pl.Int8))
        if not block["online"].all():
            measured = [name for name in (*_PLAIN, *_PARTS) if name in block and name not in ALWAYS_KNOWN]
            frame = frame.with_columns(
                pl.when(pl.col("online") == 1).then(pl.col(name)).alias(name) for name in measured
            )
        heard = block["heard"].reshape(-1)
        return frame if heard.all() else frame.filter(pl.Series(heard))


def _pointing(numbers: NDArray[np.uint32], texts: tuple[str, ...]) -> pl.Series:
    return pl.Series(texts, dtype=pl.Enum(texts)).gather(pl.Series(numbers))
