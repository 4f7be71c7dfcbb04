"""Control API of a running simulator: inject faults, send commands, read the true episodes."""
