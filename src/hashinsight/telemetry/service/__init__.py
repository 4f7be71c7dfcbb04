"""Acts on telemetry, one file a verb."""
