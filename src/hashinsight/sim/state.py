"""Constants and state of the machines: arrays over the fleet; the state is updated in place."""

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from hashinsight.facts.temperatures import CHIP_OVER_BOARD_C
from hashinsight.sim import models
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.plan import pool_number
from hashinsight.sim.readings import BOARDS, FANS, Counts, Flags, Floats


@dataclass
class State:
    inlet_c: Floats
    board_c: Floats  # (n, BOARDS)
    chip_c: Floats
    duty: Floats
    trim: Floats  # 0.8..1, what throttling leaves of the frequency
    frequency: Floats  # of the rated one, now
    board_ths: Floats  # true
    power_w: Floats
    hashing: Flags
    powered: Flags
    curtailed: Flags
    paused: Flags
    linked_at: Floats  # since when the network is back
    booted_at: Floats
    reach_at: Floats  # answers from then on
    ready_at: Floats  # hashes from then on, rising
    trip_until: Floats  # (n, BOARDS), cut by protection
    mode: NDArray[np.int8]
    limit_w: Floats  # NaN: none set
    accepted: Counts
    rejected: Counts
    board_errors: Counts
    power_cycles: Counts
    pool_no: NDArray[np.int8]
    first_pool: Counts  # which pool it is told to mine at first, by `pool_number`
    light: Flags
    hash_noise: Floats  # (n, BOARDS), slow part of the machine's own estimate
    fan_noise: Floats  # (n, FANS)
    firmware_no: Counts
    reported_model_no: Counts
    unit_factor: Floats  # 10^6 where a firmware says another unit


def hashing_state(fleet: Fleet, *, start: float, uptime_sec: Floats) -> State:
    """The state of a fleet that has been hashing for a while."""
    n = fleet.n
    per_board = (n, BOARDS)
    booted = start - uptime_sec
    return State(
        inlet_c=np.full(n, 25.0),
        board_c=np.full(per_board, 50.0),
        chip_c=np.full(per_board, 65.0),
        duty=np.full(n, 0.7),
        trim=np.ones(n),
        frequency=np.ones(n),
        board_ths=np.zeros(per_board),
        power_w=np.zeros(n),
        hashing=np.ones(n, dtype=np.bool_),
        powered=np.ones(n, dtype=np.bool_),
        curtailed=np.zeros(n, dtype=np.bool_),
        paused=np.zeros(n, dtype=np.bool_),
        linked_at=np.full(n, -np.inf),
        booted_at=booted,
        reach_at=booted.copy(),
        ready_at=booted.copy(),
        trip_until=np.full(per_board, -np.inf),
        mode=fleet.mode.copy(),
        limit_w=np.full(n, np.nan),
        accepted=np.zeros(n, dtype=np.int64),
        rejected=np.zeros(n, dtype=np.int64),
        board_errors=np.zeros(per_board, dtype=np.int64),
        power_cycles=np.zeros(n, dtype=np.int64),
        pool_no=np.zeros(n, dtype=np.int8),
        first_pool=np.array([pool_number(pools) for pools in fleet.site_pools])[fleet.site.no],
        light=np.zeros(n, dtype=np.bool_),
        hash_noise=np.zeros(per_board),
        fan_noise=np.zeros((n, FANS)),
        firmware_no=fleet.firmware_no.copy(),
        reported_model_no=fleet.model.copy(),
        unit_factor=np.ones(n),
    )


@dataclass(frozen=True)
class Constants:
    board_ths: Floats  # (n, BOARDS) at rated frequency
    hash_w: Floats  # watts of hashing at rated frequency, idle and fans apart
    rise_c: Floats  # (n, BOARDS) board over inlet at rated power and full fans
    target_c: Floats  # at the chip
    hot_c: Floats
    panic_c: Floats
    derate_inlet_c: Floats
    stop_inlet_c: Floats
    air_watts: Floats
    has_pic: Flags
    fans: Floats
    fan_gain: Floats  # (n, FANS), each fan's part of all air
    fan_rpm: Floats
    rated_ths: Floats
    rated_w: Floats
    mhz: Floats
    any_derating: bool


def constants_of(fleet: Fleet) -> Constants:
    model = fleet.model
    derate = models.DERATE_INLET_C[model]
    watts = models.RATED_W[model] * fleet.watt_gain - models.IDLE_W - models.FANS_FULL_W * _USUAL_DUTY**3
    target_c, hot_c, panic_c = _heat_limits(fleet)
    return Constants(
        board_ths=models.RATED_THS[model][:, None] * fleet.ths_gain / BOARDS,
        hash_w=watts,
        rise_c=(target_c - CHIP_OVER_BOARD_C - models.FULL_FANS_INLET[model])[:, None] * fleet.rise_gain,
        target_c=target_c,
        hot_c=hot_c,
        panic_c=panic_c,
        derate_inlet_c=derate,
        stop_inlet_c=models.STOP_INLET_C[model],
        air_watts=models.AIR_WATTS[model],
        has_pic=models.HAS_PIC[model],
        fans=models.FAN_COUNT[model].astype(np.float64),
        fan_gain=fleet.fan_gain / models.FAN_COUNT[model][:, None],
        fan_rpm=models.FAN_RPM[model],
        rated_ths=models.RATED_THS[model],
        rated_w=models.RATED_W[model],
        mhz=models.FREQUENCY_MHZ[model],
        any_derating=bool(np.isfinite(derate).any()),
    )


def _heat_limits(fleet: Fleet) -> Floats:
    """(3, n), by the few firmwares and models that there are."""
    limits = np.array(
        [[astuple(models.heat_limits(model, name)) for model in fleet.models] for name in fleet.firmware.of]
    )
    chosen: Floats = limits.reshape(-1, len(fleet.models), 3)[fleet.firmware.no, fleet.model].T
    return chosen


_USUAL_DUTY = 0.75  # at 25 °C inlet, where machines are rated
