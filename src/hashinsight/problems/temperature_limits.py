"""The temperature limits of a machine, at its chips and at its boards, and where each is from.

From the widest to the narrowest: assumed, tenant, site, catalogue, the machine itself, model, firmware, sensor kind.
A setting for all machines applies only where no better limit is known: 85 °C is no limit for a chip built for 95 °C. A
setting for one kind of machine goes before everything, also before the machine's own limits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hashinsight.facts.temperatures import (
    ASSUMED_LIMITS,
    FLUID_WARNS_SOONER_C,
    LimitSource,
    ReportedLimits,
    SensorKind,
    find_limits,
    parse_limits,
    sensor_kind,
)

FLUID = "fluid"  # beside the sensor kinds: a machine in water or oil
SETTINGS = "settings"  # beside the sources of the catalogue: set by an operator
LimitChanges = Mapping[str, float]


@dataclass(frozen=True)
class LimitLayers:
    """Changed limits by layer. Models by the catalogue's name, firmwares by their text, sensors by kind or `fluid`."""

    tenant: LimitChanges = field(default_factory=dict)
    sites: Mapping[str, LimitChanges] = field(default_factory=dict)
    models: Mapping[str, LimitChanges] = field(default_factory=dict)
    firmwares: Mapping[str, LimitChanges] = field(default_factory=dict)
    sensors: Mapping[str, LimitChanges] = field(default_factory=dict)


NO_LAYERS = LimitLayers()


@dataclass(frozen=True)
class SensorLimits:
    """Of one sensor kind. A source is a `LimitSource`, or `SETTINGS`."""

    sensor: SensorKind
    warn_c: float
    crit_c: float
    warn_source: str
    crit_source: str


@dataclass(frozen=True)
class MachineTemperatureLimits:
    """`main`: the kind of sensor that the machine's hottest reading comes from."""

    main: SensorLimits
    other: SensorLimits


def machine_temperature_limits(
    layers: LimitLayers,
    *,
    site: str | None,
    model: str | None,
    firmware: str | None,
    fluid: bool = False,
    sensor: SensorKind | None = None,
    reported: str | None = None,
) -> MachineTemperatureLimits:
    """`sensor` as a sample reports it, else the one its firmware reads; `reported` as ingest stores them."""
    main = sensor or sensor_kind(firmware)
    own = parse_limits(reported)
    wide = {**layers.tenant, **layers.sites.get(site or "", {})}
    # a limit for a model or firmware is meant for the temperature that it displays
    narrow = {**layers.models.get(model or "", {}), **layers.firmwares.get(firmware or "", {})}
    by_kind = {}
    for kind in SensorKind:
        known = _known(model, kind, firmware, own.get(kind), wide, fluid=fluid)
        changes = {
            **(narrow if kind is main else {}),
            **layers.sensors.get(kind.value, {}),
            **(layers.sensors.get(FLUID, {}) if fluid else {}),
        }
        by_kind[kind] = _changed(known, changes, is_for_kind=True)
    return MachineTemperatureLimits(
        by_kind[main], by_kind[SensorKind.BOARD if main is SensorKind.CHIP else SensorKind.CHIP]
    )


def _known(
    model: str | None,
    kind: SensorKind,
    firmware: str | None,
    reported: ReportedLimits | None,
    wide: LimitChanges,
    *,
    fluid: bool,
) -> SensorLimits:
    limits = find_limits(model, kind, firmware=firmware, reported=reported, fluid=fluid)
    if limits.source is not LimitSource.ASSUMED:
        return SensorLimits(kind, limits.warn_c, limits.critical_c, limits.source, limits.source)
    usual = ASSUMED_LIMITS[kind]
    general = _changed(
        SensorLimits(kind, usual.warn_c, usual.critical_c, LimitSource.ASSUMED, LimitSource.ASSUMED), wide
    )
    sooner = FLUID_WARNS_SOONER_C if fluid else 0.0
    return SensorLimits(kind, general.warn_c - sooner, general.crit_c, general.warn_source, general.crit_source)


def _changed(limits: SensorLimits, changes: LimitChanges, *, is_for_kind: bool = False) -> SensorLimits:
    """With the settings applied. General settings contain every limit, so an equal value there is no change."""
    figures: dict[str, tuple[float, str]] = {}
    for level in ("warn", "crit"):
        before, source = getattr(limits, f"{level}_c"), getattr(limits, f"{level}_source")
        now = changes.get(f"overheat_{level}_c", before)
        is_own = now != before or (is_for_kind and f"overheat_{level}_c" in changes and source == LimitSource.ASSUMED)
        figures[level] = now, SETTINGS if is_own else source
    (warn_c, warn_source), (crit_c, crit_source) = figures["warn"], figures["crit"]
    return SensorLimits(limits.sensor, warn_c, crit_c, warn_source, crit_source)
