"""A simulated fleet with the truth attached."""
