"""How old data may be: live, stale or offline by the collection interval; when a collector counts as silent. Pure.

The live API, the rollups, the problem cycle, the collector registry and the console all read these thresholds.
"""

from dataclasses import dataclass

STALE_INTERVALS = 3
OFFLINE_INTERVALS = 5
SILENT_INTERVALS = 3
MAX_INTERVAL_SEC = 86_400  # longest collection or heartbeat interval that can be set
DEFAULT_INTERVAL_SEC = 60  # of a new collector; also for a machine whose collector is not known yet
# the live layer is rolled up once a minute: its newest sample may be that old however fast a collector reads
SHORTEST_INTERVAL_SEC = 60


@dataclass(frozen=True)
class Freshness:
    """Ages in seconds: older than `stale_sec` is stale, `offline_sec` or older is offline."""

    stale_sec: float
    offline_sec: float


def freshness(interval_sec: float | None) -> Freshness:
    """By the collection interval: 180 s and 300 s at 60 s. A machine without a known interval gets the default."""
    counted_sec = float(max(DEFAULT_INTERVAL_SEC if interval_sec is None else interval_sec, SHORTEST_INTERVAL_SEC))
    return Freshness(STALE_INTERVALS * counted_sec, OFFLINE_INTERVALS * counted_sec)


def silence_limit_sec(heartbeat_interval_sec: int, collection_interval_sec: int) -> int:
    """A collector that has not been heard for longer than this is offline. The sweeps compute the same in SQL."""
    return SILENT_INTERVALS * max(heartbeat_interval_sec, collection_interval_sec)
