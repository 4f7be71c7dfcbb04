"""One example request or more for every operation of the document: importing this package registers them all."""

from tests.isolation.examples import (
    audit,
    collectors,
    commands,
    edge,
    edge_commands,
    inventory,
    miners,
    oneself,
    people,
    problems,
    telemetry,
)
from tests.isolation.examples.people import EXAMPLES

__all__ = [
    "EXAMPLES",
    "audit",
    "collectors",
    "commands",
    "edge",
    "edge_commands",
    "inventory",
    "miners",
    "oneself",
    "people",
    "problems",
    "telemetry",
]
