"""Temperature limits by series and sensor kind: what is normal, and where the maker's own firmware cuts off.

`warn_c` is the top of what such a machine runs at when all is well, `critical_c` is where its firmware stops it: a
machine above that should have stopped itself. Figures marked `~` are approximate; docs/decisions/0014 has the sources.
"""

from dataclasses import dataclass
from enum import StrEnum


class SensorKind(StrEnum):
    BOARD = "board"
    CHIP = "chip"


class FirmwareFamily(StrEnum):
    STOCK = "stock"
    LUXOS = "luxos"
    BRAIINS = "braiins"
    VNISH = "vnish"


class LimitSource(StrEnum):
    """Who says so: the machine itself, our catalogue, or nobody (the general limit)."""

    MACHINE = "machine"
    CATALOGUE = "catalogue"
    ASSUMED = "assumed"


@dataclass(frozen=True)
class TemperatureLimits:
    """`target_c`: fans reach 100 %; from `warn_c` it is too hot; from `critical_c` it must stop."""

    target_c: float
    warn_c: float
    critical_c: float
    source: LimitSource = LimitSource.CATALOGUE


_CHIP, _BOARD = SensorKind.CHIP, SensorKind.BOARD
_Limits = TemperatureLimits

# Antminer S9: the maker cuts off at 115 at the chip and 90 at the board; S17 and S19: 95 at the chip; S21: ~ 100.
# The maker's firmware tells a board 5 below its chip, and so is its limit: a lower one stops sound machines.
# Whatsminer: ~ no limit is published, chips run at 75 to 97. Avalon: fans at full speed from 80 to 90, cut-off 105.
SERIES_LIMITS: dict[str, dict[SensorKind, TemperatureLimits]] = {
    "Antminer S9": {_CHIP: _Limits(85, 102, 110), _BOARD: _Limits(70, 87, 90)},
    "Antminer S11": {_CHIP: _Limits(85, 98, 105), _BOARD: _Limits(80, 93, 100)},
    "Antminer S15": {_CHIP: _Limits(85, 98, 105), _BOARD: _Limits(80, 93, 100)},
    "Antminer S17": {_CHIP: _Limits(75, 90, 95), _BOARD: _Limits(70, 85, 90)},
    "Antminer S19": {_CHIP: _Limits(78, 88, 95), _BOARD: _Limits(73, 83, 90)},
    "Antminer S21": {_CHIP: _Limits(90, 98, 100), _BOARD: _Limits(85, 93, 95)},
    "Antminer S23": {_CHIP: _Limits(90, 98, 100), _BOARD: _Limits(85, 93, 95)},
    **{
        f"Whatsminer M{generation}0": {_CHIP: _Limits(85, 99, 105), _BOARD: _Limits(75, 88, 95)}
        for generation in (2, 3, 4, 5, 6, 7)
    },
    **{
        f"Avalon {generation}": {_CHIP: _Limits(85, 98, 105), _BOARD: _Limits(70, 85, 95)}
        for generation in range(7, 17)
    },
    "Bitaxe": {_CHIP: _Limits(60, 70, 75), _BOARD: _Limits(85, 100, 105)},  # the board's is its voltage regulator
}
# a firmware of another maker: LuxOS measures boards alone, VNish tells a board 15 below its chip
FIRMWARE_LIMITS: dict[tuple[FirmwareFamily, str, SensorKind], TemperatureLimits] = {
    (FirmwareFamily.LUXOS, "Antminer S17", _BOARD): _Limits(60, 75, 80),
    (FirmwareFamily.LUXOS, "Antminer S19", _BOARD): _Limits(55, 65, 70),
    (FirmwareFamily.LUXOS, "Antminer S21", _BOARD): _Limits(75, 82, 85),
    (FirmwareFamily.VNISH, "Antminer S17", _BOARD): _Limits(60, 75, 80),
    (FirmwareFamily.VNISH, "Antminer S19", _BOARD): _Limits(63, 73, 80),
    (FirmwareFamily.VNISH, "Antminer S21", _BOARD): _Limits(75, 83, 85),
}
# for a model that neither the machine nor the catalogue has limits for
ASSUMED_LIMITS: dict[SensorKind, TemperatureLimits] = {
    _CHIP: _Limits(70, 75, 85, LimitSource.ASSUMED),
    _BOARD: _Limits(70, 75, 85, LimitSource.ASSUMED),
}
# protection stops no machine on an assumption below these
ASSUMED_PROTECTION_C: dict[SensorKind, float] = {_CHIP: 105.0, _BOARD: 95.0}
# what a limit that a machine reports can be; outside of it the machine does not know
PLAUSIBLE_STOP_C: dict[SensorKind, tuple[float, float]] = {_CHIP: (60.0, 130.0), _BOARD: (50.0, 115.0)}
# where the catalogue knows the series: a machine's own limit counts up to so much above the catalogue's
REPORTED_OVER_CATALOGUE_C = 10.0
