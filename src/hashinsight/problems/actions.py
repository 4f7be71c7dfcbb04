"""Operators' actions on a problem: the moves they make, and why one is refused. Pure.

open ── acknowledge ──> ack ── start ──> in progress          open, ack, in progress ── resolve ──> resolved
`assign` and `comment` change no status, and work on everything that is shown, also on resolved problems.
"""

from dataclasses import dataclass
from enum import StrEnum

from hashinsight.problems.codes import SHOWN, EventStatus

MAX_BULK_PROBLEMS = 1000


class ProblemAction(StrEnum):
    ACKNOWLEDGE = "acknowledge"
    START = "start"
    ASSIGN = "assign"
    COMMENT = "comment"
    RESOLVE = "resolve"


class ResolutionCause(StrEnum):
    """Why it is resolved. After the first two the machine's baseline starts again."""

    REPAIRED = "repaired"
    REPLACED = "replaced"
    CLEANED = "cleaned"
    RECONFIGURED = "reconfigured"
    FALSE_ALARM = "false_alarm"
    ACCEPTED = "accepted"
    OTHER = "other"


@dataclass(frozen=True)
class ActionMove:
    begins: tuple[EventStatus, ...]
    ends: EventStatus | None  # None: no change
    timeline_kind: str


MOVES: dict[ProblemAction, ActionMove] = {
    ProblemAction.ACKNOWLEDGE: ActionMove((EventStatus.OPEN,), EventStatus.ACK, "acknowledged"),
    ProblemAction.START: ActionMove((EventStatus.OPEN, EventStatus.ACK), EventStatus.IN_PROGRESS, "started"),
    ProblemAction.ASSIGN: ActionMove((*SHOWN, EventStatus.RESOLVED), None, "assigned"),
    ProblemAction.COMMENT: ActionMove((*SHOWN, EventStatus.RESOLVED), None, "comment"),
    ProblemAction.RESOLVE: ActionMove(SHOWN, EventStatus.RESOLVED, "resolved"),
}


@dataclass(frozen=True)
class ActionInput:
    """`assignee` is for assign (None: nobody), `cause` and `action` for resolve."""

    comment: str | None = None
    assignee: str | None = None
    cause: ResolutionCause | None = None
    action: str | None = None


@dataclass(frozen=True)
class ActionRefusal:
    code: str
    reason: str


def find_refusal(
    action: ProblemAction, status: EventStatus, *, assigned_to: str | None, given: ActionInput
) -> ActionRefusal | None:
    """Why the action is refused; None when it is not."""
    if status is EventStatus.PENDING:
        return ActionRefusal("NOT_CONFIRMED", "this problem is not confirmed yet")
    if status is EventStatus.RESOLVED and action not in (ProblemAction.ASSIGN, ProblemAction.COMMENT):
        return ActionRefusal("ALREADY_RESOLVED", "this problem is already resolved")
    if action is ProblemAction.ACKNOWLEDGE and status is not EventStatus.OPEN:
        return ActionRefusal("ALREADY_ACKNOWLEDGED", "this problem is already acknowledged")
    if action is ProblemAction.START and status is EventStatus.IN_PROGRESS:
        return ActionRefusal("ALREADY_STARTED", "work on this problem has already started")
    if action is ProblemAction.ASSIGN and assigned_to == given.assignee:
        return ActionRefusal("ALREADY_ASSIGNED", "this problem already has this assignee")
    return None


def parse_status(word: str) -> EventStatus:
    return EventStatus[word.upper()]


def status_word(status: EventStatus) -> str:
    return status.name.lower()
