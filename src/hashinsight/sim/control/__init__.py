"""The control API of a simulator that runs: what was injected is the truth, and it can be asked for."""
