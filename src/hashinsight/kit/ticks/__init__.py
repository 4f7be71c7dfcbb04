"""Ticks: scheduled work, done exactly once per period, whichever process is killed."""
