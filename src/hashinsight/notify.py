"""Notices: rationed, grouped, delivered from an outbox."""
