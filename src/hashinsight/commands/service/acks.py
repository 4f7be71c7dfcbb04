"""Ack: what collectors say of their dispatches, many at once, each judged on its own under the command's lock."""

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
from hashinsight.commands.service.superseding import weigh_returned
from hashinsight.commands.states import Event, State, ends_in
from hashinsight.kit.clock import iso_z
from hashinsight.kit.db.context import Context
from hashinsight.kit.ids import new_ids
from hashinsight.wire.acks import Ack, AckStatus


class AckResult(NamedTuple):
    """`found` False: an id that is nobody's at this site, which a route answers with 404."""

    dispatch_id: str
    found: bool
    applied: bool = False
    state: str | None = None
    error_code: str | None = None
    command_id: UUID | None = None


@dataclass
class _Batch:
    """What one call comes to, before anything is written. A round holds a command once at most."""

    rounds: list[list[dict[str, Any]]] = field(default_factory=list)
    late: dict[UUID, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    entries: list[Entry] = field(default_factory=list)
    ended: list[tuple[DispatchedCommand, Event]] = field(default_factory=list)

    def returned(self) -> dict[UUID, int]:
        """The commands that are queued again, with their machines."""
        return {one.command_id: one.miner_no for one, event in self.ended if event is Event.RETRIED}


async def ack(
    session: AsyncSession, holder: LeaseHolder, acks: Sequence[Ack], *, entering: Context | None = None, now: datetime
) -> list[AckResult]:
    """One answer for each, in their order. Nothing that is said twice moves anything twice.

    The acks are clean. `entering`: of a transaction that has not been entered yet.
    """
    named = [_uuid(one.command_id) for one in acks]
    rows = await _hold(session, holder, acks, named, entering=entering, now=now)
    standing = {row.command_id: _Standing(row) for row in rows.values() if not row.is_moved}
    batch, answers = _Batch(), []
    for one, dispatch_id in zip(acks, named, strict=True):
        row = rows.get(dispatch_id) if dispatch_id is not None else None
        if row is None:
            answers.append(AckResult(one.command_id, found=False, error_code="NOT_FOUND"))
        elif row.is_moved:
            batch.ended.append((_acted(row), Event.SUCCEEDED))
            answers.append(_applied(one, row, State.SUCCEEDED))
        else:
            answers.append(_take(batch, holder, standing[row.command_id], row, one, now=now))
    await _write(session, holder, batch, now=now)
    superseded = await weigh_returned(session, holder.actor, batch.returned(), now=now)
    return [_settled(one) if one.command_id in superseded else one for one in answers]


async def _hold(
    session: AsyncSession,
    holder: LeaseHolder,
    acks: Sequence[Ack],
    named: Sequence[UUID | None],
    *,
    entering: Context | None,
    now: datetime,
) -> dict[UUID, Any]:
    """The commands behind the acks, by dispatch, under their locks. What needs no judge is moved already.

    That is nearly all: a success, said once, of the dispatch that whoever says it holds.
    """
    counts = Counter(one for one in named if one is not None)
    plain = [
        {"dispatch_id": dispatch_id, **ack_columns(one)}
        for one, dispatch_id in zip(acks, named, strict=True)
        if one.status is AckStatus.SUCCEEDED and dispatch_id is not None and counts[dispatch_id] == 1
    ]
    owner = {"tenant_id": holder.tenant_id, "site_id": holder.site_id, "collector_id": holder.collector_id}
    rows = await queries.take_acked(
        session,
        holder.actor,
        list(counts),
        _numbered(plain),
        device=holder.device_id,
        entering=entering,
        now=now,
        **owner,
    )
    missing = [one for one in counts if one not in rows]
    return rows | await queries.list_done(session, holder.site_id, missing) if missing else rows


def _settled(answer: AckResult) -> AckResult:
    """Of a command that came back to the queue and was displaced there."""
    return answer._replace(state=State.SUPERSEDED) if answer.state == State.QUEUED else answer


class _Standing:
    """A command as it stands after the acks of this call that were judged so far."""

    def __init__(self, row: Any) -> None:
        self.state = State(row.state)
        self.newest: UUID | None = row.newest
        self.moves: int = row.moves
        self.rounds = 0
        self.results: dict[UUID, str] = {}

    def facts(self, row: Any) -> DispatchFacts:
        return DispatchFacts(
            row.command_id,
            self.state,
            self.newest,
            self.results.get(row.dispatch_id, row.result),
            row.held_by,
            row.lease_owner,
            row.lease_device,
            row.attempt,
            row.max_retries,
            row.retry_backoff_sec,
            row.expires_at,
            row.is_canceling,
        )


def _take(batch: _Batch, holder: LeaseHolder, stands: _Standing, row: Any, ack: Ack, *, now: datetime) -> AckResult:
    verdict = judge_ack(stands.facts(row), ack, row.dispatch_id, holder.collector_id, holder.device_id, now=now)
    if verdict.event is not None:
        _add_move(batch, stands, row, ack, verdict)
        return _applied(ack, row, stands.state)
    if not verdict.applied:
        batch.late[row.dispatch_id].append(_evidence(holder, ack, verdict, now=now))
    said = {"state": stands.state, "status": ack.status, "error_code": verdict.error_code}
    batch.entries.append(
        Entry(
            Action.COMMAND_ACKED if verdict.applied else Action.COMMAND_ACK_IGNORED,
            "command",
            row.command_id,
            {"state": stands.state},
            {**said, "dispatch_id": str(row.dispatch_id)},
            verdict.message,
            holder.tenant_id,
        )
    )
    return AckResult(
        ack.command_id,
        found=True,
        applied=verdict.applied,
        state=stands.state,
        error_code=verdict.error_code,
        command_id=row.command_id,
    )


def _applied(ack: Ack, row: Any, state: State) -> AckResult:
    return AckResult(ack.command_id, found=True, applied=True, state=state, command_id=row.command_id)


def _add_move(batch: _Batch, stands: _Standing, row: Any, ack: Ack, verdict: AckVerdict) -> None:
    """Its entry of the record is written by the same statement as the move."""
    event = verdict.event or Event.SUCCEEDED
    after = ends_in(event, stands.state)
    if stands.rounds == len(batch.rounds):
        batch.rounds.append([])
    batch.rounds[stands.rounds].append(
        {
            "command_id": row.command_id,
            "dispatch_id": row.dispatch_id,
            "moves": stands.moves,
            "event": event,
            "old_state": stands.state,
            "new_state": after,
            **ack_columns(ack),
            "error_code": verdict.error_code,
            "next_attempt_at": verdict.next_attempt_at,
            "message": verdict.message,
        }
    )
    if ack.status is not AckStatus.SKIPPED:  # who does not know the outcome changes no expectation
        batch.ended.append((_acted(row), event))
    stands.rounds, stands.moves, stands.state = stands.rounds + 1, stands.moves + 1, after
    stands.newest = None if event is Event.RETRIED else stands.newest
    stands.results[row.dispatch_id] = ack.status


def _acted(row: Any) -> DispatchedCommand:
    return DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority)


