"""The state machine of a command: states, moves, and the same as SQL. Pure.

The only definition: guarded updates read here which states a move may begin in; the CHECK constraints and the diagram
in docs/commands.md are generated from it, and a test compares all of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class State(StrEnum):
    QUEUED = "queued"  # waits for approval, its turn, a free machine or a poll
    DISPATCHED = "dispatched"  # leased to a collector
    RUNNING = "running"  # the collector reported its start
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELED = "canceled"
    SUPERSEDED = "superseded"


class Event(StrEnum):
    CREATED = "created"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXTENDED = "extended"  # TTL extended for the first time: the site's cap or rate limit holds it in the queue
    LEASED = "leased"
    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    RETRIED = "retried"  # reported failure: queued again under a new dispatch id
    LEASE_LOST = "lease_lost"  # no ack: queued again under the same dispatch id
    CANCEL_REQUESTED = "cancel_requested"
    CANCELED = "canceled"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


class Approval(StrEnum):
    NONE = "none"
    REQUIRED = "required"
    APPROVED = "approved"
    REJECTED = "rejected"


class Priority(StrEnum):
    """Classes, the last goes first. `urgency`, the number on the wire, combines class and priority number."""

    CONVENIENCE = "convenience"
    EFFICIENCY = "efficiency"
    COMPLIANCE = "compliance"
    SAFETY = "safety"


HIGH_CLASSES = (Priority.COMPLIANCE, Priority.SAFETY)  # need the permission for high-risk commands


@dataclass(frozen=True)
class Move:
    begins: tuple[State, ...]
    ends: State | None  # None: the state stays the same


LEASED = (State.DISPATCHED, State.RUNNING)
OPEN = (State.QUEUED, *LEASED)
FINAL = tuple(state for state in State if state not in OPEN)

MOVES: Mapping[Event, Move] = MappingProxyType(
    {
        Event.CREATED: Move((), State.QUEUED),
        Event.APPROVED: Move((State.QUEUED,), State.QUEUED),
        Event.REJECTED: Move((State.QUEUED,), State.CANCELED),
        Event.EXTENDED: Move((State.QUEUED,), State.QUEUED),
        Event.LEASED: Move((State.QUEUED,), State.DISPATCHED),
        Event.STARTED: Move((State.DISPATCHED,), State.RUNNING),
        # also from queued: a late ack, if nothing newer was dispatched since its lease ran out
        Event.SUCCEEDED: Move(OPEN, State.SUCCEEDED),
        Event.FAILED: Move(OPEN, State.FAILED),
        Event.RETRIED: Move(OPEN, State.QUEUED),
        Event.LEASE_LOST: Move(LEASED, State.QUEUED),
        Event.CANCEL_REQUESTED: Move(LEASED, None),
        Event.CANCELED: Move(OPEN, State.CANCELED),
        Event.SUPERSEDED: Move(OPEN, State.SUPERSEDED),
        Event.EXPIRED: Move(OPEN, State.EXPIRED),
    }
)


def ends_in(event: Event, state: State) -> State:
    """The state after a move; ValueError for a move that is not allowed."""
    move = MOVES[event]
    if state not in move.begins:
        raise ValueError(f"{state} cannot be {event}")
    return state if move.ends is None else move.ends


def sql_list(values: Iterable[str]) -> str:
    """For `in (…)`."""
    return ", ".join(f"'{value}'" for value in values)


def sql_begin_states(event: Event) -> str:
    """The states in which a move may begin, for the guard of its UPDATE."""
    return sql_list(MOVES[event].begins)


# CHECK constraints
CHECKS: Mapping[str, str] = MappingProxyType(
    {
        "state": f"state in ({sql_list(State)})",
        "approval_state": f"approval_state in ({sql_list(Approval)})",
        "leased": f"(state in ({sql_list(LEASED)})) = (lease_until is not null)",
        "lease_owner": "(lease_until is null) = (lease_owner is null)",
        "fenced": "lease_until is null or dispatch_id is not null",
        "finished": f"(state in ({sql_list(FINAL)})) = (finished_at is not null)",
        "unapproved": "approval_state <> 'required' or state in ('queued', 'expired', 'canceled', 'superseded')",
        "rejected": "approval_state <> 'rejected' or state = 'canceled'",
        "expires": "expires_at is not null or approval_state in ('required', 'rejected')",
        "superseded": "(state = 'superseded') = (superseded_by is not null)",
        "tried": f"attempt > 0 or state not in ({sql_list((*LEASED, State.SUCCEEDED, State.FAILED))})",
        "ttl": "ttl_sec between 5 and 604800",
        "priority": f"priority in ({sql_list(Priority)})",
        "urgency": f"urgency = (array_position(array[{sql_list(Priority)}], priority) - 1) * 10 + priority_number",
        "priority_number": "priority_number between 0 and 9",
        "verification": "verification in ('pending', 'verified', 'unverified', 'unverifiable')",
    }
)
ACTIVE_CONTROL = f"is_control and state in ({sql_list(LEASED)})"  # unique index: one per machine
READY = "state = 'queued' and approval_state <> 'required'"


def state_diagram() -> str:
    """As a Mermaid diagram, for docs/commands.md. Moves between the same two states share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for event, move in MOVES.items():
        for state in move.begins:
            arrows.setdefault((state, ends_in(event, state)), []).append(event)
    lines = ["stateDiagram-v2", "    [*] --> queued: created"]
    lines += [f"    {start} --> {end}: {', '.join(events)}" for (start, end), events in arrows.items()]
    lines += [f"    {state} --> [*]" for state in FINAL]
    return "\n".join(lines) + "\n"
