"""Temperature limits of a machine: its own if it reports them, else the catalogue's, else assumed.

`warn_c` is the top of what such a machine runs at normally, `critical_c` is where its firmware stops it: a machine
above that should have stopped itself. `~`: approximate; docs/decisions/0014 has the sources.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hashinsight.facts.models import find_series


class SensorKind(StrEnum):
    BOARD = "board"
    CHIP = "chip"


class FirmwareFamily(StrEnum):
    STOCK = "stock"
    LUXOS = "luxos"
    BRAIINS = "braiins"
    VNISH = "vnish"


class LimitSource(StrEnum):
    """Where a limit comes from: the machine itself, our catalogue, or assumed."""

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

# Antminer S9: firmware cut-off at 115 (chip) and 90 (board); S17 and S19: 95 (chip); S21: ~ 100 (chip).
# Stock firmware reports a board 5 below its chip, and so is its limit: a lower one would stop healthy machines.
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
    "Bitaxe": {_CHIP: _Limits(60, 70, 75), _BOARD: _Limits(85, 100, 105)},  # board: its voltage regulator
}
# third-party firmware: LuxOS measures boards only, VNish reports a board 15 below its chip
FIRMWARE_LIMITS: dict[tuple[FirmwareFamily, str, SensorKind], TemperatureLimits] = {
    (FirmwareFamily.LUXOS, "Antminer S17", _BOARD): _Limits(60, 75, 80),
    (FirmwareFamily.LUXOS, "Antminer S19", _BOARD): _Limits(55, 65, 70),
    (FirmwareFamily.LUXOS, "Antminer S21", _BOARD): _Limits(75, 82, 85),
    (FirmwareFamily.VNISH, "Antminer S17", _BOARD): _Limits(60, 75, 80),
    (FirmwareFamily.VNISH, "Antminer S19", _BOARD): _Limits(63, 73, 80),
    (FirmwareFamily.VNISH, "Antminer S21", _BOARD): _Limits(75, 83, 85),
}
# for models without limits from the machine or the catalogue
ASSUMED_LIMITS: dict[SensorKind, TemperatureLimits] = {
    _CHIP: _Limits(70, 75, 85, LimitSource.ASSUMED),
    _BOARD: _Limits(70, 75, 85, LimitSource.ASSUMED),
}
# on assumed limits, protection stops a machine only above these
ASSUMED_PROTECTION_C: dict[SensorKind, float] = {_CHIP: 105.0, _BOARD: 95.0}
# plausible range of a limit that a machine reports; outside it is ignored
PLAUSIBLE_STOP_C: dict[SensorKind, tuple[float, float]] = {_CHIP: (60.0, 130.0), _BOARD: (50.0, 115.0)}
# a machine's own limit counts up to this much above the catalogue's
REPORTED_OVER_CATALOGUE_C = 10.0


BROKEN_READINGS_C = (0.0, 255.0)  # values of a broken sensor
CHIP_OVER_BOARD_C = 15.0
# our default, from no data sheet: a failing water loop has no fan to compensate, so there is less time
FLUID_WARNS_SOONER_C = 5.0
_FORMATTED = re.compile(r"(chip|board) (-|\d{1,3}(?:\.\d{1,9})?)/(-|\d{1,3}(?:\.\d{1,9})?)(?![\w.+])")
_MAX_FORMATTED_C = 999.0
_WARN_BELOW_STOP_C = 5.0  # if a machine reports only its stop limit

SENSOR_BY_FIRMWARE: tuple[tuple[FirmwareFamily, SensorKind], ...] = (
    (FirmwareFamily.STOCK, SensorKind.CHIP),
    (FirmwareFamily.LUXOS, SensorKind.BOARD),
    (FirmwareFamily.BRAIINS, SensorKind.CHIP),
    (FirmwareFamily.VNISH, SensorKind.CHIP),
)
_FAMILY_WORDS = (
    ("lux", FirmwareFamily.LUXOS),
    ("braiins", FirmwareFamily.BRAIINS),
    ("bosminer", FirmwareFamily.BRAIINS),
    ("vnish", FirmwareFamily.VNISH),
    ("anthill", FirmwareFamily.VNISH),
)
_LUXOS_VERSION = re.compile(r"20\d\d\.\d{1,2}\.\d{1,2}\.\d{6}")  # only LuxOS numbers its versions by date and time
_CHIPS_WITH_ANY_FIRMWARE = frozenset({"Antminer S9"})  # series whose chips LuxOS measures too


@dataclass(frozen=True)
class ReportedLimits:
    """A machine's own limits for one sensor kind: where it warns, and where it stops itself."""

    warn_c: float | None = None
    stop_c: float | None = None


def firmware_family(firmware: str | None) -> FirmwareFamily:
    """The family by its name in the version text; an unknown version is stock firmware."""
    text = (firmware or "").lower()
    otherwise = FirmwareFamily.LUXOS if _LUXOS_VERSION.match(text) else FirmwareFamily.STOCK
    return next((family for word, family in _FAMILY_WORDS if word in text), otherwise)


