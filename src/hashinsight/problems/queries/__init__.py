"""All SQL of problems."""
