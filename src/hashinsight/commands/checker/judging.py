"""All guarantees, one function each. Pure."""

from collections.abc import Callable, Iterator

from hashinsight.commands.checker import dispatches, leave, life, links, record
from hashinsight.commands.checker.findings import Finding
from hashinsight.commands.checker.rows import Part

CHECKS: tuple[Callable[[Part], Iterator[Finding]], ...] = (
    life.check_moves,
    life.check_numbers,
    life.check_rows,
    life.check_machines,
    dispatches.check_ids,
    dispatches.check_fence,
    dispatches.check_holders,
    dispatches.check_attempts,
    dispatches.check_results,
    leave.check_leases,
    leave.check_approved,
    leave.check_approvers,
    links.check_successors,
    links.check_predecessors,
    links.check_repeated,
    record.check_entries,
)


def check(part: Part) -> Iterator[Finding]:
    for judge in CHECKS:
        yield from judge(part)
