"""Who may do what: users, roles, grants, keys, scopes."""
