"""All SQL of the audit log."""
