"""One function per action; one file per subject."""

from hashinsight.commands.service.acks import AckResult, ack
from hashinsight.commands.service.approvals import approve, cancel, reject
from hashinsight.commands.service.devices import KnownIncarnations, PollTurns, note_incarnation
from hashinsight.commands.service.leases import LeasedCommand, LeaseHolder, lease, lease_holder, poll
from hashinsight.commands.service.requests import dry_run, request
from hashinsight.commands.service.stories import get_command, get_story, list_commands

__all__ = [
    "AckResult",
    "KnownIncarnations",
    "LeaseHolder",
    "LeasedCommand",
    "PollTurns",
    "ack",
    "approve",
    "cancel",
    "dry_run",
    "get_command",
    "get_story",
    "lease",
    "lease_holder",
    "list_commands",
    "note_incarnation",
    "poll",
    "reject",
    "request",
]
