"""Approve, reject, cancel: of one command, or of a whole batch."""

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
from hashinsight.commands.requests import CommandCaller
from hashinsight.commands.states import HIGH_CLASSES, Approval, State
from hashinsight.identity.permissions import Permission
from hashinsight.identity.scope import Scope
from hashinsight.inventory.service import get_settings
from hashinsight.kit.errors import Forbidden, NotFound
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class DecisionTarget:
    """One command, or of a batch every open one that its asker sees."""

    command_id: UUID | None = None
    batch_id: UUID | None = None

    def __post_init__(self) -> None:
        if (self.command_id is None) == (self.batch_id is None):
            raise ValueError("either a command or a batch")


@dataclass(frozen=True)
class DecisionResult:
    commands: tuple[tuple[UUID, str], ...]  # with the state that each is in now


async def approve(
    session: AsyncSession, asker: CommandCaller, which: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """The TTL starts now. Who asked is refused by the statement itself, unless the tenant has one person."""
    if asker.actor.kind is ActorKind.API_KEY:
        raise Forbidden("an API key cannot approve: sign in as a person", code="PERSON_REQUIRED")
    return await _decide(session, asker, which, approve=True, reason=reason, now=now)


async def reject(
    session: AsyncSession, asker: CommandCaller, which: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """Canceled for good."""
    return await _decide(session, asker, which, approve=False, reason=reason, now=now)


async def cancel(
    session: AsyncSession, asker: CommandCaller, which: DecisionTarget, *, reason: str, now: datetime
) -> DecisionResult:
    """Queued: at once. Handed out: not again, and its ack or the end of its lease decides."""
    rows = await _lock(session, asker, which)
    is_high = len(rows) > 1 or any(_needs_high(row) for row in rows)
    permission = Permission.COMMAND_HIGH if is_high else Permission.COMMAND
    await _check_scope(session, asker.high if is_high else asker.low, rows, permission)
    moved = await queries.move_canceled(session, asker.actor, [row.command_id for row in rows], reason=reason, now=now)
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
            asker.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, asker.actor, entries, now=now)
    return DecisionResult(tuple((row.command_id, row.state) for row in moved))


async def _decide(
    session: AsyncSession, asker: CommandCaller, which: DecisionTarget, *, approve: bool, reason: str, now: datetime
) -> DecisionResult:
    rows = await _lock(session, asker, which)
    await _check_scope(session, asker.approve, rows, Permission.APPROVE)
    await queries.lock_batches(session, sorted({row.batch_id for row in rows}))
    settings = (await get_settings(session, asker.tenant_id)).settings
    moved = await queries.move_decided(
        session,
        asker.actor,
        [row.command_id for row in rows],
        approve=approve,
        by_requester=settings.approval.by_requester,
        reason=reason,
        now=now,
    )
    if not moved:
        raise _why_not(rows, now=now)
    decision = "approved" if approve else "rejected"
    await requests.insert_approval(
        session,
        {
            "id": new_id(),
            "tenant_id": asker.tenant_id,
            "site_id": rows[0].site_id,
            "batch_id": moved[0].batch_id,
            "command_id": which.command_id,
            "decision": decision,
            "by_kind": asker.actor.kind.value,
            "by_id": asker.actor.id,
            "at": now,
            "reason": reason,
            "commands": len(moved),
        },
    )
    action = Action.COMMAND_APPROVED if approve else Action.COMMAND_REJECTED
    entries = [
        Entry(
            action,
            "command",
            row.command_id,
            {"approval_state": Approval.REQUIRED.value},
            {"approval_state": decision, "state": row.state},
            reason,
            asker.tenant_id,
        )
        for row in moved
    ]
    await record_many(session, asker.actor, entries, now=now)
    return DecisionResult(tuple((row.command_id, row.state) for row in moved))


async def _lock(session: AsyncSession, asker: CommandCaller, which: DecisionTarget) -> Sequence[Any]:
    rows = await queries.lock_open(session, asker.seen, command_id=which.command_id, batch_id=which.batch_id)
    if rows:
        return rows
    final = await queries.find_final(session, asker.seen, command_id=which.command_id, batch_id=which.batch_id)
    if final is None:
        raise NotFound("there is no such command" if which.command_id else "there is no such batch")
    raise errors.already_final(final)


async def _check_scope(session: AsyncSession, scope: Scope | None, rows: Sequence[Any], permission: Permission) -> None:
    """All that one sees of them, or none: a decision that reaches half of what its maker looks at misleads."""
    if scope is None:
        raise Forbidden(f"your role does not allow: {permission.value}")
    ids = [row.command_id for row in rows]
    if await queries.list_within(session, scope, ids) != set(ids):
        raise Forbidden(f"some of these lie where you may not: {permission.value}")


def _needs_high(row: Any) -> bool:
    """Who may not ask for it may not take it back either."""
    return CATALOGUE[row.command_type].risk is Risk.HIGH or row.priority in HIGH_CLASSES or bool(row.emergency)


def _why_not(rows: Sequence[Any], *, now: datetime) -> Exception:
    waiting = [row for row in rows if row.approval_state == Approval.REQUIRED and row.approval_until > now]
    return errors.own_request() if waiting else errors.already_decided()
