"""A typed client of the public API."""
