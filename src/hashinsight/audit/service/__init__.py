"""Acts on the audit log: entries, delivery, sealing, verification."""
