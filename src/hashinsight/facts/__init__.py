"""Data only: machine models, ratings, temperature limits."""
