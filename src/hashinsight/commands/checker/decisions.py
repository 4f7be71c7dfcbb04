"""Decisions: leased only while allowed, approved by another person, superseded by rank, deduplicated. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from hashinsight.commands.catalogue import CATALOGUE, Risk
from hashinsight.commands.checker.findings import Finding, FindingName, finding, finding_at
from hashinsight.commands.checker.rows import Move, Story, StoryGroup
from hashinsight.commands.states import LEASED, Event, Priority

_RETURNS = (Event.RETRIED, Event.LEASE_LOST)
_RANKS = {priority.value: rank for rank, priority in enumerate(Priority)}


def check_leases(group: StoryGroup) -> Iterator[Finding]:
    """Leased before its TTL ran out, after its backoff, and not after its cancel was requested."""
    for story in group:
        expires_at, not_before, is_canceling = story.expires_at, None, False
        for move in story.moves:
            if move.event is Event.RETRIED:
                retry_at = move.detail("next_attempt_at")
                not_before = None if retry_at is None else datetime.fromisoformat(retry_at)
            if move.event is Event.EXTENDED and move.at >= datetime.fromisoformat(move.detail("expired_at")):
                yield finding_at(
                    FindingName.EXTENDED_AFTER_EXPIRY, story, move, f"expired at {move.detail('expired_at')}"
                )
            is_canceling = is_canceling or move.event is Event.CANCEL_REQUESTED
            if move.event is not Event.LEASED:
                continue
            if expires_at is not None and move.at >= expires_at:
                yield finding_at(FindingName.LEASED_AFTER_EXPIRY, story, move, f"expired at {expires_at}")
            if not_before is not None and move.at < not_before:
                yield finding_at(FindingName.LEASED_BEFORE_BACKOFF, story, move, f"not before {not_before}")
            if is_canceling:
                yield finding_at(FindingName.LEASED_AFTER_CANCEL, story, move, "cancel requested before")
            not_before = None


def check_approved(group: StoryGroup) -> Iterator[Finding]:
    """Leased only after a needed approval; a skipped approval has its reason on record."""
    for story in group:
        leases, approved = story.of(Event.LEASED), story.of(Event.APPROVED)
        if not leases:
            continue
        if story.needed_approval:
            if not approved or leases[0].n < approved[0].n:
                yield finding_at(FindingName.LEASED_UNAPPROVED, story, leases[0], "leased before approval")
        elif story.command.approval_state == "approved":
            if not _skipped_approval(story):
                yield finding_at(FindingName.LEASED_UNAPPROVED, story, leases[0], "no approval on record")
        elif CATALOGUE[story.command.command_type].risk is Risk.HIGH:
            yield finding_at(FindingName.LEASED_UNAPPROVED, story, leases[0], "high risk without approval")


def _skipped_approval(story: Story) -> bool:
    return any(approval.decision in ("emergency", "pre_approved") for approval in story.approvals)


def check_approvers(group: StoryGroup) -> Iterator[Finding]:
    """Approver ≠ requester, unless the tenant allowed it then; in time; each decision is on record."""
    for story in group:
        command = story.command
        for move in story.of(Event.APPROVED, Event.REJECTED):
            recorded = [
                approval
                for approval in story.approvals
                if approval.command_id in (None, story.id)
                and (approval.decision, approval.at, approval.by_kind, approval.by_id)
                == (move.event.value, move.at, move.actor_kind, move.actor_id)
            ]
            if not recorded:
                yield finding_at(FindingName.APPROVAL_UNRECORDED, story, move, "decision is not among the approvals")
            if move.event is Event.REJECTED:
                continue
            own = (move.actor_kind, move.actor_id) in (
                (command.created_by_kind, command.created_by),
                ("user", command.person),
            )
            if own and not any(group.by_requester.between(move.at, move.at)):
                yield finding_at(FindingName.APPROVED_BY_REQUESTER, story, move, "approved by the requester")
            if command.approval_until is not None and move.at >= command.approval_until:
                yield finding_at(
                    FindingName.APPROVED_TOO_LATE, story, move, f"approval was due by {command.approval_until}"
                )


def check_successors(group: StoryGroup) -> Iterator[Finding]:
    """Both commands of a supersession agree on time and machine; only emergencies supersede a leased one."""
    for story in group:
        for move in story.of(Event.SUPERSEDED):
            named = move.detail("superseded_by")
            by = group.stories.get(UUID(named)) if named else None
            if str(story.command.superseded_by) != str(named):
                yield _broken(story, f"row: {story.command.superseded_by}, history: {named}")
            if by is None:
                if group.covers(move.at):
                    yield _broken(story, f"successor {named} does not exist")
                continue
            returned = _returned_to_queue(story, move)
            # The ack that returned it may have been read before its successor was requested, and have waited for the
            # lock: then only the database's clock tells that the successor was there first.
            was_there = bool(by.moves) and by.moves[0].recorded_at <= move.recorded_at
            was_first = by.command.created_at <= move.at or was_there
            is_of_its_time = was_first if returned else by.command.created_at == move.at
            if by.command.miner_no != story.command.miner_no or not is_of_its_time:
                yield _broken(story, f"{named} has a different machine or time")
            if not returned and str(story.id) not in _displaced(by):
                yield _broken(story, f"{named} does not list it as superseded")
            yield from _outranked(story, by, is_leased=move.old_state in LEASED)
        if story.command.superseded_by is not None and not story.of(Event.SUPERSEDED):
            yield _broken(story, "the row has a successor, the history does not")


def _returned_to_queue(story: Story, move: Move) -> bool:
    """At that moment to the queue, where its successor already was: requested while it could not be displaced."""
    before = next((other for other in story.moves if other.n == move.n - 1), None)
    return before is not None and before.event in _RETURNS and before.at == move.at


def check_predecessors(group: StoryGroup) -> Iterator[Finding]:
    for story in group:
        for named in _displaced(story):
            old = group.stories.get(UUID(named))
            if old is None:
                if group.covers(story.command.created_at):
                    yield _broken(story, f"superseded {named}, which does not exist")
            elif old.command.superseded_by != story.id:
                yield _broken(story, f"superseded {named}, which does not name it")


def _outranked(old: Story, new: Story, *, is_leased: bool) -> Iterator[Finding]:
    """By class or as a safety emergency; a leased command only by the latter."""
    interrupts = new.command.emergency and new.command.priority == Priority.SAFETY.value
    if not interrupts and (is_leased or _RANKS[new.command.priority] <= _RANKS[old.command.priority]):
        message, priorities = (
            "superseded by a command that does not outrank it",
            [old.command.priority, new.command.priority],
        )
        yield finding(FindingName.INTERRUPTED, old.id, message, by=new.id, priorities=priorities)


def _displaced(story: Story) -> list[str]:
    return [command_id for move in story.of(Event.CREATED) for command_id in move.detail("superseded") or ()]


def check_repeated(group: StoryGroup) -> Iterator[Finding]:
    """One command per machine and requester for a dedupe key within its window. The audit log has the windows."""
    made: dict[tuple[str, int, str, str | None], list[Story]] = defaultdict(list)
    for story in group:
        command = story.command
        if command.dedupe_key is not None:
            by = (command.created_by_kind, command.created_by) if command.person is None else ("user", command.person)
            made[command.dedupe_key, command.miner_no, *by].append(story)
    for (key, miner_no, *_), stories in made.items():
        stories.sort(key=lambda story: story.command.created_at)
        for first, second in pairwise(stories):
            until = first.dedupe_until
            if until is not None and second.command.created_at < until:
                yield finding(
                    FindingName.DEDUPE_BROKEN,
                    second.id,
                    "created again within the window of its key",
                    dedupe_key=key,
                    miner_no=miner_no,
                    first=first.id,
                    until=until,
                )


def _broken(story: Story, message: str) -> Finding:
    return Finding(FindingName.SUPERSESSION_BROKEN, message, story.id)
