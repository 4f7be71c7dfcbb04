"""Ack: results that collectors report, many per call, each judged on its own under the command's lock."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands.ack_messages import ack_columns, ack_payload
from hashinsight.commands.acks import AckVerdict, DispatchFacts, judge_ack
from hashinsight.commands.limits import LEASE
from hashinsight.commands.queries import acks as queries
from hashinsight.commands.service.expectations import DispatchedCommand, expect_ended
from hashinsight.commands.service.leases import LeaseHolder
from hashinsight.commands.service.queue import rearbitrate
from hashinsight.commands.states import LEASED, Event, State, ends_in
from hashinsight.kit.db.context import Context
from hashinsight.kit.ids import new_ids
from hashinsight.wire.acks import Ack, AckStatus
from hashinsight.wire.times import write_time


class AckResult(NamedTuple):
    """`found` False: no such dispatch at this site; routes answer 404."""

    dispatch_id: str
    found: bool
    applied: bool = False
    state: State | None = None
    error_code: str | None = None
    command_id: UUID | None = None


@dataclass
class _Writes:
    """What a call will write. A round has each command at most once."""

    rounds: list[list[dict[str, Any]]] = field(default_factory=list)
    late: dict[UUID, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    entries: list[Entry] = field(default_factory=list)
    ended: list[tuple[DispatchedCommand, Event]] = field(default_factory=list)

    def returned(self) -> dict[UUID, int]:
        """Commands that are queued again, with their machines."""
        return {command.command_id: command.miner_no for command, event in self.ended if event is Event.RETRIED}


async def ack(
    session: AsyncSession, holder: LeaseHolder, acks: Sequence[Ack], *, entering: Context | None = None, now: datetime
) -> list[AckResult]:
    """One result per ack, in their order. A repeated ack never moves a command twice.

    The acks are scrubbed. `entering`: the context of a transaction that has not begun yet.
    """
    dispatch_ids = [queries.parse_uuid(message.command_id) for message in acks]
    rows = await _lock(session, holder, acks, dispatch_ids, entering=entering, now=now)
    commands = {row.command_id: _Command(row) for row in rows.values() if not row.is_moved}
    writes, results = _Writes(), []
    for message, dispatch_id in zip(acks, dispatch_ids, strict=True):
        row = rows.get(dispatch_id) if dispatch_id is not None else None
        if row is None:
            results.append(AckResult(message.command_id, found=False, error_code="NOT_FOUND"))
        elif row.is_moved:
            writes.ended.append((_dispatched(row), Event.SUCCEEDED))
            results.append(_applied(message, row, State.SUCCEEDED))
        else:
            results.append(_judge(writes, holder, commands[row.command_id], row, message, now=now))
    await _write(session, holder, writes, now=now)
    superseded = await rearbitrate(session, holder.actor, writes.returned(), now=now)
    return [
        result._replace(state=State.SUPERSEDED)
        if result.command_id in superseded and result.state is State.QUEUED
        else result
        for result in results
    ]


async def _lock(
    session: AsyncSession,
    holder: LeaseHolder,
    acks: Sequence[Ack],
    dispatch_ids: Sequence[UUID | None],
    *,
    entering: Context | None,
    now: datetime,
) -> dict[UUID, Any]:
    """The facts behind the acks, by dispatch, under lock.

    Nearly all acks are a single success by the holder of the lease: those are moved by the same statement.
    """
    counts = Counter(dispatch_id for dispatch_id in dispatch_ids if dispatch_id is not None)
    successes = [
        {"dispatch_id": dispatch_id, **ack_columns(message)}
        for message, dispatch_id in zip(acks, dispatch_ids, strict=True)
        if message.status is AckStatus.SUCCEEDED and dispatch_id is not None and counts[dispatch_id] == 1
    ]
    rows = await queries.lock_acked(
        session,
        holder.actor,
        list(counts),
        _with_entry_ids(successes),
        site_id=holder.site_id,
        tenant_id=holder.tenant_id,
        collector_id=holder.collector_id,
        device=holder.device_id,
        entering=entering,
        now=now,
    )
    missing = [dispatch_id for dispatch_id in counts if dispatch_id not in rows]
    if not missing:
        return rows
    return rows | await queries.list_finished(session, holder.site_id, holder.collector_id, holder.device_id, missing)


class _Command:
    """A command after the acks of this call that were judged so far."""

    def __init__(self, row: Any) -> None:
        self.state = State(row.state)
        self.waits_for_retry: bool = row.waits_for_retry
        self.moves: int = row.moves
        self.rounds = 0
        self.results: dict[UUID, str] = {}

    def facts(self, row: Any) -> DispatchFacts:
        return DispatchFacts(
            command_id=row.command_id,
            state=self.state,
            is_newest=row.is_newest and not self.waits_for_retry,
            waits_for_retry=self.waits_for_retry,
            holds_lease=row.holds_lease and self.state in LEASED,
            has_held=row.has_held,
            result=self.results.get(row.dispatch_id, row.result),
            attempt=row.attempt,
            max_retries=row.max_retries,
            backoff_sec=row.retry_backoff_sec,
            expires_at=row.expires_at,
            is_canceling=row.is_canceling,
        )


def _judge(
    writes: _Writes, holder: LeaseHolder, command: _Command, row: Any, message: Ack, *, now: datetime
) -> AckResult:
    verdict = judge_ack(command.facts(row), message, now=now)
    if verdict.event is not None:
        _add_move(writes, command, row, message, verdict)
        return _applied(message, row, command.state)
    if not verdict.applied:
        writes.late[row.dispatch_id].append(_late_ack(holder, message, verdict, now=now))
    after = {"state": command.state, "status": message.status, "error_code": verdict.error_code}
    writes.entries.append(
        Entry(
            Action.COMMAND_ACKED if verdict.applied else Action.COMMAND_ACK_IGNORED,
            "command",
            row.command_id,
            {"state": command.state},
            {**after, "dispatch_id": str(row.dispatch_id)},
            verdict.message,
            holder.tenant_id,
        )
    )
    return AckResult(
        message.command_id,
        found=True,
        applied=verdict.applied,
        state=command.state,
        error_code=verdict.error_code,
        command_id=row.command_id,
    )


def _applied(message: Ack, row: Any, state: State) -> AckResult:
    return AckResult(message.command_id, found=True, applied=True, state=state, command_id=row.command_id)


def _add_move(writes: _Writes, command: _Command, row: Any, message: Ack, verdict: AckVerdict) -> None:
    """The statement that moves the command writes its audit entry as well."""
    event = verdict.event or Event.SUCCEEDED
    new_state = ends_in(event, command.state)
    if command.rounds == len(writes.rounds):
        writes.rounds.append([])
    writes.rounds[command.rounds].append(
        {
            "command_id": row.command_id,
            "dispatch_id": row.dispatch_id,
            "moves": command.moves,
            "event": event,
            "old_state": command.state,
            "new_state": new_state,
            **ack_columns(message),
            "error_code": verdict.error_code,
            "next_attempt_at": verdict.next_attempt_at,
            "message": verdict.message,
        }
    )
    if message.status is not AckStatus.SKIPPED:  # an unknown outcome changes no expected state
        writes.ended.append((_dispatched(row), event))
    command.rounds, command.moves, command.state = command.rounds + 1, command.moves + 1, new_state
    command.waits_for_retry = command.waits_for_retry or event is Event.RETRIED
    command.results[row.dispatch_id] = message.status


def _dispatched(row: Any) -> DispatchedCommand:
    return DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority)


def _with_entry_ids(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with the id of its audit entry."""
    return [{**row, "entry_id": entry_id} for row, entry_id in zip(rows, new_ids(len(rows)), strict=True)]


def _late_ack(holder: LeaseHolder, message: Ack, verdict: AckVerdict, *, now: datetime) -> dict[str, Any]:
    collector = {"collector_id": str(holder.collector_id), "device_id": holder.device_id}
    return {"at": write_time(now), **collector, "answered": verdict.error_code, "said": ack_payload(message)}


async def _write(session: AsyncSession, holder: LeaseHolder, writes: _Writes, *, now: datetime) -> None:
    for rows in writes.rounds:
        moved = await queries.move_acked(
            session, holder.actor, _with_entry_ids(rows), device=holder.device_id, lease_until=now + LEASE, now=now
        )
        if len(moved) != len(rows):  # impossible under the locks; losing an ack silently would be worse than an error
            raise RuntimeError(f"{len(rows) - len(moved)} commands moved under their locks")
    if writes.late:
        late = [
            {"dispatch_id": dispatch_id, "n": len(acks), "acks": acks[: queries.LATE_KEPT]}
            for dispatch_id, acks in writes.late.items()
        ]
        await queries.update_late(session, late)
    await record_many(session, holder.actor, writes.entries, now=now)
    if writes.ended:
        await expect_ended(session, writes.ended, now=now)
