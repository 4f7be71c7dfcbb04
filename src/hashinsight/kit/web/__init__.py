"""What every request meets: its id, its limits, its transaction, and the one form of an error."""
