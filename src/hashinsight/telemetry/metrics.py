"""Prometheus metrics of ingest. The name without our prefix is part of the specification."""

from prometheus_client import Counter, Histogram

LAG_SECONDS = Histogram(
    "telemetry_ingest_lag_seconds",
    "Age of the newest sample of a batch when it was stored",
    buckets=(1, 5, 15, 30, 60, 120, 300, 900, 3600, 14_400, 86_400),
)
SAMPLES = Counter("hashinsight_telemetry_samples_total", "Samples received", ["outcome"])
REJECTED = Counter("hashinsight_telemetry_rejected_total", "Samples rejected, by reason", ["error_code"])
REFUSED = Counter("hashinsight_telemetry_batches_refused_total", "Batches refused as a whole", ["error_code"])
MISCOUNTED = Counter("hashinsight_telemetry_miscounted_total", "Envelopes whose record_count did not match")
BATCH_SECONDS = Histogram(
    "hashinsight_telemetry_batch_seconds",
    "Time from the arrival of a batch to its commit",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
# no collector label: a scrape must not show tenants' ids
CLOCK_SKEW = Histogram(
    "hashinsight_telemetry_clock_skew_seconds",
    "Clock skew of collectors, when it changes",
    buckets=(1, 5, 15, 60, 300, 900, 3600),
)
IDENTITY_FAILED = Counter(
    "hashinsight_telemetry_identity_failed_total", "Identity reports to the inventory that failed"
)
