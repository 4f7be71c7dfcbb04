"""The rows that the checker reads: only what it needs, typed; and settings over time. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from hashinsight.commands.states import FINAL, LEASED, Event, State

T = TypeVar("T")


@dataclass(frozen=True)
class Timeline(Generic[T]):
    """A setting over time. `first` applied before every change; at a change both values count."""

    first: T
    changes: Sequence[tuple[datetime, T]] = ()

    def between(self, begin: datetime, end: datetime) -> list[T]:
        """The values that were in force between `begin` and `end`."""
        current = self.first
        values: list[T] = []
        for at, value in self.changes:
            if at > end:
                break
            if at >= begin:
                values.append(current)
            current = value
        return [*values, current]


ACKS = frozenset({Event.STARTED, Event.SUCCEEDED, Event.FAILED, Event.RETRIED})
ENDS = frozenset({Event.SUCCEEDED, Event.FAILED, Event.RETRIED})  # a dispatch


class Command(msgspec.Struct, frozen=True):
    command_id: UUID
    hot: bool  # in the hot table, not archived
    site_id: int
    miner_no: int
    batch_id: UUID
    command_type: str
    is_control: bool
    priority: str
    emergency: bool
    ttl_sec: int
    approval_state: str
    created_by_kind: str
    created_at: datetime
    state: State
    moves: int
    attempt: int
    max_retries: int
    expires_at: datetime | None = None
    dedupe_key: str | None = None
    approval_until: datetime | None = None
    created_by: str | None = None
    person: str | None = None  # the requester: the user, or who created the API key
    dispatch_id: UUID | None = None
    finished_at: datetime | None = None
    superseded_by: UUID | None = None


class Move(msgspec.Struct, frozen=True):
    """A row of history. `recorded_at` is the database's time: the order in which machines were taken and released."""

    command_id: UUID
    n: int
    at: datetime
    recorded_at: datetime
    event: Event
    new_state: State
    actor_kind: str
    actor_id: str | None = None
    old_state: State | None = None
    details: dict[str, Any] | None = None

    @property
    def dispatch_id(self) -> UUID | None:
        dispatch_id = self.detail("dispatch_id")
        return None if dispatch_id is None else UUID(dispatch_id)

    def detail(self, name: str) -> Any:
        return (self.details or {}).get(name)


class Attempt(msgspec.Struct, frozen=True):
    dispatch_id: UUID
    command_id: UUID
    n: int
    held_by: frozenset[UUID]
    deliveries: int
    result: str | None = None


class Approval(msgspec.Struct, frozen=True):
    batch_id: UUID
    decision: str
    by_kind: str
    at: datetime
    command_id: UUID | None = None
    by_id: str | None = None


class Entry(msgspec.Struct, frozen=True):
    """An audit entry about a command."""

    command_id: UUID
    action: str
    at: datetime
    actor_kind: str
    actor_id: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None

    def after_value(self, name: str) -> Any:
        return (self.after or {}).get(name)


class Lease(msgspec.Struct, frozen=True):
    """A lease of a rate-limited type."""

    command_id: UUID
    site_id: int
    command_type: str
    at: datetime


@dataclass(frozen=True)
class Story:
    """All rows about one command."""

    rows: tuple[Command, ...]  # more than one: it is in both tables
    moves: tuple[Move, ...] = ()  # in order
    attempts: tuple[Attempt, ...] = ()
    approvals: tuple[Approval, ...] = ()  # of its batch
    entries: tuple[Entry, ...] = ()

    @property
    def command(self) -> Command:
        return self.rows[0]

    @property
    def id(self) -> UUID:
        return self.command.command_id

    def of(self, *events: Event) -> list[Move]:
        return [move for move in self.moves if move.event in events]

    @cached_property
    def created(self) -> Entry | None:
        """The audit entry of its creation."""
        return next((entry for entry in self.entries if entry.action == "command_created"), None)

    @property
    def needed_approval(self) -> bool:
        """By the row or by the audit log: changing one of them does not hide it."""
        audited = self.created.after_value("approval_state") if self.created else None
        return self.command.approval_state in ("required", "rejected") or audited == "required"

    @property
    def expires_at(self) -> datetime | None:
        """Computed again: the TTL starts with the approval, if one was needed."""
        begins = [move.at for move in self.of(Event.APPROVED)] or (
            [] if self.needed_approval else [self.command.created_at]
        )
        return begins[0] + timedelta(seconds=self.command.ttl_sec) if begins else None

    @property
    def dedupe_until(self) -> datetime | None:
        until = self.created.after_value("dedupe_until") if self.created else None
        return None if until is None else datetime.fromisoformat(until)

    def occupations(self) -> Iterator[tuple[Move, Move | None]]:
        """Each time it occupied its machine: the lease, and the move that released it; None while it lasts."""
        lease: Move | None = None
        for move in self.moves:
            if move.event is Event.LEASED:
                lease = move
            elif lease is not None and move.new_state not in LEASED:
                yield lease, move
                lease = None
        if lease is not None:
            yield lease, None


@dataclass(frozen=True)
class StoryGroup:
    """Whole stories of some machines, without commands that were never alive between `since` and `until`."""

    stories: Mapping[UUID, Story]
    by_requester: Timeline[bool]  # whether the requester may approve
    since: datetime | None = None
    until: datetime | None = None

    def __iter__(self) -> Iterator[Story]:
        return iter(self.stories.values())

    def covers(self, at: datetime) -> bool:
        """Whether a command of that time must be in the group."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


def is_final(state: State) -> bool:
    return state in FINAL
