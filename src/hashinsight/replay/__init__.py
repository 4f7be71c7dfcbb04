"""Runs the problem cycle over a telemetry file, in memory: what would have been detected, and when."""
