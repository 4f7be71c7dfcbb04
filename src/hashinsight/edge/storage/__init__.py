"""What survives a restart or a power cut: SQLite spool and journal, small state files."""
