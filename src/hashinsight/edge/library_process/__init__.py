"""The child process that talks to machines (asic-rs and plain clients), and the parent's handle on it.

Parent: `reader`, `process`. Both: `messages`. Everything else runs only in the child.
"""
