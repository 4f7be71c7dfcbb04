"""Ticks: work that is due at set times, done exactly once per period, whoever is killed meanwhile."""
