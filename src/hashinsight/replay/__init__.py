"""The registry's cycle over a file, in memory: what would have been found, and when."""
