"""Every move has its entry in the record, and every entry of a move its move. Pure."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import ACKS, Entry, Move, Part
from hashinsight.commands.states import Event

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


def check_entries(part: Part) -> Iterator[Finding]:
    """Compared by what was done, when, by whom, where it led and, of dispatches and acks, which one."""
    for story in part:
        moves = Counter(map(_key_of_move, story.moves))
        entries = Counter(_key_of_entry(entry) for entry in story.entries if _is_of_move(entry))
        for name, keys, message in (
            (Name.MOVE_UNAUDITED, moves - entries, "a move without its entry in the record"),
            (Name.ENTRY_WITHOUT_MOVE, entries - moves, "an entry of a move that the history does not have"),
        ):
            for action, at, kind, by, state, dispatch_id in keys:
                by_whom = f"{kind} {by}"
                yield found(
                    name, story.id, message, action=action, at=at, by=by_whom, state=state, dispatch_id=dispatch_id
                )


def _is_of_move(entry: Entry) -> bool:
    """A second `running` is applied and moves nothing; arbitration and ignored acks never move."""
    if entry.action == "command_acked" and entry.after_says("status") == "running":
        return (entry.before or {}).get("state") != "running"
    return entry.action in _OF_MOVES


def _key_of_move(move: Move) -> _Key:
    action = _ACTIONS[move.event]
    dispatch_id = str(move.dispatch_id) if action in _NAMES_DISPATCH else None
    return action, move.at, move.actor_kind, move.actor_id, move.new_state.value, dispatch_id


def _key_of_entry(entry: Entry) -> _Key:
    dispatch_id = str(entry.after_says("dispatch_id")) if entry.action in _NAMES_DISPATCH else None
    return entry.action, entry.at, entry.actor_kind, entry.actor_id, str(entry.after_says("state")), dispatch_id
