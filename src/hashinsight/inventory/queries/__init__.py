"""All SQL of inventory, one file a subject."""
