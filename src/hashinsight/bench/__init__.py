"""Checkable figures: each benchmark measures its own physical limit in the same run."""

# their names without what they import: the command line tells them where no server is installed
BENCHMARKS = ("import", "audit", "sim", "ingest", "ingest-soak", "rollup", "edge", "lease", "cycle", "detection", "api")
