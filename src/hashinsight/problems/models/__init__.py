"""The tables of problems: events as people see them, and what cycles store."""

from hashinsight.problems.models.cycle import FEATURE_CHUNKS, FEATURE_HOURS, PULSE, RUNS, SITES, STATE
from hashinsight.problems.models.events import ENDED_BY_PEOPLE, EVENTS, SUPPRESSED, SUPPRESSIONS, TIMELINE

__all__ = [
    "ENDED_BY_PEOPLE",
    "EVENTS",
    "FEATURE_CHUNKS",
    "FEATURE_HOURS",
    "PULSE",
    "RUNS",
    "SITES",
    "STATE",
    "SUPPRESSED",
    "SUPPRESSIONS",
    "TIMELINE",
]
