"""The connection to the cloud: enrolment, uplink, heartbeats."""
