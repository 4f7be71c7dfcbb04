"""Commands in the metrics: how many went out, and what became of acks."""

from functools import lru_cache

from prometheus_client import Counter

# without our prefix: these two are promised so
DISPATCHED = Counter("commands_dispatched_total", "Commands handed to collectors, again or for the first time")
FAILED = Counter("commands_failed_total", "Commands that a collector reported as failed for good")
ACKS = Counter("hashinsight_command_acks_total", "Acks of collectors by what they did", ["outcome"])


@lru_cache(maxsize=256)
def acks(outcome: str | None) -> Counter:
    """Found once: the library would look for it under a lock at every call."""
    return ACKS.labels(outcome)
