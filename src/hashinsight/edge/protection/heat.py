"""Whether a machine is too hot (each sensor kind by its own limit), and the history of one that was. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.commands.outcomes import Outcome
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

SITE = "site"  # limit source, besides those of `facts.temperatures`
ASSUMED = LimitSource.ASSUMED.value
STOPPED_REST_SEC = 60.0  # a stopped machine that runs hot again is stopped again, but not faster than this
FAILED_REST_SEC, LONGEST_REST_SEC = 120.0, 3600.0  # after a failed stop; doubles each time
HOTTER_C = 5.0  # if it is this much hotter than at the last try, it is stopped again at once
TRUSTED_MEANS = 3


@dataclass(frozen=True)
class Heat:
    temp_c: float
    limit_c: float
    sensor: str
    source: str

    @property
    def is_too_much(self) -> bool:
        """A known limit counts when reached, an assumed one when exceeded."""
        return self.temp_c > self.limit_c if self.source == ASSUMED else self.temp_c >= self.limit_c

    def __str__(self) -> str:
        limits = {SITE: "site limit", "machine": "its own limit", ASSUMED: "assumed limit"}
        return f"{self.temp_c:.1f} °C at the {self.sensor}, {limits.get(self.source, 'limit')} {self.limit_c:.1f} °C"


def find_heat(record: Record, settings: Protection) -> Heat | None:
    """At the sensor nearest to its limit, or furthest above it. None if no temperature is known."""
    if not record.get("online"):
        return None
    heats = [_heat(record, kind, temp_c, settings) for kind, temp_c in _temperatures(record)]
    return max(heats, key=lambda heat: heat.temp_c - heat.limit_c, default=None)


def must_stop(record: Record, settings: Protection) -> Heat | None:
    """The heat that requires a stop; a stopped machine only has to cool down."""
    heat = find_heat(record, settings)
    if heat is None or not heat.is_too_much or record.get("state") == "stopped":
        return None
    return heat


def is_inconclusive(record: Record, settings: Protection) -> bool:
    """Below the limit by a mean, which may hide a hotter corner, or no temperature at all."""
    heat = find_heat(record, settings)
    return heat is None or (not heat.is_too_much and is_mean(record))


def is_mean(record: Record) -> bool:
    """The table with every corner did not answer this time, or this make has none."""
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


@dataclass(frozen=True)
class StopAttempt:
    heat: Heat
    readings: int
    outcome: Outcome

    def details(self, hold_sec: float | None) -> dict[str, Any]:
        """For its event."""
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
class HeatCase:
    """One machine, from its first stop until it is cool again."""

    tried_at: float = float("-inf")
    tried_c: float = float("-inf")
    rest_sec: float = 0.0
    reported: set[str] = field(default_factory=set)  # outcomes
    unconfirmed: StopAttempt | None = None  # a stop that was sent but not seen yet: it may take effect late
    trusts_means: bool = False  # the machine reports nothing else
    means: int = 0  # in a row, while stopped

    def is_due(self, heat: Heat, now: float) -> bool:
        return now - self.tried_at >= self.rest_sec or heat.temp_c >= self.tried_c + HOTTER_C

    def note_attempt(self, heat: Heat, now: float, *, is_stopped: bool, is_mean: bool) -> None:
        self.trusts_means = is_mean
        self.tried_at, self.tried_c = now, heat.temp_c
        longer = min(max(2 * self.rest_sec, FAILED_REST_SEC), LONGEST_REST_SEC)
        self.rest_sec = STOPPED_REST_SEC if is_stopped else longer

    def watch(self, record: Record) -> None:
        """With every reading. Nothing heats one corner of a stopped machine: several means in a row are trusted."""
        is_stopped = record.get("state") == "stopped" and record.get("temp_max") is not None
        self.means = self.means + 1 if is_stopped and is_mean(record) else 0
        self.trusts_means = self.trusts_means or self.means >= TRUSTED_MEANS

    def trusts(self, record: Record) -> bool:
        """That it is as cool as it reports: a mean does not outweigh the corner that was too hot."""
        return self.trusts_means or not is_mean(record)
