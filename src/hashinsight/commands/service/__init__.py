"""Acts on commands, one file a verb's family; those above use these names."""

from hashinsight.commands.service.acking import AckAnswer, ack
from hashinsight.commands.service.deciding import approve, cancel, reject
from hashinsight.commands.service.leasing import Holder, Leased, holder_of, lease, poll
from hashinsight.commands.service.requesting import dry_run, request
from hashinsight.commands.service.returning import Met, meet
from hashinsight.commands.service.telling import list_shown, tell_story
from hashinsight.commands.service.turns import Turns

__all__ = [
    "AckAnswer",
    "Holder",
    "Leased",
    "Met",
    "Turns",
    "ack",
    "approve",
    "cancel",
    "dry_run",
    "holder_of",
    "lease",
    "list_shown",
    "meet",
    "poll",
    "reject",
    "request",
    "tell_story",
]
