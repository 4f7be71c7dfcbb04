"""Approve, reject, cancel: one command, or a whole batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, ActorKind
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands import errors
from hashinsight.commands.catalogue import CATALOGUE, Risk
from hashinsight.commands.queries import approvals as queries
from hashinsight.commands.queries import requests
from hashinsight.commands.states import HIGH_CLASSES, Approval, State
from hashinsight.identity.caller import Caller
from hashinsight.identity.permissions import Permission
from hashinsight.inventory.service import get_settings
from hashinsight.kit.errors import Forbidden, HashInsightError
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class DecisionTarget:
    """One command, or every open command of a batch that the caller sees."""

    command_id: UUID | None = None
    batch_id: UUID | None = None

    def __post_init__(self) -> None:
        if (self.command_id is None) == (self.batch_id is None):
            raise ValueError("either a command or a batch")


@dataclass(frozen=True)
class DecisionResult:
    commands: tuple[tuple[UUID, str], ...]  # id and new state


async def approve(
    session: AsyncSession, caller: Caller, target: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """The TTL starts now. The statement itself refuses the requester, unless the tenant's settings allow it."""
    if caller.actor.kind is ActorKind.API_KEY:
        raise Forbidden("an API key cannot approve: sign in as a user", code="PERSON_REQUIRED")
    return await _decide(session, caller, target, approve=True, reason=reason, now=now)


async def reject(
    session: AsyncSession, caller: Caller, target: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """Canceled for good."""
    return await _decide(session, caller, target, approve=False, reason=reason, now=now)


async def cancel(
    session: AsyncSession, caller: Caller, target: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """Queued: canceled at once. Dispatched: not dispatched again; its ack or the end of its lease decides."""
    rows = await _lock(session, caller, target)
    needs_high = len(rows) > 1 or any(_needs_high(row) for row in rows)
    await _check_scope(session, caller, Permission.COMMAND_HIGH if needs_high else Permission.COMMAND, rows)
    moved = await queries.move_canceled(session, caller.actor, [row.command_id for row in rows], reason=reason, now=now)
    if not moved:
        raise errors.already_canceling()
    entries = [
        Entry(
            Action.COMMAND_CANCELED if row.state == State.CANCELED else Action.COMMAND_CANCEL_REQUESTED,
            "command",
            row.command_id,
            {"state": row.old_state},
            {"state": row.state},
            reason,
            caller.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, caller.actor, entries, now=now)
    return DecisionResult(tuple((row.command_id, row.state) for row in moved))


async def _decide(
    session: AsyncSession, caller: Caller, target: DecisionTarget, *, approve: bool, reason: str, now: datetime
) -> DecisionResult:
    rows = await _lock(session, caller, target)
    await _check_scope(session, caller, Permission.APPROVE, rows)
    await queries.lock_batches(session, sorted({row.batch_id for row in rows}))
    settings = (await get_settings(session, caller.tenant_id)).settings
    moved = await queries.move_decided(
        session,
        caller.actor,
        [row.command_id for row in rows],
        approve=approve,
        by_requester=settings.approval.by_requester,
        reason=reason,
        now=now,
    )
    if not moved:
        raise _undecidable(rows, now=now)
    decision = "approved" if approve else "rejected"
    await requests.insert_approval(
        session,
        {
            "id": new_id(),
            "tenant_id": caller.tenant_id,
            "site_id": rows[0].site_id,
            "batch_id": moved[0].batch_id,
            "command_id": target.command_id,
            "decision": decision,
            "by_kind": caller.actor.kind.value,
            "by_id": caller.actor.id,
            "at": now,
            "reason": reason,
            "commands": len(moved),
        },
    )
    entries = [
        Entry(
            Action.COMMAND_APPROVED if approve else Action.COMMAND_REJECTED,
            "command",
            row.command_id,
            {"approval_state": Approval.REQUIRED.value},
            {"approval_state": decision, "state": row.state},
            reason,
            caller.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, caller.actor, entries, now=now)
    return DecisionResult(tuple((row.command_id, row.state) for row in moved))


async def _lock(session: AsyncSession, caller: Caller, target: DecisionTarget) -> Sequence[Any]:
    ids = {"command_id": target.command_id, "batch_id": target.batch_id}
    rows = await queries.lock_open(session, caller.seen, **ids)
    if rows:
        return rows
    final = await queries.find_final_state(session, caller.seen, **ids)
    if final is None:
        raise errors.command_not_found() if target.command_id else errors.batch_not_found()
    raise errors.already_final(final)


async def _check_scope(session: AsyncSession, caller: Caller, permission: Permission, rows: Sequence[Any]) -> None:
    """All commands that the caller sees, or none: a decision about half of a batch would mislead."""
    ids = [row.command_id for row in rows]
    if await queries.list_within(session, caller.scope_for(permission), ids) != set(ids):
        raise Forbidden(f"your role does not cover all of these commands: {permission.description}")


def _needs_high(row: Any) -> bool:
    """Canceling needs the same permission as requesting."""
    return CATALOGUE[row.command_type].risk is Risk.HIGH or row.priority in HIGH_CLASSES or bool(row.emergency)


def _undecidable(rows: Sequence[Any], *, now: datetime) -> HashInsightError:
    waiting = [row for row in rows if row.approval_state == Approval.REQUIRED and row.approval_until > now]
    return errors.own_request() if waiting else errors.already_decided()
