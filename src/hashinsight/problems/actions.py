"""What people do with a problem, from where to where, and why not: pure.

open ── acknowledge ──> ack ── start ──> in progress          open, ack, in progress ── resolve ──> resolved
`assign` and `comment` move nothing, and are open to everything that is shown, resolved problems too.
"""

from dataclasses import dataclass
from enum import StrEnum

from hashinsight.problems.codes import EventStatus

MAX_BULK_PROBLEMS = 1000


class ProblemAction(StrEnum):
    ACKNOWLEDGE = "acknowledge"
    START = "start"
    ASSIGN = "assign"
    COMMENT = "comment"
    RESOLVE = "resolve"


class ResolutionCause(StrEnum):
    """Why it is over. After the first two the machine is another one: its baseline begins anew."""

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
    ends: EventStatus | None  # None: it stays where it is
    timeline_kind: str


_SHOWN = (EventStatus.OPEN, EventStatus.ACK, EventStatus.IN_PROGRESS)
MOVES: dict[ProblemAction, ActionMove] = {
    ProblemAction.ACKNOWLEDGE: ActionMove((EventStatus.OPEN,), EventStatus.ACK, "acknowledged"),
    ProblemAction.START: ActionMove((EventStatus.OPEN, EventStatus.ACK), EventStatus.IN_PROGRESS, "started"),
    ProblemAction.ASSIGN: ActionMove((*_SHOWN, EventStatus.RESOLVED), None, "assigned"),
    ProblemAction.COMMENT: ActionMove((*_SHOWN, EventStatus.RESOLVED), None, "comment"),
    ProblemAction.RESOLVE: ActionMove(_SHOWN, EventStatus.RESOLVED, "resolved"),
}


@dataclass(frozen=True)
class ActionInput:
    """What comes with an act: `assignee` with assign (None: nobody), `cause` and `action` with resolve."""

    comment: str | None = None
    assignee: str | None = None
    cause: ResolutionCause | None = None
    action: str | None = None


@dataclass(frozen=True)
class ActionRefusal:
    code: str
    reason: str


def find_refusal(
    act: ProblemAction, status: EventStatus, *, assigned_to: str | None, said: ActionInput
) -> ActionRefusal | None:
    """Why the act changes nothing; None when it may go on."""
    if status is EventStatus.PENDING:
        return ActionRefusal("NOT_CONFIRMED", "it was seen once and is not confirmed yet")
    if status is EventStatus.RESOLVED and act not in (ProblemAction.ASSIGN, ProblemAction.COMMENT):
        return ActionRefusal("ALREADY_RESOLVED", "it is resolved already")
    if act is ProblemAction.ACKNOWLEDGE and status is not EventStatus.OPEN:
        return ActionRefusal("ALREADY_ACKNOWLEDGED", "somebody has taken it already")
    if act is ProblemAction.START and status is EventStatus.IN_PROGRESS:
        return ActionRefusal("ALREADY_STARTED", "somebody works on it already")
    if act is ProblemAction.ASSIGN and assigned_to == said.assignee:
        return ActionRefusal("ALREADY_ASSIGNED", "it is assigned so already")
    return None


def parse_status(word: str) -> EventStatus:
    return EventStatus[word.upper()]


def status_word(status: EventStatus) -> str:
    return status.name.lower()
