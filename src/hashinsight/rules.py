"""Operators' rules: conditions on telemetry that request commands."""
