"""Which temperature limits hold for a machine: its own where it reports them, else the catalogue's, else assumed."""

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


BROKEN_READINGS_C = (0.0, 255.0)  # what a broken sensor says
CHIP_OVER_BOARD_C = 15.0
# a default of our own, from no data sheet: no fan answers for a loop that fails, so that there is less time
FLUID_WARNS_SOONER_C = 5.0
_WRITTEN = re.compile(r"(chip|board) (-|\d{1,3}(?:\.\d{1,9})?)/(-|\d{1,3}(?:\.\d{1,9})?)(?![\w.+])")
_MOST_WRITTEN_C = 999.0
_WARN_BELOW_STOP_C = 5.0  # where a machine reports only where it stops

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
_LUXOS_VERSION = re.compile(r"20\d\d\.\d{1,2}\.\d{1,2}\.\d{6}")  # LuxOS alone counts by date and time of day
_CHIPS_WITH_ANY_FIRMWARE = frozenset({"Antminer S9"})  # series whose chips are measured by LuxOS as well


@dataclass(frozen=True)
class ReportedLimits:
    """What a machine reports of one sensor kind: where it warns, and where it stops itself."""

    warn_c: float | None = None
    stop_c: float | None = None


def firmware_family(firmware: str | None) -> FirmwareFamily:
    """The family by its name in the version text; a version that nobody knows is the maker's own firmware."""
    text = (firmware or "").lower()
    otherwise = FirmwareFamily.LUXOS if _LUXOS_VERSION.match(text) else FirmwareFamily.STOCK
    return next((family for word, family in _FAMILY_WORDS if word in text), otherwise)


def sensor_kind(firmware: str | None) -> SensorKind:
    return dict(SENSOR_BY_FIRMWARE)[firmware_family(firmware)]


def reports_boards_as_chips(firmware: str | None, model: str | None) -> bool:
    """Whether this firmware measures boards alone, and tells them under the names of chips as well."""
    if sensor_kind(firmware) is not SensorKind.BOARD:
        return False
    return not model or find_series(model) not in _CHIPS_WITH_ANY_FIRMWARE


def record_sensor(record: Mapping[str, Any]) -> SensorKind:
    """At what `temp_max` of an edge's record was measured: as it says, else as its firmware does."""
    named = record.get("temp_sensor")
    return SensorKind(named) if named in tuple(SensorKind) else sensor_kind(record.get("firmware"))


def find_reported_limits(record: Mapping[str, Any], sensor: SensorKind | str) -> ReportedLimits | None:
    """The machine's own limits for this sensor, from an edge's record; None where it reports none."""
    of_all = record.get("temp_limits")
    of_kind = of_all.get(str(sensor)) if isinstance(of_all, Mapping) else None
    if isinstance(of_kind, Mapping):
        return ReportedLimits(of_kind.get("warn_c"), of_kind.get("stop_c"))
    if record_sensor(record) != sensor or record.get("temp_limit_c") is None:
        return None
    return ReportedLimits(record.get("temp_warn_c"), record.get("temp_limit_c"))


def format_limits(reported: Mapping[SensorKind, ReportedLimits]) -> str | None:
    """As a short text, which machines of a kind share: "chip 80/90 board -/80". None where nothing is reported."""
    words = [
        f"{kind} {_figure(limits.warn_c)}/{_figure(limits.stop_c)}"
        for kind, limits in sorted(reported.items())
        if _figure(limits.stop_c) != "-"
    ]
    return " ".join(words) or None


def parse_limits(text: str | None) -> dict[SensorKind, ReportedLimits]:
    """What `write_limits` wrote."""
    return {
        SensorKind(kind): ReportedLimits(*(None if figure == "-" else float(figure) for figure in (warn, stop)))
        for kind, warn, stop in _WRITTEN.findall(text or "")
    }


def find_limits(
    model: str | None,
    sensor: SensorKind | str,
    *,
    firmware: str | None = None,
    reported: ReportedLimits | None = None,
    fluid: bool = False,
) -> TemperatureLimits:
    """The limits of this model's sensor; `source` says whose they are.

    In water or oil it is the same silicon, and must stop at the same temperature; it is warned of sooner.
    """
    kind = SensorKind(sensor)
    limits = _of_catalogue(model, kind, firmware) or ASSUMED_LIMITS[kind]
    if fluid:
        limits = replace(limits, warn_c=limits.warn_c - FLUID_WARNS_SOONER_C)
    return _of_machine(limits, kind, reported) or limits


def protection_limit_c(limits: TemperatureLimits, sensor: SensorKind | str) -> float:
    """From where local protection stops a machine: its known limit; on an assumed one only what burns for sure."""
    if limits.source is LimitSource.ASSUMED:
        return ASSUMED_PROTECTION_C[SensorKind(sensor)]
    return limits.critical_c


def is_broken_reading(temp_c: float) -> bool:
    return temp_c in BROKEN_READINGS_C


def _of_catalogue(model: str | None, kind: SensorKind, firmware: str | None) -> TemperatureLimits | None:
    series = find_series(model) if model else None
    if series is None:
        return None
    brought = FIRMWARE_LIMITS.get((firmware_family(firmware), series, kind))
    return brought or SERIES_LIMITS.get(series, {}).get(kind)


def _of_machine(
    otherwise: TemperatureLimits, kind: SensorKind, reported: ReportedLimits | None
) -> TemperatureLimits | None:
    stop_c = _number(reported.stop_c) if reported else None
    least, most = PLAUSIBLE_STOP_C[kind]
    if reported is None or stop_c is None or not least <= stop_c <= most:
        return None
    if otherwise.source is LimitSource.CATALOGUE:  # somebody who switched the protection off does not switch ours off
        stop_c = min(stop_c, otherwise.critical_c + REPORTED_OVER_CATALOGUE_C)
    warn_c = _number(reported.warn_c)
    if warn_c is None or not least / 2 < warn_c < stop_c:
        known = otherwise.source is not LimitSource.ASSUMED and otherwise.warn_c < stop_c
        warn_c = otherwise.warn_c if known else stop_c - _WARN_BELOW_STOP_C
    return TemperatureLimits(min(otherwise.target_c, warn_c), warn_c, stop_c, LimitSource.MACHINE)


def _figure(value: object) -> str:
    """To a tenth of a degree; what no thermometer says is left out."""
    number = _number(value)
    return "-" if number is None or not 0 <= number <= _MOST_WRITTEN_C else f"{round(number, 1):g}"


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None  # type: ignore[arg-type] # narrowed above
