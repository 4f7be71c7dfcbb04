"""Which temperature limits a machine is judged by, at the chip and at the board, and who says so.

From the widest to the narrowest: assumed, tenant, site, catalogue, the machine itself, model, firmware, sensor kind.
What an operator says for everybody holds only where nobody knows better: 85 °C must not hold for a chip that is at home
at 95 °C. What he says for one kind of machine goes before all, the machine's own limits included.
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

FLUID = "fluid"  # among the sensor kinds: of a machine that stands in water or oil
SETTINGS = "settings"  # beside the sources of the facts: an operator says so
Change = Mapping[str, float]


@dataclass(frozen=True)
class LimitLayers:
    """What was changed where. Models by the catalogue's name, firmwares by their text, sensors by kind or `fluid`."""

    tenant: Change = field(default_factory=dict)
    sites: Mapping[str, Change] = field(default_factory=dict)
    models: Mapping[str, Change] = field(default_factory=dict)
    firmwares: Mapping[str, Change] = field(default_factory=dict)
    sensors: Mapping[str, Change] = field(default_factory=dict)


NO_LAYERS = LimitLayers()


@dataclass(frozen=True)
class SensorLimits:
    """Of one sensor kind; the sources are of `LimitSource`, or `SETTINGS`."""

    sensor: SensorKind
    warn_c: float
    crit_c: float
    warn_source: str
    crit_source: str


@dataclass(frozen=True)
class MachineTemperatureLimits:
    """`main` is of the sensor that the machine's hottest reading comes from, `other` of the other kind."""

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
    """`sensor` where a sample names it, else as its firmware measures; `reported` as `write_limits` wrote them."""
    main = sensor or sensor_kind(firmware)
    own = parse_limits(reported)
    wide = {**layers.tenant, **layers.sites.get(site or "", {})}
    # a limit for a model or firmware is meant for the temperature that such a machine shows
    narrow = {**layers.models.get(model or "", {}), **layers.firmwares.get(firmware or "", {})}
    found = {}
    for kind in SensorKind:
        known = _known(model, kind, firmware, own.get(kind), wide, fluid=fluid)
        said = {
            **(narrow if kind is main else {}),
            **layers.sensors.get(kind.value, {}),
            **(layers.sensors.get(FLUID, {}) if fluid else {}),
        }
        found[kind] = _changed(known, said, is_for_kind=True)
    return MachineTemperatureLimits(
        found[main], found[SensorKind.BOARD if main is SensorKind.CHIP else SensorKind.CHIP]
    )


def _known(
    model: str | None,
    kind: SensorKind,
    firmware: str | None,
    reported: ReportedLimits | None,
    wide: Change,
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


def _changed(limits: SensorLimits, change: Change, *, is_for_kind: bool = False) -> SensorLimits:
    """With what an operator says. General settings hold every figure, so there one that is the same is no change."""
    figures: dict[str, tuple[float, str]] = {}
    for level in ("warn", "crit"):
        before, source = getattr(limits, f"{level}_c"), getattr(limits, f"{level}_source")
        now = change.get(f"overheat_{level}_c", before)
        is_own = now != before or (is_for_kind and f"overheat_{level}_c" in change and source == LimitSource.ASSUMED)
        figures[level] = now, SETTINGS if is_own else source
    (warn_c, warn_source), (crit_c, crit_source) = figures["warn"], figures["crit"]
    return SensorLimits(limits.sensor, warn_c, crit_c, warn_source, crit_source)
