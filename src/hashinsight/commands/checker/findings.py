"""Findings of the checker, by name. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from hashinsight.commands.checker.rows import Move, Story


class FindingName(StrEnum):
    # moves of one command
    ILLEGAL_MOVE = "ILLEGAL_MOVE"
    HISTORY_GAP = "HISTORY_GAP"
    FINAL_LEFT = "FINAL_LEFT"
    ROW_DIFFERS = "ROW_DIFFERS"
    IN_TWO_TABLES = "IN_TWO_TABLES"
    COMMAND_LOST = "COMMAND_LOST"
    # one machine
    TWO_ACTIVE = "TWO_ACTIVE"
    # dispatches and acks
    DISPATCH_SHARED = "DISPATCH_SHARED"
    DISPATCH_REUSED = "DISPATCH_REUSED"
    DISPATCH_CHANGED = "DISPATCH_CHANGED"
    STALE_ACK = "STALE_ACK"
    FOREIGN_ACK = "FOREIGN_ACK"
    ACKED_TWICE = "ACKED_TWICE"
    ATTEMPT_DIFFERS = "ATTEMPT_DIFFERS"
    TOO_MANY_ATTEMPTS = "TOO_MANY_ATTEMPTS"
    # leased when not allowed
    LEASED_AFTER_EXPIRY = "LEASED_AFTER_EXPIRY"
    EXTENDED_AFTER_EXPIRY = "EXTENDED_AFTER_EXPIRY"
    LEASED_AFTER_CANCEL = "LEASED_AFTER_CANCEL"
    LEASED_BEFORE_BACKOFF = "LEASED_BEFORE_BACKOFF"
    LEASED_UNAPPROVED = "LEASED_UNAPPROVED"
    # decisions
    APPROVED_BY_REQUESTER = "APPROVED_BY_REQUESTER"
    APPROVED_TOO_LATE = "APPROVED_TOO_LATE"
    APPROVAL_UNRECORDED = "APPROVAL_UNRECORDED"
    SUPERSESSION_BROKEN = "SUPERSESSION_BROKEN"
    INTERRUPTED = "INTERRUPTED"
    # limits
    DEDUPE_BROKEN = "DEDUPE_BROKEN"
    CAP_EXCEEDED = "CAP_EXCEEDED"
    RATE_EXCEEDED = "RATE_EXCEEDED"
    # audit log
    MOVE_UNAUDITED = "MOVE_UNAUDITED"
    ENTRY_WITHOUT_MOVE = "ENTRY_WITHOUT_MOVE"


@dataclass(frozen=True)
class Finding:
    """A guarantee that was broken, and the evidence."""

    name: FindingName
    message: str
    command_id: UUID | None = None
    evidence: dict[str, Any] | None = None

    def shown(self) -> dict[str, Any]:
        command_id = None if self.command_id is None else str(self.command_id)
        return {"name": self.name.value, "command_id": command_id, "message": self.message, "evidence": self.evidence}


def finding(name: FindingName, command_id: UUID, message: str, **evidence: object) -> Finding:
    """With its evidence as JSON values."""
    plain = {
        key: value if value is None or isinstance(value, int | list) else str(value) for key, value in evidence.items()
    }
    return Finding(name, message, command_id, plain)


def finding_at(name: FindingName, story: Story, move: Move, message: str) -> Finding:
    """With the move that broke the guarantee as evidence."""
    return finding(name, story.id, message, n=move.n, event=move.event, at=move.at)
