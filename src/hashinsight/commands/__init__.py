"""Commands: request, approve, arbitrate, lease, ack."""
