"""Columns of a frame, filled step by step into arrays allocated once per chunk; and data defects."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hashinsight.sim.plan import Defects
from hashinsight.sim.random_streams import stream_of
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
_HIDDEN: dict[str, type[np.generic]] = {"collected": np.bool_, "firmware": np.int16, "model": np.int16}
_PARTS: dict[str, type[np.generic]] = {
    **{f"board{number}_{what}": np.float32 for number in range(1, BOARDS + 1) for what in ("ths", "temp")},
    **{f"board{number}_{what}": np.int32 for number in range(1, BOARDS + 1) for what in ("chips", "hw_errors")},
    **{f"fan{number}_rpm": np.int32 for number in range(1, FANS + 1)},
    "fan_duty": np.float32,
    "inlet_temp": np.float32,
    "pool": np.int8,
}
ALWAYS_KNOWN = {"expected_ths", "online", "mode"}  # known from the inventory, also while the machine is unreachable


def empty_block(steps: int, machines: int, *, parts: bool) -> Block:
    kinds = _PLAIN | _HIDDEN | (_PARTS if parts else {})
    return {name: np.empty((steps, machines), dtype=kind) for name, kind in kinds.items()}


def fill_row(block: Block, row: int, world: World, *, parts: bool) -> None:
    """Writes the world's current step."""
    readings = world.readings()
    fleet, state = world.fleet, world.state
    temps = np.where(fleet.chip_sensor[:, None], readings.chip_temp_c, readings.board_temp_c)
    block["hashrate_ths"][row] = readings.hashrate_ths * state.unit_factor
    block["expected_ths"][row] = readings.expected_ths
    block["temp_avg"][row] = np.rint(temps.mean(axis=1) * 10) / 10
    block["temp_max"][row] = temps.max(axis=1)
    block["power_w"][row] = readings.power_w
    block["fan_rpm"][row] = slowest_fan(readings)
    block["fan_avg_rpm"][row] = mean_fan(readings)
    block["boards_healthy"][row] = (readings.board_chips * 2 > fleet.board_chips[:, None]).sum(axis=1)
    for name in ("hw_errors", "accepted", "rejected", "mode"):
        block[name][row] = getattr(readings, name)
    block["online"][row] = readings.reachable
    block["uptime_seconds"][row] = readings.uptime_sec
    block["collected"][row] = world.collected()
    block["firmware"][row] = state.firmware_no
    block["model"][row] = state.reported_model_no
    if parts:
        _fill_parts(block, row, readings, temps)


def slowest_fan(readings: Readings) -> Array:
    """Slowest fan; absent ones (NO_FAN) do not count."""
    slowest: Array = np.where(readings.fan_rpm < 0, np.iinfo(np.int64).max, readings.fan_rpm).min(axis=1)
    return slowest


