"""Whether a machine is too hot: each kind of sensor by its own limit. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.commands.executor import Outcome
from hashinsight.edge.readings.record import Record
from hashinsight.edge.readings.temperatures import MEAN
from hashinsight.edge.settings import Protection
from hashinsight.facts.temperatures import (
    LimitSource,
    SensorKind,
    find_limits,
    find_reported_limits,
    protection_limit_c,
    record_sensor,
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
        record.get("model"), kind, firmware=record.get("firmware"), reported=find_reported_limits(record, kind)
    )
    return Heat(temp_c, protection_limit_c(limits, kind), kind.value, limits.source.value)


STOPPED_REST_SEC = 60.0  # a machine that runs hot again although it was stopped is stopped again, not faster than this
FAILED_REST_SEC, LONGEST_REST_SEC = 120.0, 3600.0  # after a stop that failed; doubles with every further one
HOTTER_C = 5.0  # so much hotter than at the last try, it is tried again at once
MEANS_BELIEVED = 3


@dataclass(frozen=True)
class Sent:
    heat: Heat
    readings: int
    outcome: Outcome

    def details(self, hold_sec: float | None) -> dict[str, Any]:
        """Of its report."""
        return {
            "action": "disable",
            "status": self.outcome.status.value,
            "error_code": self.outcome.error_code,
            "temp_c": self.heat.temp_c,
            "limit_c": self.heat.limit_c,
            "limit_source": self.heat.source,
            "sensor": self.heat.sensor,
            "readings": self.readings,
            "hold_sec": hold_sec,
            "confirmed": (self.outcome.result or {}).get("confirmed"),
            "before": self.outcome.before,
            "after": self.outcome.after,
        }


@dataclass
class Case:
    """One machine from its first stop until it is cool again."""

    tried_at: float = float("-inf")
    tried_c: float = float("-inf")
    rest_sec: float = 0.0
    told: set[str] = field(default_factory=set)  # outcomes that were reported
    sent: "Sent | None" = None  # a stop that was ordered and not seen yet: it may take effect late
    rests_on_means: bool = False  # all that this machine gives
    means: int = 0  # in a row, while it is stopped

    def is_due(self, heat: Heat, now: float) -> bool:
        return now - self.tried_at >= self.rest_sec or heat.temp_c >= self.tried_c + HOTTER_C

    def note(self, heat: Heat, now: float, *, is_stopped: bool, is_mean: bool) -> None:
        self.rests_on_means = is_mean
        self.tried_at, self.tried_c = now, heat.temp_c
        longer = min(max(2 * self.rest_sec, FAILED_REST_SEC), LONGEST_REST_SEC)
        self.rest_sec = STOPPED_REST_SEC if is_stopped else longer

    def watch(self, record: Record) -> None:
        """With every reading. Nothing heats one corner of a stopped machine: some means in a row are believed."""
        is_at_rest = record.get("state") == "stopped" and record.get("temp_max") is not None
        self.means = self.means + 1 if is_at_rest and is_mean(record) else 0
        self.rests_on_means = self.rests_on_means or self.means >= MEANS_BELIEVED

    def believes(self, record: Record) -> bool:
        """That it is as cool as it says: a mean does not outweigh the corner that was too hot."""
        return self.rests_on_means or not is_mean(record)
