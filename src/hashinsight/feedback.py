"""Verifies the effect of every action and calibrates what it learns."""
