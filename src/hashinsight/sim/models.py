"""Physical constants by model, in the catalogue's order; what no maker publishes is an assumption, see the docs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashinsight.facts.models import MODELS, MinerModel
from hashinsight.facts.temperatures import (
    CHIP_OVER_BOARD_C,
    FirmwareFamily,
    SensorKind,
    find_limits,
    firmware_family,
    sensor_kind,
)
from hashinsight.sim.readings import Flags, Floats

# physics are fitted to these; scenarios reject all other models of the catalogue
_SIMULATED = (
    *("Antminer S19", "Antminer S19 Pro", "Antminer S19j Pro", "Antminer S19 XP"),
    *("Antminer S21", "Antminer S21 Pro", "Antminer T21"),
    *("Whatsminer M30S++", "Whatsminer M50S", "Whatsminer M60S", "Avalon A1366"),
)
_BY_NAME = {model.name: model for model in MODELS}
SIMULATED: tuple[MinerModel, ...] = tuple(_BY_NAME[name] for name in _SIMULATED)
# chips per board of the simulated hardware versions
CHIPS_PER_BOARD = {"Whatsminer M30S++": (215, 255), "Whatsminer M50S": (135, 156), "Whatsminer M60S": (215, 245)}
FULL_FANS_INLET_C = 34.0  # inlet air at which a clean machine in normal mode reaches its target with fans at 100 %
# an S21 keeps its full frequency up to 40 °C (maker): cooling ends where derating begins; the others: assumed
_FULL_FANS_INLET_C = dict.fromkeys(("Antminer S21", "Antminer S21 Pro", "Antminer T21"), 40.0)
# an S21 has throttled by the last degree that is normal
_THROTTLED_BELOW_WARN_C = dict.fromkeys(_FULL_FANS_INLET_C, 1.0)
_TARGET_BELOW_HOT_C = {"Bitmain": 10.0, "MicroBT": 5.0, "Canaan": 5.0} | dict.fromkeys(_FULL_FANS_INLET_C, 7.0)
CONTROL_BAND_C = 12.0  # fans go from their least to 100 % over this much below the target
LEAST_DUTY = 0.25
POWER_OF_FREQUENCY = 1.6  # watts follow frequency by this exponent when voltage is tuned with it
IDLE_W = 28.0  # control board, standby of the power supply
FANS_FULL_W = 140.0
LEAK_PER_C = 0.0025
# T21: watts swing 7 % between day and night at the same hashrate; this on about 15 °C of inlet, the rest is leakage
AIR_WATTS_PER_C = {"Antminer T21": 0.0026}
MODE_FREQUENCY = np.array([0.80, 1.0, 1.10])  # eco, normal, perf
LEAST_FREQUENCY = 0.4  # no firmware tunes lower

_MHZ = {
    "Antminer S19": 650.0,
    "Antminer S19 Pro": 675.0,
    "Antminer S19j Pro": 545.0,
    "Antminer S19 XP": 500.0,
    "Antminer S21": 490.0,
    "Antminer S21 Pro": 525.0,
    "Antminer T21": 485.0,
}
_FAN_RPM = {"Bitmain": 6150.0, "MicroBT": 6900.0, "Canaan": 6600.0}
DERATED_FREQUENCY = 440 / 490


def _by_model(figure: Callable[[MinerModel], float | None]) -> Floats:
    return np.array([np.nan if (value := figure(model)) is None else value for model in SIMULATED], dtype=np.float64)


RATED_THS = _by_model(lambda model: model.rated_ths)
RATED_W = _by_model(lambda model: model.power_w)
THS_SPREAD = _by_model(lambda model: (model.ths_tolerance or 0.03) / 3)
WATT_SPREAD = _by_model(lambda model: (model.power_tolerance or 0.04) / 3)
FAN_COUNT = _by_model(lambda model: model.fans).astype(np.int64)
FAN_RPM = _by_model(lambda model: model.max_fan_rpm or _FAN_RPM[model.make])
FREQUENCY_MHZ = _by_model(lambda model: _MHZ.get(model.name, 600.0))
FULL_FANS_INLET = _by_model(lambda model: _FULL_FANS_INLET_C.get(model.name, FULL_FANS_INLET_C))
DERATE_INLET_C = _by_model(lambda model: model.derates_above_ambient_c or np.inf)
STOP_INLET_C = _by_model(lambda model: model.stops_above_ambient_c or np.inf)
AIR_WATTS = _by_model(lambda model: AIR_WATTS_PER_C.get(model.name, 0.0))
FAULTS_PER_YEAR = _by_model(lambda model: 0.10 if model.name == "Antminer S19 XP" else 0.05)
HAS_PIC: Flags = np.array([model.has_pic for model in SIMULATED])
MAKES = tuple(dict.fromkeys(model.make for model in SIMULATED))


@dataclass(frozen=True)
class HeatLimits:
    """Chip temperatures: fans at full speed, throttled, boards switched off."""

    target_c: float
    hot_c: float
    panic_c: float


def heat_limits(model: MinerModel, firmware: str) -> HeatLimits:
    """Protection limits from the catalogue, by firmware."""
    kind = sensor_kind(firmware)
    limits = find_limits(model.name, kind, firmware=firmware)
    over_c = 0.0 if kind is SensorKind.CHIP else CHIP_OVER_BOARD_C
    throttles_c = min(limits.warn_c + over_c, find_limits(model.name, SensorKind.CHIP).warn_c)
    hot_c = throttles_c - (_THROTTLED_BELOW_WARN_C.get(model.name, 0.0) if not over_c else 0.0)
    gap_c = _TARGET_BELOW_HOT_C.get(model.name, _TARGET_BELOW_HOT_C[model.make])
    return HeatLimits(hot_c - gap_c, hot_c, limits.critical_c + over_c)


def has_power_limit(model: MinerModel, firmware: str) -> bool:
    """Stock firmware of Whatsminers has a power limit, that of Antminers does not."""
    return model.make == "MicroBT" or firmware_family(firmware) is not FirmwareFamily.STOCK
