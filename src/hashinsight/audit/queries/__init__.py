"""All SQL of the audit log: its entries, and the seals over them."""