def mean_fan(readings: Readings) -> Floats:
    """Mean fan speed, 0 for a machine without fans."""
    there = readings.fan_rpm >= 0
    mean: Floats = np.where(there, readings.fan_rpm, 0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return mean


def _fill_parts(block: Block, row: int, readings: Readings, temps: Floats) -> None:
    for board in range(BOARDS):
        block[f"board{board + 1}_ths"][row] = readings.board_ths[:, board]
        block[f"board{board + 1}_temp"][row] = temps[:, board]
        block[f"board{board + 1}_chips"][row] = readings.board_chips[:, board]
        block[f"board{board + 1}_hw_errors"][row] = readings.board_hw_errors[:, board]
    for fan in range(FANS):
        block[f"fan{fan + 1}_rpm"][row] = readings.fan_rpm[:, fan]
    block["fan_duty"][row] = readings.fan_duty
    block["inlet_temp"][row] = readings.inlet_c
    block["pool"][row] = readings.pool


class FrameBuilder:
    """Turns blocks into frames; texts are stored once and referenced."""

    def __init__(self, world: World) -> None:
        fleet = world.fleet
        self._n = fleet.n
        zones = tuple(dict.fromkeys(fleet.zone.of))
        zone_no = np.array([zones.index(name) for name in fleet.zone.of])[fleet.zone.no]
        pools = tuple(dict.fromkeys(pool.url for pools in fleet.site_pools for pool in pools))
        self._pools = pools
        self._by_machine = {
            "site": (fleet.site.of, fleet.site.no),
            "miner_id": (tuple(fleet.machine_id), np.arange(fleet.n)),
            "zone": (zones, zone_no),
        }
        self._by_step = {"model": world.reported_models, "firmware": world.firmwares, "mode": MODES}

    def frame(self, block: Block, ts_ms: NDArray[np.int64]) -> pl.DataFrame:
        """`ts_ms` is (steps, machines). Rows in order of steps, then machines; those not collected are left out."""
        steps = len(ts_ms)
        columns: dict[str, pl.Series] = {"ts": pl.Series(ts_ms.reshape(-1)).cast(pl.Datetime("ms", "UTC"))}
        for name, (texts, numbers) in self._by_machine.items():
            columns[name] = _enum_series(np.tile(numbers.astype(np.uint32), steps), texts)
        for name, values in block.items():
            flat = values.reshape(-1)
            if name in self._by_step:
                columns[name] = _enum_series(flat.astype(np.uint32), self._by_step[name])
            elif name != "collected":
                columns[name] = pl.Series(flat)
        frame = pl.DataFrame(columns).with_columns(boards_total=pl.lit(BOARDS, dtype=pl.Int8))
        if not block["online"].all():
            measured = [name for name in (*_PLAIN, *_PARTS) if name in block and name not in ALWAYS_KNOWN]
            frame = frame.with_columns(
                pl.when(pl.col("online") == 1).then(pl.col(name)).alias(name) for name in measured
            )
        collected = block["collected"].reshape(-1)
        return frame if collected.all() else frame.filter(pl.Series(collected))


def _enum_series(numbers: NDArray[np.uint32], texts: tuple[str, ...]) -> pl.Series:
    return pl.Series(texts, dtype=pl.Enum(texts)).gather(pl.Series(numbers))


Millis = NDArray[np.int64]
_SENTINELS: tuple[tuple[str, float], ...] = (
    ("temp_max", 0.0),
    ("temp_max", 255.0),
    ("temp_avg", 0.0),
    ("fan_rpm", -1.0),
    ("power_w", 0.0),
)
_USUAL_DELAY_SEC = (1.0, 6.0)
_DRAIN = 0.5  # a backlog of an hour takes half an hour to arrive


class DefectInjector:
    """Adds data defects one step at a time, so that results do not depend on the chunk size."""

    def __init__(self, world: World, defects: Defects, seed: int) -> None:
        self._defects, self._n = defects, world.fleet.n
        self._rng = stream_of(seed, "defects")
        lag = self._rng.uniform(-1, 1, self._n) * defects.clock_sec
        self._clock_ms: Millis = np.rint(lag * 1000).astype(np.int64)
        make = [model.make == defects.units_off_make for model in world.fleet.models]
        self._factor = np.where(np.array(make)[world.fleet.model], 1e6, 1.0).astype(np.float32)

    def apply(self, block: Block, row: int, at: float) -> tuple[Millis, Floats, NDArray[np.bool_]]:
        """Changes a row of the block. Returns timestamps, delays and duplicates."""
        defects = self._defects
        luck = self._rng.random((5, self._n), dtype=np.float32)
        block["collected"][row] &= luck[0] >= defects.missing
        for number, (name, value) in enumerate(_SENTINELS):
            part = defects.sentinels / len(_SENTINELS)
            hit = (luck[1] >= number * part) & (luck[1] < (number + 1) * part)
            block[name][row][hit] = value
        if defects.units_off_make is not None:
            block["hashrate_ths"][row] *= self._factor
        low, high = _USUAL_DELAY_SEC
        late = luck[3] < defects.late
        delay = np.where(late, luck[4] * defects.late_max_sec, low + (high - low) * luck[4]).astype(np.float64)
        return np.rint(at * 1000).astype(np.int64) + self._clock_ms, delay, luck[2] < defects.duplicates


def include_spooled(world: World, block: Block, row: int) -> None:
    """With arrival times on, rows that a silent collector spooled are included and get the same defects."""
    spooled = np.isfinite(world.spooled()[1])
    if spooled.any():
        block["collected"][row] |= spooled & (world.readings().reachable | world.fleet.says_offline)


def arrival_ms(world: World, delay: Floats) -> Millis:
    """When each row reaches the cloud. Spooled rows of a silent collector arrive after its outage, oldest first."""
    begin, end = world.spooled()
    arrived = np.where(np.isfinite(end), end + _DRAIN * (world.at - begin), world.at) + delay
    return np.rint(arrived * 1000).astype(np.int64)
