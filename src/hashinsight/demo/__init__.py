"""The demo: a simulated operator on the real pipeline."""
