"""Benchmarks: each measures its own physical limit in the same run. Not part of the wheel."""
