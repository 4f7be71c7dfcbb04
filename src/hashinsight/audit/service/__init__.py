"""What the audit log does: record entries, seal them, deliver the seals to an anchor, verify the log."""
