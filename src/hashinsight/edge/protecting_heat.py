"""Whether a machine is too hot: each kind of sensor by its own limit. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from hashinsight.edge.normalising import Record
from hashinsight.edge.settings import Protection
from hashinsight.edge.temperatures import MEAN
from hashinsight.facts.temperatures import (
    LimitSource,
    SensorKind,
    find_limits,
    protection_limit_c,
    record_sensor,
    reported_limits,
)

SITE = "site"  # whose limit it is, beside those that `facts.temperatures` knows
ASSUMED = LimitSource.ASSUMED.value


@dataclass(frozen=True)
class Heat:
    temp_c: float
    limit_c: float
    sensor: str
    source: str

    @property
    def is_too_much(self) -> bool:
        """A known limit is reached; an assumed one must be passed."""
        return self.temp_c > self.limit_c if self.source == ASSUMED else self.temp_c >= self.limit_c

    def __str__(self) -> str:
        whose = {SITE: "limit of the site", "machine": "its own limit", ASSUMED: "assumed limit"}
        return f"{self.temp_c:.1f} °C at the {self.sensor}, {whose.get(self.source, 'limit')} {self.limit_c:.1f} °C"


def heat_of(record: Record, settings: Protection) -> Heat | None:
    """At the sensor that is nearest to its limit, or furthest above it. None where no temperature is known."""
    if not record.get("online"):
        return None
    heats = [_heat(record, kind, temp_c, settings) for kind, temp_c in _temperatures(record)]
    return max(heats, key=lambda heat: heat.temp_c - heat.limit_c, default=None)


def must_stop(record: Record, settings: Protection) -> Heat | None:
    """The heat that calls for a stop; a machine that is stopped already only cools down."""
    heat = heat_of(record, settings)
    if heat is None or not heat.is_too_much or record.get("state") == "stopped":
        return None
    return heat


def proves_nothing(record: Record, settings: Protection) -> bool:
    """Below the limit by a mean, which may hide a corner above it, or without any temperature."""
    heat = heat_of(record, settings)
    return heat is None or (not heat.is_too_much and is_mean(record))


def is_mean(record: Record) -> bool:
    """The table that says each corner did not answer this time, or never does."""
    return MEAN in ((record.get("raw_data") or {}).get("flags") or ())


def _temperatures(record: Record) -> Iterator[tuple[SensorKind, float]]:
    kinds = {kind: record.get(f"temp_{kind.value}_max") for kind in SensorKind}
    if all(temp_c is None for temp_c in kinds.values()):
        kinds[record_sensor(record)] = record.get("temp_max")
    for kind, temp_c in kinds.items():
        if temp_c is not None:
            yield kind, float(temp_c)


def _heat(record: Record, kind: SensorKind, temp_c: float, settings: Protection) -> Heat:
    if settings.stop_at_c is not None:
        return Heat(temp_c, settings.stop_at_c, kind.value, SITE)
    limits = find_limits(
        record.get("model"), kind, firmware=record.get("firmware"), reported=reported_limits(record, kind)
    )
    return Heat(temp_c, protection_limit_c(limits, kind), kind.value, limits.source.value)