def _numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with the id of the entry that its move leaves in the record."""
    return [{**row, "entry_id": entry_id} for row, entry_id in zip(rows, new_ids(len(rows)), strict=True)]


def _evidence(holder: LeaseHolder, ack: Ack, verdict: AckVerdict, *, now: datetime) -> dict[str, Any]:
    who = {"collector_id": str(holder.collector_id), "device_id": holder.device_id}
    return {"at": iso_z(now), **who, "answered": verdict.error_code, "said": ack_payload(ack)}


async def _write(session: AsyncSession, holder: LeaseHolder, batch: _Batch, *, now: datetime) -> None:
    for rows in batch.rounds:
        moved = await queries.move_acked(
            session, holder.actor, _numbered(rows), device=holder.device_id, lease_until=now + LEASE, now=now
        )
        if len(moved) != len(rows):  # the locks make it impossible, and a lost ack would be the worst of answers
            raise RuntimeError(f"{len(rows) - len(moved)} commands moved under their locks")
    if batch.late:
        late = [
            {"dispatch_id": one, "n": len(said), "acks": said[: queries.LATE_KEPT]} for one, said in batch.late.items()
        ]
        await queries.note_late(session, late)
    await record_many(session, holder.actor, batch.entries, now=now)
    if batch.ended:
        await expect_ended(session, batch.ended, now=now)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
