"""Temperature limits by what the sensor measures: some firmwares report the board, others the chip."""

from dataclasses import dataclass, replace
from enum import StrEnum

BROKEN_READINGS_C = (0.0, 255.0)  # what a broken sensor says
CHIP_OVER_BOARD_C = 15.0
# a default of our own, from no data sheet: no fan answers for a loop that fails, so that there is less time
FLUID_WARNS_SOONER_C = 5.0


class SensorKind(StrEnum):
    BOARD = "board"
    CHIP = "chip"


class FirmwareFamily(StrEnum):
    STOCK = "stock"
    LUXOS = "luxos"
    BRAIINS = "braiins"
    VNISH = "vnish"


@dataclass(frozen=True)
class TemperatureLimits:
    """`target_c`: fans reach 100 %; from `warn_c` it is too hot; from `critical_c` it must stop."""

    target_c: float
    warn_c: float
    critical_c: float


SENSOR_BY_FIRMWARE: tuple[tuple[FirmwareFamily, SensorKind], ...] = (
    (FirmwareFamily.STOCK, SensorKind.CHIP),
    (FirmwareFamily.LUXOS, SensorKind.BOARD),
    (FirmwareFamily.BRAIINS, SensorKind.CHIP),
    (FirmwareFamily.VNISH, SensorKind.CHIP),
)
_WORDS = (
    ("lux", FirmwareFamily.LUXOS),
    ("braiins", FirmwareFamily.BRAIINS),
    ("bosminer", FirmwareFamily.BRAIINS),
    ("vnish", FirmwareFamily.VNISH),
    ("anthill", FirmwareFamily.VNISH),
)

_S19_CHIP = TemperatureLimits(70, 80, 85)
_S19_BOARD = TemperatureLimits(55, 65, 70)
_S21_CHIP = TemperatureLimits(90, 98, 100)  # 90 to 97 °C is normal at the chip of this series
_S21_BOARD = TemperatureLimits(75, 82, 85)

LIMITS: dict[tuple[str, SensorKind], TemperatureLimits] = {
    **{
        (name, kind): limits
        for name in ("Antminer S19", "Antminer S19 Pro", "Antminer S19j Pro", "Antminer S19 XP")
        for kind, limits in ((SensorKind.CHIP, _S19_CHIP), (SensorKind.BOARD, _S19_BOARD))
    },
    **{
        (name, kind): limits
        for name in ("Antminer S21", "Antminer S21 Pro", "Antminer T21")
        for kind, limits in ((SensorKind.CHIP, _S21_CHIP), (SensorKind.BOARD, _S21_BOARD))
    },
}
DEFAULT_LIMITS: dict[SensorKind, TemperatureLimits] = {
    SensorKind.CHIP: TemperatureLimits(70, 75, 85),
    SensorKind.BOARD: TemperatureLimits(55, 65, 70),
}


def firmware_family(firmware: str | None) -> FirmwareFamily:
    """The family by its name in the version text; what names nobody else is the maker's own."""
    said = (firmware or "").lower()
    return next((family for word, family in _WORDS if word in said), FirmwareFamily.STOCK)


def sensor_kind(firmware: str | None) -> SensorKind:
    return dict(SENSOR_BY_FIRMWARE)[firmware_family(firmware)]


def limits_for(model: str | None, kind: SensorKind, *, fluid: bool = False) -> TemperatureLimits:
    """The limits of this model's sensor; those of nobody in particular for a model that we do not know.

    In water or oil it is the same silicon, and must stop at the same temperature; it is warned of sooner.
    """
    limits = LIMITS.get((model or "", kind), DEFAULT_LIMITS[kind])
    return replace(limits, warn_c=limits.warn_c - FLUID_WARNS_SOONER_C) if fluid else limits


def is_broken_reading(temp_c: float) -> bool:
    return temp_c in BROKEN_READINGS_C
