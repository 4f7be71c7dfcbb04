"""Dispatches and acks: whether the fence held. Pure."""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from hashinsight.commands.checker.findings import Finding, FindingName, finding
from hashinsight.commands.checker.rows import ACKS, ENDS, Move, Story, StoryGroup
from hashinsight.commands.states import LEASED, Event

_RESULTS: dict[Event, frozenset[str | None]] = {
    Event.LEASED: frozenset({None}),
    Event.STARTED: frozenset({"running"}),
    Event.SUCCEEDED: frozenset({"succeeded"}),
    Event.FAILED: frozenset({"failed", "rejected", "skipped"}),
    Event.RETRIED: frozenset({"failed"}),
    Event.LEASE_LOST: frozenset({"lost"}),
    Event.EXPIRED: frozenset({"lost"}),
    Event.CANCELED: frozenset({"lost"}),
    Event.SUPERSEDED: frozenset({"fenced"}),
}


def check_ids(group: StoryGroup) -> Iterator[Finding]:
    """The same id after a lost lease, a new one after a reported failure, and never the id of another command."""
    owners: dict[UUID, UUID] = {}
    for story in group:
        newest: UUID | None = None
        used: set[UUID] = set()
        for move in story.of(Event.LEASED, Event.RETRIED):
            if move.event is Event.RETRIED:
                newest = None
                continue
            given = move.dispatch_id
            if given is None:
                yield _at(FindingName.DISPATCH_CHANGED, story, move, "leased without a dispatch id")
                continue
            if newest is not None and given != newest:
                yield _at(FindingName.DISPATCH_CHANGED, story, move, "redelivered under another id after a lost lease")
            if newest is None and given in used:
                yield _at(FindingName.DISPATCH_REUSED, story, move, "retried under an old id after a reported failure")
            if owners.setdefault(given, story.id) != story.id:
                yield _at(FindingName.DISPATCH_SHARED, story, move, f"dispatch id of {owners[given]}")
            newest = given
            used.add(given)


def check_fence(group: StoryGroup) -> Iterator[Finding]:
    """An ack moves only the dispatch that it names, only while it is the newest, and ends it once."""
    for story in group:
        newest: UUID | None = None
        ended: set[UUID | None] = set()
        for move in story.moves:
            if move.event is Event.LEASED:
                newest = move.dispatch_id
            if move.event not in ACKS:
                continue
            if newest is None or move.dispatch_id != newest:
                yield _at(FindingName.STALE_ACK, story, move, f"ack of {move.dispatch_id} moved {newest}")
            if move.event in ENDS:
                if move.dispatch_id in ended:
                    yield _at(FindingName.ACKED_TWICE, story, move, "dispatch finished twice")
                ended.add(move.dispatch_id)
            if move.event is Event.RETRIED:
                newest = None


def check_holders(group: StoryGroup) -> Iterator[Finding]:
    """Acked by a collector that held the dispatch; while another holds it, a former holder may only report success."""
    for story in group:
        holders: dict[UUID | None, set[str | None]] = {}
        lease: Move | None = None
        for move in story.moves:
            if move.event is Event.LEASED:
                lease = move
                holders.setdefault(move.dispatch_id, set()).add(move.actor_id)
            elif move.event in ACKS:
                if move.actor_kind != "collector" or move.actor_id not in holders.get(move.dispatch_id, set()):
                    yield _at(
                        FindingName.FOREIGN_ACK, story, move, "acked by a collector that never held this dispatch"
                    )
                elif (
                    lease
                    and move.old_state in LEASED
                    and move.event is not Event.SUCCEEDED
                    and not _is_same_holder(move, lease)
                ):
                    yield _at(
                        FindingName.FOREIGN_ACK, story, move, "former holder moved a command that another collector has"
                    )


def _is_same_holder(ack: Move, lease: Move) -> bool:
    """The same collector, and the same device if both name one."""
    devices = {device for device in (ack.detail("device"), lease.detail("device")) if device is not None}
    return ack.actor_id == lease.actor_id and len(devices) <= 1


def check_attempts(group: StoryGroup) -> Iterator[Finding]:
    """Not leased more often than the retries allow, and one row per dispatch that agrees with the history."""
    for story in group:
        command, leases = story.command, story.of(Event.LEASED)
        if len(leases) > command.max_retries + 1:
            message = "leased more often than allowed"
            yield finding(
                FindingName.TOO_MANY_ATTEMPTS, story.id, message, leases=len(leases), max_retries=command.max_retries
            )
        if command.attempt != len(leases):
            message = "the row has a different number of attempts"
            yield finding(FindingName.ATTEMPT_DIFFERS, story.id, message, attempt=command.attempt, leases=len(leases))
        deliveries = Counter(move.dispatch_id for move in leases)
        rows = {attempt.dispatch_id: attempt for attempt in story.attempts}
        if set(deliveries) - {None} != set(rows):
            message = "dispatches of history and attempts differ"
            history, attempts = sorted(map(str, deliveries)), sorted(map(str, rows))
            yield finding(FindingName.ATTEMPT_DIFFERS, story.id, message, history=history, attempts=attempts)
        for dispatch_id, row in rows.items():
            holders = {UUID(move.actor_id) for move in leases if move.dispatch_id == dispatch_id and move.actor_id}
            if deliveries[dispatch_id] and (row.deliveries != deliveries[dispatch_id] or row.held_by != holders):
                message = "deliveries of the attempt differ"
                yield finding(
                    FindingName.ATTEMPT_DIFFERS, story.id, message, dispatch_id=dispatch_id, deliveries=row.deliveries
                )


def check_results(group: StoryGroup) -> Iterator[Finding]:
    """An attempt's result is that of its last move: no ack wrote to another one."""
    for story in group:
        expected: dict[UUID, frozenset[str | None]] = {}
        for move in story.moves:
            dispatch_id = move.dispatch_id
            has_result = move.event in ACKS or move.event is Event.LEASED or move.old_state in LEASED
            if dispatch_id is not None and has_result and move.event in _RESULTS:
                expected[dispatch_id] = _RESULTS[move.event]
        for row in story.attempts:
            if row.dispatch_id in expected and row.result not in expected[row.dispatch_id]:
                message = "result differs from the history"
                yield finding(
                    FindingName.ATTEMPT_DIFFERS,
                    story.id,
                    message,
                    dispatch_id=row.dispatch_id,
                    result=row.result,
                    expected=sorted(map(str, expected[row.dispatch_id])),
                )


def _at(name: FindingName, story: Story, move: Move, message: str) -> Finding:
    evidence = {"n": move.n, "event": move.event, "dispatch_id": move.dispatch_id, "actor_id": move.actor_id}
    return finding(name, story.id, message, **evidence)
