"""The registry of collectors: enrolment, tokens, heartbeats, configuration."""
