"""Checkable figures: each benchmark measures its own physical limit in the same run."""
