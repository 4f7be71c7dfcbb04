"""Dispatches and acks: the fence, read backwards. Pure."""

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import ACKS, ENDS, Move, Part, Story
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


def check_ids(part: Part) -> Iterator[Finding]:
    """The same id when a lease was lost, a new one after a reported failure, and never one that another command had."""
    owners: dict[UUID, UUID] = {}
    for story in part:
        newest: UUID | None = None
        used: set[UUID] = set()
        for move in story.of(Event.LEASED, Event.RETRIED):
            if move.event is Event.RETRIED:
                newest = None
                continue
            given = move.dispatch_id
            if given is None:
                yield _at(Name.DISPATCH_CHANGED, story, move, "leased without a dispatch id")
                continue
            if newest is not None and given != newest:
                yield _at(Name.DISPATCH_CHANGED, story, move, "a lost lease was redelivered under another id")
            if newest is None and given in used:
                yield _at(Name.DISPATCH_REUSED, story, move, "a retry after a reported failure kept an old id")
            if owners.setdefault(given, story.id) != story.id:
                yield _at(Name.DISPATCH_SHARED, story, move, f"{owners[given]} had this dispatch id before")
            newest = given
            used.add(given)


def check_fence(part: Part) -> Iterator[Finding]:
    """An ack moves only the dispatch that it names, only while that is the newest, and ends it once."""
    for story in part:
        newest: UUID | None = None
        ended: set[UUID | None] = set()
        for move in story.moves:
            if move.event is Event.LEASED:
                newest = move.dispatch_id
            if move.event not in ACKS:
                continue
            if newest is None or move.dispatch_id != newest:
                yield _at(Name.STALE_ACK, story, move, f"an ack of {move.dispatch_id} moved {newest}")
            if move.event in ENDS:
                if move.dispatch_id in ended:
                    yield _at(Name.ACKED_TWICE, story, move, "its dispatch had ended before")
                ended.add(move.dispatch_id)
            if move.event is Event.RETRIED:
                newest = None


def check_holders(part: Part) -> Iterator[Finding]:
    """Whoever acked was given that dispatch; while another holds it, a former holder may only have succeeded."""
    for story in part:
        holders: dict[UUID | None, set[str | None]] = {}
        lease: Move | None = None
        for move in story.moves:
            if move.event is Event.LEASED:
                lease = move
                holders.setdefault(move.dispatch_id, set()).add(move.actor_id)
            elif move.event in ACKS:
                if move.actor_kind != "collector" or move.actor_id not in holders.get(move.dispatch_id, set()):
                    yield _at(Name.FOREIGN_ACK, story, move, "acked by somebody who never held this dispatch")
                elif lease and move.old_state in LEASED and move.event is not Event.SUCCEEDED and not _is(move, lease):
                    yield _at(Name.FOREIGN_ACK, story, move, "a former holder moved what another is at")


def _is(ack: Move, lease: Move) -> bool:
    """By the same collector, and by the same device where both name one."""
    devices = {one for one in (ack.says("device"), lease.says("device")) if one is not None}
    return ack.actor_id == lease.actor_id and len(devices) <= 1


def check_attempts(part: Part) -> Iterator[Finding]:
    """Not handed out more often than the retries allow, and one row a dispatch that tells the same as the history."""
    for story in part:
        command, leases = story.command, story.of(Event.LEASED)
        if len(leases) > command.max_retries + 1:
            often = "handed out more often than allowed"
            yield found(Name.TOO_MANY_ATTEMPTS, story.id, often, leases=len(leases), max_retries=command.max_retries)
        if command.attempt != len(leases):
            counted = "the row counts other attempts than there are"
            yield found(Name.ATTEMPT_DIFFERS, story.id, counted, attempt=command.attempt, leases=len(leases))
        deliveries = Counter(move.dispatch_id for move in leases)
        rows = {one.dispatch_id: one for one in story.attempts}
        if set(deliveries) - {None} != set(rows):
            told, kept = sorted(map(str, deliveries)), sorted(map(str, rows))
            message = "dispatches and attempts are not the same"
            yield found(Name.ATTEMPT_DIFFERS, story.id, message, history=told, attempts=kept)
        for dispatch_id, row in rows.items():
            given_to = {UUID(move.actor_id) for move in leases if move.dispatch_id == dispatch_id and move.actor_id}
            if deliveries[dispatch_id] and (row.deliveries != deliveries[dispatch_id] or row.held_by != given_to):
                message = "the attempt tells of other deliveries"
                yield found(Name.ATTEMPT_DIFFERS, story.id, message, dispatch_id=dispatch_id, deliveries=row.deliveries)


def check_results(part: Part) -> Iterator[Finding]:
    """An attempt's result is of the last thing that happened to it: no ack wrote on another one's."""
    for story in part:
        expected: dict[UUID, frozenset[str | None]] = {}
        for move in story.moves:
            dispatch_id = move.dispatch_id
            told = move.event in ACKS or move.event is Event.LEASED or move.old_state in LEASED
            if dispatch_id is not None and told and move.event in _RESULTS:
                expected[dispatch_id] = _RESULTS[move.event]
        for row in story.attempts:
            if row.dispatch_id in expected and row.result not in expected[row.dispatch_id]:
                wanted = sorted(map(str, expected[row.dispatch_id]))
                message = "the attempt's result is not its history's"
                yield found(
                    Name.ATTEMPT_DIFFERS,
                    story.id,
                    message,
                    dispatch_id=row.dispatch_id,
                    result=row.result,
                    expected=wanted,
                )


def _at(name: Name, story: Story, move: Move, message: str) -> Finding:
    of = {"n": move.n, "event": move.event, "dispatch_id": move.dispatch_id, "actor_id": move.actor_id}
    return found(name, story.id, message, **of)
