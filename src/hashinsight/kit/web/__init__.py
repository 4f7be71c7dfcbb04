"""HTTP layer of every request: id, limits, transaction, error format."""
