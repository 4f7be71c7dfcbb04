"""A simulated operator that lives through the real pipeline."""
