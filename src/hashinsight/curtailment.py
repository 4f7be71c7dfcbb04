"""Demand response: shedding and restoring load, with proof."""
