"""A simulated fleet with ground-truth labels."""
