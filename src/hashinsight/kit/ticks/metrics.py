"""Metrics of the ticks: durations from the workers, the rest from the run table when scraped."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from prometheus_client import Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from hashinsight.kit.ticks.tick import TickHealth

TICK_SECONDS = Histogram(
    "hashinsight_tick_seconds",
    "Duration of tick runs",
    ["tick", "outcome"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
)


def tick_gauges(health: Sequence[TickHealth], now: datetime) -> Iterator[Metric]:
    due = GaugeMetricFamily("hashinsight_tick_due", "Due runs not yet completed", labels=["tick"])
    failed = GaugeMetricFamily("hashinsight_tick_given_up", "Runs given up", labels=["tick"])
    lag = GaugeMetricFamily("hashinsight_tick_lag_seconds", "Age of the oldest due run", labels=["tick"])
    last = GaugeMetricFamily(
        "hashinsight_tick_last_done_timestamp_seconds",
        "Time of the last completed run",
        labels=["tick"],
    )
    for tick in health:
        due.add_metric([tick.tick], tick.due)
        failed.add_metric([tick.tick], tick.failed)
        lag.add_metric([tick.tick], (now - tick.oldest_due).total_seconds() if tick.oldest_due else 0.0)
        if tick.last_done:
            last.add_metric([tick.tick], tick.last_done.timestamp())
    yield from (due, failed, lag, last)
