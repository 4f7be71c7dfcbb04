"""Moves of one command: allowed, without gaps, the same as its row, and each with its audit entry. Pure."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from hashinsight.commands.checker.findings import Finding, FindingName, finding, finding_at
from hashinsight.commands.checker.rows import ACKS, Entry, Move, StoryGroup, is_final
from hashinsight.commands.states import MOVES, Event, State

_ACTIONS = {
    **dict.fromkeys(ACKS, "command_acked"),
    Event.CREATED: "command_created",
    Event.APPROVED: "command_approved",
    Event.REJECTED: "command_rejected",
    Event.EXTENDED: "command_extended",
    Event.LEASED: "command_dispatched",
    Event.LEASE_LOST: "command_lease_lost",
    Event.CANCEL_REQUESTED: "command_cancel_requested",
    Event.CANCELED: "command_canceled",
    Event.SUPERSEDED: "command_superseded",
    Event.EXPIRED: "command_expired",
}
_OF_MOVES = frozenset(_ACTIONS.values())
_NAMES_DISPATCH = frozenset({"command_acked", "command_dispatched"})
_Key = tuple[str, datetime, str, str | None, str, str | None]


def check_moves(group: StoryGroup) -> Iterator[Finding]:
    """Every move is allowed, begins where the last one ended, and no final state is left."""
    for story in group:
        state: State | None = None
        for move in story.moves:
            if move.old_state != state:
                message = f"state was {state}, the transition starts from {move.old_state}"
                yield finding_at(FindingName.ILLEGAL_MOVE, story, move, message)
            if state is not None and is_final(state):
                yield finding_at(FindingName.FINAL_LEFT, story, move, f"final state {state} left by {move.event}")
            elif not _is_legal(move):
                yield finding_at(
                    FindingName.ILLEGAL_MOVE, story, move, f"{move.old_state} → {move.new_state} by {move.event}"
                )
            state = move.new_state


def _is_legal(move: Move) -> bool:
    allowed = MOVES[move.event]
    if move.event is Event.CREATED:
        return move.old_state is None and move.new_state is State.QUEUED
    ends = allowed.ends or move.old_state
    return move.old_state in allowed.begins and move.new_state == ends


def check_numbers(group: StoryGroup) -> Iterator[Finding]:
    """Numbered from one without gaps, as many as the row says."""
    for story in group:
        numbers = [move.n for move in story.moves]
        if numbers != list(range(1, len(numbers) + 1)):
            yield finding(FindingName.HISTORY_GAP, story.id, "transitions are missing or duplicated", numbers=numbers)
        elif story.command.moves != len(numbers):
            message = "the row has a different number of transitions"
            yield finding(FindingName.HISTORY_GAP, story.id, message, moves=story.command.moves, history=len(numbers))


def check_rows(group: StoryGroup) -> Iterator[Finding]:
    """One row, in one table, in the state of its last move; finished if that is final, at its time."""
    for story in group:
        if len(story.rows) > 1:
            yield Finding(FindingName.IN_TWO_TABLES, "both in the hot table and archived", story.id)
        for row in story.rows:
            last = story.moves[-1] if story.moves else None
            if last is None or row.state != last.new_state:
                state = None if last is None else last.new_state
                message = "state differs from the last transition"
                yield finding(FindingName.ROW_DIFFERS, story.id, message, row=row.state, last_move=state)
            elif is_final(row.state) != (row.finished_at is not None) or (row.finished_at or last.at) != last.at:
                message = "finish time differs from the last transition"
                yield finding(
                    FindingName.ROW_DIFFERS, story.id, message, finished_at=row.finished_at, last_move=last.at
                )
            if not row.hot and not is_final(row.state):
                yield Finding(FindingName.ROW_DIFFERS, f"{row.state}, but archived", story.id)


def check_machines(group: StoryGroup) -> Iterator[Finding]:
    """One at a time: a command released its machine, by the database's clock, before the next one was leased.

    The clock is read inside the statements, after the lease has its place in the unique index and before the release
    is committed: a correct order is never reported. Two leases that overlap only between such a release and its commit
    are not seen.
    """
    machines: dict[int, list[tuple[Move, Move | None]]] = {}
    for story in group:
        if story.command.is_control:
            machines.setdefault(story.command.miner_no, []).extend(story.occupations())
    for miner_no, spans in machines.items():
        spans.sort(key=lambda span: span[0].recorded_at)
        for (_, end), (begin, _) in pairwise(_widened(spans)):
            if end is None or end.recorded_at > begin.recorded_at:
                yield finding(
                    FindingName.TWO_ACTIVE,
                    begin.command_id,
                    "leased while another command held the machine",
                    miner_no=miner_no,
                    leased_at=begin.recorded_at,
                    held_by=None if end is None else end.command_id,
                    held_until=None if end is None else end.recorded_at,
                )


def _widened(spans: list[tuple[Move, Move | None]]) -> Iterator[tuple[Move, Move | None]]:
    """With the latest end so far: a long occupation is compared with all that begin within it."""
    latest: Move | None = None
    open_ended = False
    for begin, end in spans:
        if end is None or open_ended:
            open_ended = True
        elif latest is None or end.recorded_at > latest.recorded_at:
            latest = end
        yield begin, None if open_ended else latest


def check_entries(group: StoryGroup) -> Iterator[Finding]:
    """Every move has its audit entry and vice versa, by action, time, actor, state and, for acks, the dispatch."""
    for story in group:
        moves = Counter(map(_key_of_move, story.moves))
        entries = Counter(_key_of_entry(entry) for entry in story.entries if _is_of_move(entry))
        for name, keys, message in (
            (FindingName.MOVE_UNAUDITED, moves - entries, "transition without audit entry"),
            (FindingName.ENTRY_WITHOUT_MOVE, entries - moves, "audit entry without transition"),
        ):
            for action, at, kind, by, state, dispatch_id in keys:
                yield finding(
                    name,
                    story.id,
                    message,
                    action=action,
                    at=at,
                    by=f"{kind} {by}",
                    state=state,
                    dispatch_id=dispatch_id,
                )


def _is_of_move(entry: Entry) -> bool:
    """A repeated `running` moves nothing; arbitration and ignored acks never do."""
    if entry.action == "command_acked" and entry.after_value("status") == "running":
        return (entry.before or {}).get("state") != "running"
    return entry.action in _OF_MOVES


def _key_of_move(move: Move) -> _Key:
    action = _ACTIONS[move.event]
    dispatch_id = str(move.dispatch_id) if action in _NAMES_DISPATCH else None
    return action, move.at, move.actor_kind, move.actor_id, move.new_state.value, dispatch_id


def _key_of_entry(entry: Entry) -> _Key:
    dispatch_id = str(entry.after_value("dispatch_id")) if entry.action in _NAMES_DISPATCH else None
    return entry.action, entry.at, entry.actor_kind, entry.actor_id, str(entry.after_value("state")), dispatch_id
