"""The queue: commands of a request are added, and those that they outrank are superseded."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands.approval import ApprovalNeed
from hashinsight.commands.arbitration import find_outranking
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.requests import CommandRequest, CreatedCommand, ResolvedRequest
from hashinsight.commands.service.leases import SEAL_PURPOSE
from hashinsight.commands.service.targets import ArbitratedTargets, group_open_commands
from hashinsight.commands.states import State
from hashinsight.kit.crypto import Vault
from hashinsight.kit.ids import new_id
from hashinsight.wire.commands import wire_priority
from hashinsight.wire.times import write_time

REASON_SEPARATOR = "; "  # between the reasons for which a batch needs approval
_Ids = Mapping[int, UUID]  # miner_no → new command


async def enqueue(
    session: AsyncSession,
    vault: Vault,
    resolved: ResolvedRequest,
    arbitrated: ArbitratedTargets,
    need: ApprovalNeed,
    *,
    batch_id: UUID,
    site_id: int,
    now: datetime,
) -> list[CreatedCommand]:
    """Insert the batch and its commands, supersede what they outrank, and write the audit entries."""
    actor = resolved.caller.actor
    ids = {no: new_id() for no in arbitrated.accepted}
    batch_key = {"tenant_id": resolved.caller.tenant_id, "site_id": site_id, "batch_id": batch_id}
    await queries.insert_batch(session, {**batch_key, **_batch(resolved, arbitrated, need, now=now)})
    if ids and need.decision is not None:
        await queries.insert_approval(session, {**batch_key, **_skipped_approval(resolved, need, len(ids), now=now)})
    await supersede(session, actor, _superseded(arbitrated, ids), now=now)
    if ids:
        values = {**_shared_values(vault, resolved, need, now=now), "batch_id": batch_id}
        inserted = await queries.insert_commands(session, actor, _rows(arbitrated, ids), values)
        if inserted != len(ids):
            raise RuntimeError("a machine disappeared under its lock")
    entries = [
        *_created_entries(resolved, arbitrated, need, ids, batch_id, now=now),
        *_arbitration_entries(resolved, arbitrated, ids, batch_id),
    ]
    await record_many(session, actor, entries, now=now)
    state, approval = State.QUEUED.value, need.state.value
    return [CreatedCommand(ids[no], miner_id, state, approval) for no, miner_id in arbitrated.accepted.items()]


async def supersede(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], *, now: datetime
) -> set[UUID]:
    """`rows`: command_id, the number of moves at which it was judged, `by` and message. Their locks are held."""
    if not rows:
        return set()
    moved = await queries.move_superseded(session, actor, rows, now=now)
    if len(moved) != len(rows):
        raise RuntimeError("a command moved under its lock")
    entries = [
        Entry(
            Action.COMMAND_SUPERSEDED,
            "command",
            row.command_id,
            {"state": row.old_state},
            {
                "state": "superseded",
                "superseded_by": str(row.by),
                "dispatch_id": row.dispatch_id and str(row.dispatch_id),
            },
            tenant_id=row.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, actor, entries, now=now)
    return {row.command_id for row in moved}


async def rearbitrate(session: AsyncSession, actor: Actor, returned: Mapping[UUID, int], *, now: datetime) -> set[UUID]:
    """Commands that returned to the queue, with their machines: superseded if a later command outranks them.

    After the move and under its lock: earlier requests are seen here, and later ones find the command in the queue.
    """
    if not returned:
        return set()
    machines = sorted(set(returned.values()))
    by_machine = group_open_commands(await queries.list_open(session, machines, lock=False, now=now))
    rows = []
    for commands in by_machine.values():
        for command in commands:
            by = find_outranking(command, commands) if command.command_id in returned else None
            if by is not None:
                message = f"returned to the queue behind {by}"
                key = {"command_id": command.command_id, "moves": command.moves}
                rows.append({**key, "by": by.command_id, "message": message})
    return await supersede(session, actor, rows, now=now)


def _rows(arbitrated: ArbitratedTargets, ids: _Ids) -> list[dict[str, Any]]:
    rows = []
    for no, command_id in ids.items():
        row: dict[str, Any] = {"command_id": command_id, "miner_no": no}
        result = arbitrated.results.get(no)
        if result is not None:
            row |= {"message": result.reason, "details": result.as_evidence()}
        rows.append(row)
    return rows


def _shared_values(vault: Vault, resolved: ResolvedRequest, need: ApprovalNeed, *, now: datetime) -> dict[str, Any]:
    """Values that are the same for every machine."""
    request, kind = resolved.request, resolved.kind
    shown, secret = kind.split_params(resolved.params)
    approval_wait = timedelta(hours=resolved.settings.approval.wait_hours)
    return {
        "command_type": kind.name,
        "is_control": kind.is_control,
        "params": msgspec.json.encode(shown).decode(),
        "sealed": vault.seal(SEAL_PURPOSE, msgspec.json.encode(secret)) if secret else None,
        "asks": resolved.asks,
        "priority": request.priority,
        "priority_number": request.priority_number,
        "urgency": wire_priority(request.priority, request.priority_number),
        "emergency": request.emergency,
        "ttl_sec": request.ttl_sec,
        "expires_at": None if need.is_needed else now + timedelta(seconds=request.ttl_sec),
        "dedupe_key": request.dedupe_key,
        "dedupe_until": _dedupe_until(request, now=now),
        "requester": resolved.requester,
        "approval_state": need.state.value,
        "approval_until": now + approval_wait if need.is_needed else None,
        "reason": request.reason,
        "rule_id": request.rule.id if request.rule else None,
        "rule_version": request.rule.version if request.rule else None,
        "problem_id": request.problem_id,
        "evidence": None if request.evidence is None else msgspec.json.encode(request.evidence).decode(),
        "max_retries": request.max_retries,
        "backoff_sec": request.retry_backoff_sec,
        "now": now,
    }


def _dedupe_until(request: CommandRequest, *, now: datetime) -> datetime:
    return now + timedelta(seconds=request.dedupe_window_sec or request.ttl_sec)


def _batch(
    resolved: ResolvedRequest, arbitrated: ArbitratedTargets, need: ApprovalNeed, *, now: datetime
) -> dict[str, Any]:
    request, actor = resolved.request, resolved.caller.actor
    return {
        "command_type": resolved.kind.name,
        "params": resolved.kind.split_params(resolved.params)[0],
        "selection": request.selection(),
        "priority": request.priority,
        "created_by_kind": actor.kind.value,
        "created_by": actor.id,
        "created_at": now,
        "reason": request.reason,
        "approval_state": need.state.value,
        "approval_reason": REASON_SEPARATOR.join(need.texts) or None,
        "machines": len(arbitrated.accepted) + len(arbitrated.existing) + len(arbitrated.refused),
        "created": len(arbitrated.accepted),
        "existing": len(arbitrated.existing),
        "refused": [msgspec.to_builtins(refusal) for refusal in arbitrated.refused],
        "repeated": [msgspec.to_builtins(command) for command in arbitrated.existing] or None,
    }


def _skipped_approval(resolved: ResolvedRequest, need: ApprovalNeed, count: int, *, now: datetime) -> dict[str, Any]:
    """Why nobody had to approve: an emergency by a caller who may approve, or a rule's pre-approval."""
    pre_approval, actor = resolved.request.pre_approval, resolved.caller.actor
    kind, by_id, reason = actor.kind.value, actor.id, resolved.request.reason
    if need.decision == "pre_approved" and pre_approval is not None:
        kind, by_id, reason = "user", pre_approval.allowed_by, pre_approval.reason
    by = {"by_kind": kind, "by_id": by_id, "reason": reason}
    return {"id": new_id(), "decision": need.decision, "at": now, "commands": count, **by}


