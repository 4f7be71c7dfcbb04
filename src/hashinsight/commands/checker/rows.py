"""The rows of a run as the checker reads them: only what it needs, each with its types. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec

from hashinsight.commands.checker.timeline import Timeline
from hashinsight.commands.states import FINAL, LEASED, Event, State

ACKS = frozenset({Event.STARTED, Event.SUCCEEDED, Event.FAILED, Event.RETRIED})
ENDS = frozenset({Event.SUCCEEDED, Event.FAILED, Event.RETRIED})  # a dispatch


class Command(msgspec.Struct, frozen=True):
    command_id: UUID
    hot: bool  # in the hot table, not among the finished
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
    person: str | None = None  # behind who asked: the user, or who made the key
    dispatch_id: UUID | None = None
    finished_at: datetime | None = None
    superseded_by: UUID | None = None


class Move(msgspec.Struct, frozen=True):
    """A row of history. `recorded_at` is the database's own time: the order in which machines were taken and freed."""

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
        text = self.says("dispatch_id")
        return None if text is None else UUID(text)

    def says(self, name: str) -> Any:
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
    """One of the audit log, about a command."""

    command_id: UUID
    action: str
    at: datetime
    actor_kind: str
    actor_id: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None

    def after_says(self, name: str) -> Any:
        return (self.after or {}).get(name)


class Handed(msgspec.Struct, frozen=True):
    """One lease of a type that has a rate limit."""

    command_id: UUID
    site_id: int
    command_type: str
    at: datetime


@dataclass(frozen=True)
class Story:
    """All that a run left behind of one command."""

    rows: tuple[Command, ...]  # one, unless it is in both tables
    moves: tuple[Move, ...] = ()  # by their numbers
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
        """What the record says of its making."""
        return next((entry for entry in self.entries if entry.action == "command_created"), None)

    @property
    def needed_approval(self) -> bool:
        """By the row or by the record: whoever changes one of them does not hide it."""
        of_record = self.created.after_says("approval_state") if self.created else None
        return self.command.approval_state in ("required", "rejected") or of_record == "required"

    @property
    def expires_at(self) -> datetime | None:
        """Reckoned anew: the TTL starts with the approval where one was needed."""
        begins = [move.at for move in self.of(Event.APPROVED)] or (
            [] if self.needed_approval else [self.command.created_at]
        )
        return begins[0] + timedelta(seconds=self.command.ttl_sec) if begins else None

    @property
    def dedupe_until(self) -> datetime | None:
        text = self.created.after_says("dedupe_until") if self.created else None
        return None if text is None else datetime.fromisoformat(text)

    def held(self) -> Iterator[tuple[Move, Move | None]]:
        """Each time it held its machine: the lease, and the move that let go; None while it holds it."""
        began: Move | None = None
        for move in self.moves:
            if move.event is Event.LEASED:
                began = move
            elif began is not None and move.new_state not in LEASED:
                yield began, move
                began = None
        if began is not None:
            yield began, None


@dataclass(frozen=True)
class Part:
    """Whole stories of some machines. Commands that were alive at no time between `since` and `until` are not in it."""

    stories: Mapping[UUID, Story]
    by_requester: Timeline[bool]  # whether the one who asked may approve
    since: datetime | None = None
    until: datetime | None = None

    def __iter__(self) -> Iterator[Story]:
        return iter(self.stories.values())

    def covers(self, at: datetime) -> bool:
        """Whether what began then must be here."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


def is_final(state: State) -> bool:
    return state in FINAL
