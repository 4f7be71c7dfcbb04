"""All SQL of telemetry."""

from hashinsight.telemetry.queries.live import live_frame

__all__ = ["live_frame"]
