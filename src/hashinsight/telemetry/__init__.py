"""Four layers of telemetry: raw, live, five minutes, hourly and daily."""
