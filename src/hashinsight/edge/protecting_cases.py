"""One machine that was too hot: when its stop is tried again, what was reported, and which readings end it. Pure."""

from dataclasses import dataclass, field
from typing import Any

from hashinsight.edge.executing import Outcome
from hashinsight.edge.normalising import Record
from hashinsight.edge.protecting_heat import Heat, is_mean

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
