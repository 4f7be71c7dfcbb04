"""What the collector keeps on disk: spool, journal, settings."""
