"""Leave to act: not handed out after its end or before its approval, and not approved by the one who asked. Pure."""

from collections.abc import Iterator
from datetime import datetime

from hashinsight.commands.catalogue import CATALOGUE, Risk
from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import Move, Part, Story
from hashinsight.commands.states import Event


def check_leases(part: Part) -> Iterator[Finding]:
    """Before its TTL ran out, after its backoff, and not once somebody asked for its cancel."""
    for story in part:
        expires_at, not_before, is_canceling = story.expires_at, None, False
        for move in story.moves:
            if move.event is Event.RETRIED:
                text = move.says("next_attempt_at")
                not_before = None if text is None else datetime.fromisoformat(text)
            if move.event is Event.EXTENDED and move.at >= datetime.fromisoformat(move.says("expired_at")):
                yield _at(Name.EXTENDED_AFTER_EXPIRY, story, move, f"it expired at {move.says('expired_at')}")
            is_canceling = is_canceling or move.event is Event.CANCEL_REQUESTED
            if move.event is not Event.LEASED:
                continue
            if expires_at is not None and move.at >= expires_at:
                yield _at(Name.LEASED_AFTER_EXPIRY, story, move, f"it expired at {expires_at}")
            if not_before is not None and move.at < not_before:
                yield _at(Name.LEASED_BEFORE_BACKOFF, story, move, f"not before {not_before}")
            if is_canceling:
                yield _at(Name.LEASED_AFTER_CANCEL, story, move, "its cancel was requested before")
            not_before = None


def check_approved(part: Part) -> Iterator[Finding]:
    """What needs approval is handed out only behind it; what skipped the wait has its leave on record."""
    for story in part:
        leases, approved = story.of(Event.LEASED), story.of(Event.APPROVED)
        if not leases:
            continue
        if story.needed_approval:
            if not approved or leases[0].n < approved[0].n:
                yield _at(Name.LEASED_UNAPPROVED, story, leases[0], "handed out before it was approved")
        elif story.command.approval_state == "approved":
            if not _has_leave(story):
                yield _at(Name.LEASED_UNAPPROVED, story, leases[0], "approved, and nobody is on record for it")
        elif CATALOGUE[story.command.command_type].risk is Risk.HIGH:
            yield _at(Name.LEASED_UNAPPROVED, story, leases[0], "of high risk, and no approval was asked for")


def _has_leave(story: Story) -> bool:
    return any(one.decision in ("emergency", "pre_approved") for one in story.approvals)


def check_approvers(part: Part) -> Iterator[Finding]:
    """Approver ≠ requester, unless the tenant allowed it then; in time; and each decision is on record."""
    for story in part:
        command = story.command
        for move in story.of(Event.APPROVED, Event.REJECTED):
            recorded = [
                one
                for one in story.approvals
                if one.command_id in (None, story.id)
                and (one.decision, one.at, one.by_kind, one.by_id)
                == (move.event.value, move.at, move.actor_kind, move.actor_id)
            ]
            if not recorded:
                yield _at(Name.APPROVAL_UNRECORDED, story, move, "the decision is not among the approvals")
            if move.event is Event.REJECTED:
                continue
            own = (move.actor_kind, move.actor_id) in (
                (command.created_by_kind, command.created_by),
                ("user", command.person),
            )
            if own and not any(part.by_requester.between(move.at, move.at)):
                yield _at(Name.APPROVED_BY_REQUESTER, story, move, "approved by the one who asked")
            if command.approval_until is not None and move.at >= command.approval_until:
                yield _at(Name.APPROVED_TOO_LATE, story, move, f"it had time until {command.approval_until}")


def _at(name: Name, story: Story, move: Move, message: str) -> Finding:
    return found(name, story.id, message, n=move.n, event=move.event, at=move.at)
