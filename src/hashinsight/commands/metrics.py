"""Metrics of commands: dispatches, failures and acks."""

from functools import lru_cache

from prometheus_client import Counter

# names without our prefix: specified like this
DISPATCHED = Counter("commands_dispatched_total", "Commands dispatched to collectors, redeliveries included")
FAILED = Counter("commands_failed_total", "Commands reported as failed, with no retry left")
ACKS = Counter("hashinsight_command_acks_total", "Acks from collectors by outcome", ["outcome"])


@lru_cache(maxsize=256)
def acks(outcome: str | None) -> Counter:
    """Cached: the library takes a lock for every lookup by label."""
    return ACKS.labels(outcome)
