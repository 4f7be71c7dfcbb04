"""The supervised child process that holds the miner library."""
