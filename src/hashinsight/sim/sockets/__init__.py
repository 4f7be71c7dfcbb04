"""Simulated machines on loopback addresses of their own, each in its maker's protocol on port 4028."""
