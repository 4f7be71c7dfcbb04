"""The history checker: what must hold in every run, read from what the run left behind. Judgement only, no database.

It believes nothing that the services believe: it walks the rows of history against the table of moves and compares
them with the commands, the attempts, the approvals and the record. A guarantee is one function in `CHECKS`; it takes
whole stories and yields what is wrong with them.
"""

from hashinsight.commands.checker.caps import CAPPED, Outage, check_caps
from hashinsight.commands.checker.findings import Finding, Name
from hashinsight.commands.checker.judging import CHECKS, check
from hashinsight.commands.checker.rates import check_rates
from hashinsight.commands.checker.rows import Approval, Attempt, Command, Entry, Handed, Move, Part, Story
from hashinsight.commands.checker.timeline import Timeline

__all__ = [
    "CAPPED",
    "CHECKS",
    "Approval",
    "Attempt",
    "Command",
    "Entry",
    "Finding",
    "Handed",
    "Move",
    "Name",
    "Outage",
    "Part",
    "Story",
    "Timeline",
    "check",
    "check_caps",
    "check_rates",
]