def _superseded(arbitrated: ArbitratedTargets, ids: _Ids) -> list[dict[str, Any]]:
    return [
        {"command_id": old.command_id, "moves": old.moves, "by": ids[no], "message": f"later command: {result.reason}"}
        for no, result in arbitrated.results.items()
        if no in ids
        for old in result.supersedes
    ]


def _created_entries(
    resolved: ResolvedRequest,
    arbitrated: ArbitratedTargets,
    need: ApprovalNeed,
    ids: _Ids,
    batch_id: UUID,
    *,
    now: datetime,
) -> list[Entry]:
    request, tenant_id = resolved.request, resolved.caller.tenant_id
    after = {
        "state": State.QUEUED.value,
        "batch_id": str(batch_id),
        "command_type": resolved.kind.name,
        "params": resolved.kind.split_params(resolved.params)[0],
        "priority": request.priority,
        "emergency": request.emergency,
        "approval_state": need.state.value,
        "dedupe_key": request.dedupe_key,
        "dedupe_until": None if request.dedupe_key is None else write_time(_dedupe_until(request, now=now)),
    }
    return [
        Entry(
            Action.COMMAND_CREATED,
            "command",
            command_id,
            after={**after, "miner_id": arbitrated.accepted[no]},
            reason=request.reason,
            tenant_id=tenant_id,
        )
        for no, command_id in ids.items()
    ]


def _arbitration_entries(
    resolved: ResolvedRequest, arbitrated: ArbitratedTargets, ids: _Ids, batch_id: UUID
) -> list[Entry]:
    """A refused request has no command: its entry belongs to the open command."""
    request = {"batch_id": str(batch_id), "command_type": resolved.kind.name}
    return [
        Entry(
            Action.COMMAND_ARBITRATED,
            "command",
            ids.get(no) or result.because_of,
            after={**result.as_evidence(), **request},
            reason=result.reason,
            tenant_id=resolved.caller.tenant_id,
        )
        for no, result in arbitrated.results.items()
    ]
