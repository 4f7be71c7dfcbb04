"""The life of a command: its states, the moves between them, and the same as text for the database. Pure.

The table below is the only one. The guarded statements ask it which states a move may begin in, the CHECK constraints
and the drawing in docs/commands.md are made from it, and a test holds that all of them say the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class State(StrEnum):
    QUEUED = "queued"  # waits: for approval, its turn, a free machine, a poll
    DISPATCHED = "dispatched"  # leased to a collector
    RUNNING = "running"  # the collector said that it began
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELED = "canceled"
    SUPERSEDED = "superseded"


class Event(StrEnum):
    CREATED = "created"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXTENDED = "extended"  # more time, the first time: its site's cap or rate holds it in the queue
    LEASED = "leased"
    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    RETRIED = "retried"  # a reported failure that may pass: queued again, under a new dispatch id
    LEASE_LOST = "lease_lost"  # nobody acked: queued again, under the same dispatch id
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
    """The last goes first. `urgency` is class and number as one: what the wire carries."""

    CONVENIENCE = "convenience"
    EFFICIENCY = "efficiency"
    COMPLIANCE = "compliance"
    SAFETY = "safety"


HIGH_CLASSES = (Priority.COMPLIANCE, Priority.SAFETY)  # for those who may ask for high risk, as demand response is


@dataclass(frozen=True)
class Move:
    begins: tuple[State, ...]
    ends: State | None  # None: the state stays what it is


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
        # also from the queue: the ack of a lease that ran out, while nothing newer was dispatched
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
    """Where a move leads; ValueError for one that the table does not know."""
    move = MOVES[event]
    if state not in move.begins:
        raise ValueError(f"{state} cannot be {event}")
    return state if move.ends is None else move.ends


def sql_list(words: Iterable[str]) -> str:
    """As SQL: what stands between the brackets of `in (…)`."""
    return ", ".join(f"'{word}'" for word in words)


def sql_begin_states(event: Event) -> str:
    """The states that a move may begin in, for its guard."""
    return sql_list(MOVES[event].begins)


# what every row keeps, whoever writes it
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
ACTIVE_CONTROL = f"is_control and state in ({sql_list(LEASED)})"  # of the unique index: one a machine
READY = "state = 'queued' and approval_state <> 'required'"


def state_diagram() -> str:
    """The table as a Mermaid drawing, for docs/commands.md. Moves that lead the same way share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for event, move in MOVES.items():
        for state in move.begins:
            arrows.setdefault((state, ends_in(event, state)), []).append(event)
    lines = ["stateDiagram-v2", "    [*] --> queued: created"]
    lines += [f"    {start} --> {end}: {', '.join(events)}" for (start, end), events in arrows.items()]
    lines += [f"    {state} --> [*]" for state in FINAL]
    return "\n".join(lines) + "\n"
