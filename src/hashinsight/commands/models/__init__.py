"""The tables of commands: open commands, finished ones, and what is kept of each move, dispatch and decision."""

from hashinsight.commands.models.commands import COLUMNS, COMMANDS, DONE
from hashinsight.commands.models.records import (
    APPROVALS,
    ATTEMPTS,
    BATCHES,
    DEDUPE,
    DEVICES,
    HISTORY,
    KEYS,
    RATES,
    UNAPPROVED,
)

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
