"""The tables of commands: a small hot one, the finished ones, and what is kept of each move, dispatch and decision."""

from hashinsight.commands.models.commands import COLUMNS, COMMANDS, DONE
from hashinsight.commands.models.guards import DEDUPE, DEVICES, KEYS, RATES, UNAPPROVED
from hashinsight.commands.models.record import APPROVALS, ATTEMPTS, BATCHES, HISTORY

__all__ = [
    "APPROVALS",
    "ATTEMPTS",
    "BATCHES",
    "COLUMNS",
    "COMMANDS",
    "DEDUPE",
    "DEVICES",
    "DONE",
    "HISTORY",
    "KEYS",
    "RATES",
    "UNAPPROVED",
]
