"""Physical constants by model, in the catalogue's order; what no maker publishes is an assumption, see the docs."""

from collections.abc import Callable

import numpy as np

from hashinsight.facts.models import MODELS, MinerModel
from hashinsight.facts.temperatures import CHIP_OVER_BOARD_C, FirmwareFamily, SensorKind, firmware_family, limits_for
from hashinsight.sim.readings import Flags, Floats

FULL_FANS_INLET_C = 34.0  # inlet air at which a clean machine in normal mode reaches its target with fans at 100 %
# an S21 keeps its full frequency up to 40 °C (maker): cooling ends where derating begins; the others: assumed
_FULL_FANS_INLET_C = dict.fromkeys(("Antminer S21", "Antminer S21 Pro", "Antminer T21"), 40.0)
_HOT_C = dict.fromkeys(_FULL_FANS_INLET_C, 97.0)  # the last that is normal: by then its firmware has throttled
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
    return np.array([np.nan if (value := figure(model)) is None else value for model in MODELS], dtype=np.float64)


RATED_THS = _by_model(lambda model: model.rated_ths)
RATED_W = _by_model(lambda model: model.power_w)
THS_SPREAD = _by_model(lambda model: (model.ths_tolerance or 0.03) / 3)
WATT_SPREAD = _by_model(lambda model: (model.power_tolerance or 0.04) / 3)
FAN_COUNT = _by_model(lambda model: model.fans).astype(np.int64)
FAN_RPM = _by_model(lambda model: model.max_fan_rpm or _FAN_RPM[model.make])
FREQUENCY_MHZ = _by_model(lambda model: _MHZ.get(model.name, 600.0))
TARGET_C = _by_model(lambda model: limits_for(model.name, SensorKind.BOARD).target_c + CHIP_OVER_BOARD_C)
HOT_C = _by_model(lambda model: _HOT_C.get(model.name, limits_for(model.name, SensorKind.CHIP).warn_c))
PANIC_C = _by_model(lambda model: limits_for(model.name, SensorKind.CHIP).critical_c)
FULL_FANS_RISE_C = (
    TARGET_C - CHIP_OVER_BOARD_C - _by_model(lambda model: _FULL_FANS_INLET_C.get(model.name, FULL_FANS_INLET_C))
)
DERATE_INLET_C = _by_model(lambda model: model.derates_above_ambient_c or np.inf)
STOP_INLET_C = _by_model(lambda model: model.stops_above_ambient_c or np.inf)
AIR_WATTS = _by_model(lambda model: AIR_WATTS_PER_C.get(model.name, 0.0))
FAULTS_PER_YEAR = _by_model(lambda model: 0.10 if model.name == "Antminer S19 XP" else 0.05)
HAS_PIC: Flags = np.array([model.has_pic for model in MODELS])
MAKES = tuple(dict.fromkeys(model.make for model in MODELS))


def has_power_limit(model: MinerModel, firmware: str) -> bool:
    """Whatsminers take one from the maker's own firmware, Antminers only with another maker's."""
    return model.make == "MicroBT" or firmware_family(firmware) is not FirmwareFamily.STOCK
