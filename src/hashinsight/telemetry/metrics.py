"""What ingest tells Prometheus. The name without our prefix is promised so."""

from prometheus_client import Counter, Histogram

LAG_SECONDS = Histogram(
    "telemetry_ingest_lag_seconds",
    "Age of a batch's newest sample when it was stored",
    buckets=(1, 5, 15, 30, 60, 120, 300, 900, 3600, 14_400, 86_400),
)
SAMPLES = Counter("hashinsight_telemetry_samples_total", "Samples that came in", ["outcome"])
REJECTED = Counter("hashinsight_telemetry_rejected_total", "Samples that were not stored, by reason", ["error_code"])
REFUSED = Counter("hashinsight_telemetry_batches_refused_total", "Batches that were refused as a whole", ["error_code"])
MISCOUNTED = Counter(
    "hashinsight_telemetry_miscounted_total", "Envelopes that held another number of records than they said"
)
BATCH_SECONDS = Histogram(
    "hashinsight_telemetry_batch_seconds",
    "From a batch that has arrived to its commit",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
# which collector's it is stands in the registry: a scrape tells no tenant's ids
CLOCK_SKEW = Histogram(
    "hashinsight_telemetry_clock_skew_seconds",
    "How far collectors' clocks are off, when that changes",
    buckets=(1, 5, 15, 60, 300, 900, 3600),
)
IDENTITY_FAILED = Counter("hashinsight_telemetry_identity_failed_total", "Reports to the inventory that failed")
