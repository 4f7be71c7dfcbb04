"""The problem registry: which machines have a problem, why, what it costs, what to do."""
