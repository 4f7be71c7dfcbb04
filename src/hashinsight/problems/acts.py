"""What people do with a problem, from where to where, and why not: pure.

open ── acknowledge ──> ack ── start ──> in progress          open, ack, in progress ── resolve ──> resolved
`assign` and `comment` move nothing, and are open to everything that is shown, resolved problems too.
"""

from dataclasses import dataclass
from enum import StrEnum

from hashinsight.problems.codes import EventStatus

MOST_AT_ONCE = 1000


class Act(StrEnum):
    ACKNOWLEDGE = "acknowledge"
    START = "start"
    ASSIGN = "assign"
    COMMENT = "comment"
    RESOLVE = "resolve"


class Cause(StrEnum):
    """Why it is over. After the first two the machine is another one: its baseline begins anew."""

    REPAIRED = "repaired"
    REPLACED = "replaced"
    CLEANED = "cleaned"
    RECONFIGURED = "reconfigured"
    FALSE_ALARM = "false_alarm"
    ACCEPTED = "accepted"
    OTHER = "other"


@dataclass(frozen=True)
class Move:
    begins: tuple[EventStatus, ...]
    ends: EventStatus | None  # None: it stays where it is
    told: str  # the kind of its entry in the timeline


_SHOWN = (EventStatus.OPEN, EventStatus.ACK, EventStatus.IN_PROGRESS)
MOVES: dict[Act, Move] = {
    Act.ACKNOWLEDGE: Move((EventStatus.OPEN,), EventStatus.ACK, "acknowledged"),
    Act.START: Move((EventStatus.OPEN, EventStatus.ACK), EventStatus.IN_PROGRESS, "started"),
    Act.ASSIGN: Move((*_SHOWN, EventStatus.RESOLVED), None, "assigned"),
    Act.COMMENT: Move((*_SHOWN, EventStatus.RESOLVED), None, "comment"),
    Act.RESOLVE: Move(_SHOWN, EventStatus.RESOLVED, "resolved"),
}


@dataclass(frozen=True)
class Said:
    """What comes with an act: `assignee` with assign (None: nobody), `cause` and `action` with resolve."""

    comment: str | None = None
    assignee: str | None = None
    cause: Cause | None = None
    action: str | None = None


@dataclass(frozen=True)
class Refused:
    code: str
    reason: str


def refusal(act: Act, status: EventStatus, *, assigned_to: str | None, said: Said) -> Refused | None:
    """Why the act changes nothing; None when it may go on."""
    if status is EventStatus.PENDING:
        return Refused("NOT_CONFIRMED", "it was seen once and is not confirmed yet")
    if status is EventStatus.RESOLVED and act not in (Act.ASSIGN, Act.COMMENT):
        return Refused("ALREADY_RESOLVED", "it is resolved already")
    if act is Act.ACKNOWLEDGE and status is not EventStatus.OPEN:
        return Refused("ALREADY_ACKNOWLEDGED", "somebody has taken it already")
    if act is Act.START and status is EventStatus.IN_PROGRESS:
        return Refused("ALREADY_STARTED", "somebody works on it already")
    if act is Act.ASSIGN and assigned_to == said.assignee:
        return Refused("ALREADY_ASSIGNED", "it is assigned so already")
    return None


def status_of(word: str) -> EventStatus:
    return EventStatus[word.upper()]


def word_of(status: EventStatus) -> str:
    return status.name.lower()
