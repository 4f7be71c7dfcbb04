"""The collector's side of the server: uploads, acks, events, heartbeats, remote configuration."""
