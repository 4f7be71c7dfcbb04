"""All SQL of telemetry."""

from hashinsight.telemetry.queries.live import boards_frame, live_frame, sensors_frame

__all__ = ["boards_frame", "live_frame", "sensors_frame"]