def sensor_kind(firmware: str | None) -> SensorKind:
    return dict(SENSOR_BY_FIRMWARE)[firmware_family(firmware)]


def reports_boards_as_chips(firmware: str | None, model: str | None) -> bool:
    """Whether this firmware measures boards only, and reports them under the names of chips too."""
    if sensor_kind(firmware) is not SensorKind.BOARD:
        return False
    return not model or find_series(model) not in _CHIPS_WITH_ANY_FIRMWARE


def record_sensor(record: Mapping[str, Any]) -> SensorKind:
    """The sensor kind of a record's `temp_max`: as the record says, else as its firmware measures."""
    named = record.get("temp_sensor")
    return SensorKind(named) if named in tuple(SensorKind) else sensor_kind(record.get("firmware"))


def find_reported_limits(record: Mapping[str, Any], sensor: SensorKind | str) -> ReportedLimits | None:
    """The machine's own limits for this sensor kind, from a collector's record; None if it reports none."""
    by_kind = record.get("temp_limits")
    limits = by_kind.get(str(sensor)) if isinstance(by_kind, Mapping) else None
    if isinstance(limits, Mapping):
        return ReportedLimits(limits.get("warn_c"), limits.get("stop_c"))
    if record_sensor(record) != sensor or record.get("temp_limit_c") is None:
        return None
    return ReportedLimits(record.get("temp_warn_c"), record.get("temp_limit_c"))


def format_limits(reported: Mapping[SensorKind, ReportedLimits]) -> str | None:
    """As a short text that similar machines share: "chip 80/90 board -/80". None if nothing is reported."""
    words = [
        f"{kind} {_figure(limits.warn_c)}/{_figure(limits.stop_c)}"
        for kind, limits in sorted(reported.items())
        if _figure(limits.stop_c) != "-"
    ]
    return " ".join(words) or None


def parse_limits(text: str | None) -> dict[SensorKind, ReportedLimits]:
    """The reverse of `format_limits`."""
    return {
        SensorKind(kind): ReportedLimits(*(None if figure == "-" else float(figure) for figure in (warn, stop)))
        for kind, warn, stop in _FORMATTED.findall(text or "")
    }


def find_limits(
    model: str | None,
    sensor: SensorKind | str,
    *,
    firmware: str | None = None,
    reported: ReportedLimits | None = None,
    fluid: bool = False,
) -> TemperatureLimits:
    """The limits of this model and sensor kind; `source` says where they come from.

    In water or oil the chips are the same and stop at the same temperature; the warning comes earlier.
    """
    kind = SensorKind(sensor)
    limits = _catalogue_limits(model, kind, firmware) or ASSUMED_LIMITS[kind]
    if fluid:
        limits = replace(limits, warn_c=limits.warn_c - FLUID_WARNS_SOONER_C)
    return _machine_limits(limits, kind, reported) or limits


def protection_limit_c(limits: TemperatureLimits, sensor: SensorKind | str) -> float:
    """Where local protection stops a machine: at a known limit; on an assumed one only far above it."""
    if limits.source is LimitSource.ASSUMED:
        return ASSUMED_PROTECTION_C[SensorKind(sensor)]
    return limits.critical_c


def _catalogue_limits(model: str | None, kind: SensorKind, firmware: str | None) -> TemperatureLimits | None:
    series = find_series(model) if model else None
    if series is None:
        return None
    by_firmware = FIRMWARE_LIMITS.get((firmware_family(firmware), series, kind))
    return by_firmware or SERIES_LIMITS.get(series, {}).get(kind)


def _machine_limits(
    default: TemperatureLimits, kind: SensorKind, reported: ReportedLimits | None
) -> TemperatureLimits | None:
    stop_c = _number(reported.stop_c) if reported else None
    minimum, maximum = PLAUSIBLE_STOP_C[kind]
    if reported is None or stop_c is None or not minimum <= stop_c <= maximum:
        return None
    if default.source is LimitSource.CATALOGUE:  # raising the machine's own limit must not disable ours
        stop_c = min(stop_c, default.critical_c + REPORTED_OVER_CATALOGUE_C)
    warn_c = _number(reported.warn_c)
    if warn_c is None or not minimum / 2 < warn_c < stop_c:
        is_known = default.source is not LimitSource.ASSUMED and default.warn_c < stop_c
        warn_c = default.warn_c if is_known else stop_c - _WARN_BELOW_STOP_C
    return TemperatureLimits(min(default.target_c, warn_c), warn_c, stop_c, LimitSource.MACHINE)


def _figure(value: object) -> str:
    """To a tenth of a degree; impossible values are left out."""
    number = _number(value)
    return "-" if number is None or not 0 <= number <= _MAX_FORMATTED_C else f"{round(number, 1):g}"


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None  # type: ignore[arg-type] # narrowed above
