"""All SQL of collectors, by what it is about."""
