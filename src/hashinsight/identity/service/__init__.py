"""The acts of identity, a file for each kind: signing in, second factor, users, grants, keys."""
