"""Constants of every machine of a fleet, taken once from its model and from how the unit differs."""

from dataclasses import astuple, dataclass

import numpy as np

from hashinsight.facts.temperatures import CHIP_OVER_BOARD_C
from hashinsight.sim import models
from hashinsight.sim.fleet import Fleet
from hashinsight.sim.readings import BOARDS, Flags, Floats


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
