"""Answers of the routes about telemetry."""
