"""The ticks' own metrics: durations from the workers, the rest from the run table when somebody asks."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from prometheus_client import Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from hashinsight.kit.ticks.tick import TickHealth

TICK_SECONDS = Histogram(
    "hashinsight_tick_seconds",
    "How long one run of a tick took",
    ["tick", "outcome"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
)


def tick_gauges(health: Sequence[TickHealth], now: datetime) -> Iterator[Metric]:
    due = GaugeMetricFamily("hashinsight_tick_due", "Runs that are due and not done", labels=["tick"])
    failed = GaugeMetricFamily("hashinsight_tick_given_up", "Runs that were given up", labels=["tick"])
    lag = GaugeMetricFamily(
        "hashinsight_tick_lag_seconds", "Age of the oldest run that is due and not done", labels=["tick"]
    )
    last = GaugeMetricFamily(
        "hashinsight_tick_last_done_timestamp_seconds",
        "When a run of the tick was last done",
        labels=["tick"],
    )
    for one in health:
        due.add_metric([one.tick], one.due)
        failed.add_metric([one.tick], one.failed)
        lag.add_metric([one.tick], (now - one.oldest_due).total_seconds() if one.oldest_due else 0.0)
        if one.last_done:
            last.add_metric([one.tick], one.last_done.timestamp())
    yield from (due, failed, lag, last)
