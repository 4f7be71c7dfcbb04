"""Store what was decided about a request: what is superseded, what is made, and the record of both."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands.approval import ApprovalNeed
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.requests import CommandRequest, CreatedCommand
from hashinsight.commands.service.leases import SEALED_FOR
from hashinsight.commands.service.superseding import supersede
from hashinsight.commands.service.understanding import Order
from hashinsight.commands.service.weighing import Weighed
from hashinsight.commands.states import State
from hashinsight.kit.clock import iso_z
from hashinsight.kit.crypto import Vault
from hashinsight.kit.ids import new_id
from hashinsight.wire.commands import wire_priority

REASONS = "; "  # between those for which a batch needs approval
_Ids = Mapping[int, UUID]  # miner_no → the new command


async def store(
    session: AsyncSession,
    vault: Vault,
    order: Order,
    weighed: Weighed,
    need: ApprovalNeed,
    *,
    batch_id: UUID,
    site_id: int,
    now: datetime,
) -> list[CreatedCommand]:
    ids = {no: new_id() for no in weighed.accepted}
    owner = {"tenant_id": order.asker.tenant_id, "site_id": site_id, "batch_id": batch_id}
    await queries.insert_batch(session, {**owner, **_batch(order, weighed, need, now=now)})
    if ids and need.decision is not None:
        await queries.insert_approval(session, {**owner, **_leave(order, need, len(ids), now=now)})
    await supersede(session, order.asker.actor, _displaced(weighed, ids), now=now)
    if ids:
        values = _values(vault, order, need, now=now)
        made = await queries.insert_commands(
            session, order.asker.actor, _rows(weighed, ids), {**values, "batch_id": batch_id}
        )
        if made != len(ids):
            raise RuntimeError("a machine went away under its lock")
    entries = [*_created(order, weighed, need, ids, batch_id, now=now), *_arbitrated(order, weighed, ids, batch_id)]
    await record_many(session, order.asker.actor, entries, now=now)
    state, approval = State.QUEUED.value, need.state.value
    return [CreatedCommand(ids[no], miner_id, state, approval) for no, miner_id in weighed.accepted.items()]


def _rows(weighed: Weighed, ids: _Ids) -> list[dict[str, Any]]:
    rows = []
    for no, command_id in ids.items():
        verdict = weighed.verdicts.get(no)
        row: dict[str, Any] = {"command_id": command_id, "miner_no": no}
        if verdict is not None:
            row |= {"message": verdict.reason, "details": verdict.as_evidence()}
        rows.append(row)
    return rows


def _values(vault: Vault, order: Order, need: ApprovalNeed, *, now: datetime) -> dict[str, Any]:
    """What is the same for every machine."""
    asked, kind = order.asked, order.kind
    shown, secret = kind.part(order.params)
    wait = timedelta(hours=order.settings.approval.wait_hours)
    return {
        "command_type": kind.name,
        "is_control": kind.is_control,
        "params": msgspec.json.encode(shown).decode(),
        "sealed": vault.seal(SEALED_FOR, msgspec.json.encode(secret)) if secret else None,
        "asks": order.asks,
        "priority": asked.priority,
        "priority_number": asked.priority_number,
        "urgency": wire_priority(asked.priority, asked.priority_number),
        "emergency": asked.emergency,
        "ttl_sec": asked.ttl_sec,
        "expires_at": None if need.is_needed else now + timedelta(seconds=asked.ttl_sec),
        "dedupe_key": asked.dedupe_key,
        "dedupe_until": _dedupe_until(asked, now=now),
        "requester": order.requester,
        "approval_state": need.state.value,
        "approval_until": now + wait if need.is_needed else None,
        "reason": asked.reason,
        "rule_id": asked.rule.id if asked.rule else None,
        "rule_version": asked.rule.version if asked.rule else None,
        "problem_id": asked.problem_id,
        "evidence": None if asked.evidence is None else msgspec.json.encode(asked.evidence).decode(),
        "max_retries": asked.max_retries,
        "backoff_sec": asked.retry_backoff_sec,
        "now": now,
    }


def _dedupe_until(asked: CommandRequest, *, now: datetime) -> datetime:
    return now + timedelta(seconds=asked.dedupe_window_sec or asked.ttl_sec)


def _batch(order: Order, weighed: Weighed, need: ApprovalNeed, *, now: datetime) -> dict[str, Any]:
    asked, actor = order.asked, order.asker.actor
    return {
        "command_type": order.kind.name,
        "params": order.kind.part(order.params)[0],
        "selection": asked.selection(),
        "priority": asked.priority,
        "created_by_kind": actor.kind.value,
        "created_by": actor.id,
        "created_at": now,
        "reason": asked.reason,
        "approval_state": need.state.value,
        "approval_reason": REASONS.join(need.reasons) or None,
        "machines": len(weighed.accepted) + len(weighed.existing) + len(weighed.refused),
        "created": len(weighed.accepted),
        "existing": len(weighed.existing),
        "refused": [_plain(asdict(one)) for one in weighed.refused],
        "repeated": [_plain(asdict(one)) for one in weighed.existing] or None,
    }


def _leave(order: Order, need: ApprovalNeed, commands: int, *, now: datetime) -> dict[str, Any]:
    """Why nobody had to wait: an emergency of somebody who may approve, or leave that was given before."""
    allowed, actor = order.asked.pre_approval, order.asker.actor
    by = (actor.kind.value, actor.id, order.asked.reason)
    if need.decision == "pre_approved" and allowed is not None:
        by = ("user", allowed.allowed_by, allowed.reason)
    told = {"by_kind": by[0], "by_id": by[1], "reason": by[2]}
    return {"id": new_id(), "decision": need.decision, "at": now, "commands": commands, **told}


def _displaced(weighed: Weighed, ids: _Ids) -> list[dict[str, Any]]:
    return [
        {"command_id": old.command_id, "moves": old.moves, "by": ids[no], "message": verdict.reason}
        for no, verdict in weighed.verdicts.items()
        if no in ids
        for old in verdict.supersedes
    ]


def _created(
    order: Order, weighed: Weighed, need: ApprovalNeed, ids: _Ids, batch_id: UUID, *, now: datetime
) -> list[Entry]:
    asked, tenant_id = order.asked, order.asker.tenant_id
    same = {
        "state": State.QUEUED.value,
        "batch_id": str(batch_id),
        "command_type": order.kind.name,
        "params": order.kind.part(order.params)[0],
        "priority": asked.priority,
        "emergency": asked.emergency,
        "approval_state": need.state.value,
        "dedupe_key": asked.dedupe_key,
        "dedupe_until": None if asked.dedupe_key is None else iso_z(_dedupe_until(asked, now=now)),
    }
    return [
        Entry(
            Action.COMMAND_CREATED,
            "command",
            command_id,
            after={**same, "miner_id": weighed.accepted[no]},
            reason=asked.reason,
            tenant_id=tenant_id,
        )
        for no, command_id in ids.items()
    ]


def _arbitrated(order: Order, weighed: Weighed, ids: _Ids, batch_id: UUID) -> list[Entry]:
    """Of a refused one there is no command: its entry is with the one that stood against it."""
    return [
        Entry(
            Action.COMMAND_ARBITRATED,
            "command",
            ids.get(no) or verdict.because_of,
            after={**verdict.as_evidence(), "batch_id": str(batch_id), "command_type": order.kind.name},
            reason=verdict.reason,
            tenant_id=order.asker.tenant_id,
        )
        for no, verdict in weighed.verdicts.items()
    ]


def _plain(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in one.items()}
