"""Tests: real PostgreSQL, real Valkey, real sockets on loopback, real processes."""
