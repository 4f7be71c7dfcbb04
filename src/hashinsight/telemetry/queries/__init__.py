"""All SQL of telemetry."""

from hashinsight.telemetry.queries.boards import boards_frame
from hashinsight.telemetry.queries.live import live_frame
from hashinsight.telemetry.queries.sensors import sensors_frame

__all__ = ["boards_frame", "live_frame", "sensors_frame"]
