"""The history checker: guarantees that must hold in every run, checked on the rows that the run left. No database.

It does not trust the services: it walks the history against the table of moves and compares it with commands, attempts,
approvals and audit entries. A guarantee is one function in `CHECKS` that takes whole stories and yields findings.
"""

from collections.abc import Callable, Iterator

from hashinsight.commands.checker import decisions, dispatches, moves
from hashinsight.commands.checker.findings import Finding, FindingName
from hashinsight.commands.checker.limits import CAPPED, Outage, check_caps, check_rates
from hashinsight.commands.checker.rows import (
    Approval,
    Attempt,
    Command,
    Entry,
    Lease,
    Move,
    Story,
    StoryGroup,
    Timeline,
)

CHECKS: tuple[Callable[[StoryGroup], Iterator[Finding]], ...] = (
    moves.check_moves,
    moves.check_numbers,
    moves.check_rows,
    moves.check_machines,
    moves.check_entries,
    dispatches.check_ids,
    dispatches.check_fence,
    dispatches.check_holders,
    dispatches.check_attempts,
    dispatches.check_results,
    decisions.check_leases,
    decisions.check_approved,
    decisions.check_approvers,
    decisions.check_successors,
    decisions.check_predecessors,
    decisions.check_repeated,
)

__all__ = [
    "CAPPED",
    "CHECKS",
    "Approval",
    "Attempt",
    "Command",
    "Entry",
    "Finding",
    "FindingName",
    "Lease",
    "Move",
    "Outage",
    "Story",
    "StoryGroup",
    "Timeline",
    "check",
    "check_caps",
    "check_rates",
]


def check(group: StoryGroup) -> Iterator[Finding]:
    for check_guarantee in CHECKS:
        yield from check_guarantee(group)
