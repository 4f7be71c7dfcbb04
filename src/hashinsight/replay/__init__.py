"""Stored telemetry through the real pipeline in fast time."""
