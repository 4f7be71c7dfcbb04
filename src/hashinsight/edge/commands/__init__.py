"""Commands from the cloud: admission, execution on one machine, confirmation, acks."""
