"""Approve, reject, cancel: one guarded statement each, for all commands of a decision."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Table, Uuid, literal, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.models import BATCHES, COMMANDS, DONE
from hashinsight.commands.queries.fragments import actor_values, commands_within, insert_history
from hashinsight.commands.states import LEASED, Event, sql_begin_states, sql_list
from hashinsight.identity.scope import Scope

_DECIDED = insert_history(
    "moved",
    event=":event",
    old_state="'queued'",
    new_state="state",
    message=":reason",
    details="jsonb_build_object('approval_state', cast(:decision as text))",
)
_CANCELED = insert_history(
    "moved",
    event=f"case when state in ({sql_list(LEASED)}) then 'cancel_requested' else 'canceled' end",
    old_state="old_state",
    new_state="state",
    message=":reason",
)
# The requester, also through an API key, cannot approve. The persons are compared here, where no caller can forget it
# and no race can get past it.
_DECIDE = text(f"""
with
-- the commands that wait for approval; the TTL of an approved one starts now
moved as (
    update commands c
    set approval_state = :decision,
        moves = c.moves + 1,
        updated_at = :now,
        expires_at = case when :is_approved then cast(:now as timestamptz) + c.ttl_sec * interval '1 second' end,
        next_attempt_at = :now,
        state = case when :is_approved then c.state else 'canceled' end,
        finished_at = case when not :is_approved then cast(:now as timestamptz) end,
        error_code = case when not :is_approved then 'REJECTED' end,
        error_message = case when not :is_approved then cast(:reason as text) end
    where c.command_id = any (cast(:ids as uuid[]))
        and c.state in ({sql_begin_states(Event.APPROVED)})
        and c.approval_state = 'required'
        and c.approval_until > :now
        and (:by_requester or not :is_approved
            or (c.created_by_kind, coalesce(c.created_by, '')) <> (:actor_kind, coalesce(:actor_id, ''))
                and not (c.created_by_kind = 'system' and :actor_kind = 'system')
                and person_of(c.created_by_kind, c.created_by) is distinct from person_of(:actor_kind, :actor_id))
    returning c.command_id, c.batch_id, c.moves, c.tenant_id, c.site_id, c.state
),
-- one row of history per decision
history as ({_DECIDED}),
-- a batch is decided when none of its commands waits any more; approved if one of them was
batches as (
    update command_batches b
    set approval_state = case
        when exists (select from all_commands o where o.batch_id = b.batch_id and o.approval_state = 'approved')
        then 'approved'
        else :decision
    end
    where b.batch_id in (select batch_id from moved)
        and not exists (
            select from commands o
            where o.batch_id = b.batch_id
                and o.state = 'queued'
                and o.approval_state = 'required'
                and o.command_id not in (select command_id from moved)
        )
)
select command_id, batch_id, state from moved
""")  # noqa: S608 - words of our own tables
_CANCEL = text(f"""
with
-- queued commands are canceled; for dispatched ones the request is noted
moved as (
    update commands c
    set state = case when c.state = 'queued' then 'canceled' else c.state end,
        moves = c.moves + 1,
        finished_at = case when c.state = 'queued' then cast(:now as timestamptz) end,
        cancel_requested_at = :now,
        updated_at = :now,
        error_code = case when c.state = 'queued' then 'CANCELED' end,
        error_message = case when c.state = 'queued' then cast(:reason as text) end
    where c.command_id = any (cast(:ids as uuid[]))
        and c.state in ({sql_begin_states(Event.CANCELED)})
        and c.cancel_requested_at is null
    returning
        c.command_id,
        c.batch_id,
        c.moves,
        c.tenant_id,
        c.site_id,
        c.state,
        case when c.state = 'canceled' then 'queued' else c.state end as old_state
),
-- one row of history per command
history as ({_CANCELED})
select command_id, batch_id, old_state, state from moved
""")  # noqa: S608 - words of our own tables


async def lock_open(
    session: AsyncSession, scope: Scope, *, command_id: UUID | None = None, batch_id: UUID | None = None
) -> Sequence[Any]:
    """The open commands of a target within the scope, locked in the order of their ids."""
    c = COMMANDS.c
    query = (
        select(c.command_id, c.batch_id, c.command_type, c.state, c.approval_state, c.approval_until)
        .add_columns(c.site_id, c.priority, c.emergency)
        .where(commands_within(scope), _is_target(COMMANDS, command_id, batch_id), c.finished_at.is_(None))
        .order_by(c.command_id)
        .with_for_update()
    )
    return (await session.execute(query)).all()


async def lock_batches(session: AsyncSession, ids: Sequence[UUID]) -> None:
    """Before a decision: the approval of the last part of a batch must see the parts that were approved before."""
    query = select(BATCHES.c.batch_id).where(BATCHES.c.batch_id.in_(ids)).order_by(BATCHES.c.batch_id)
    await session.execute(query.with_for_update())


async def list_within(session: AsyncSession, scope: Scope, ids: Sequence[UUID]) -> set[UUID]:
    """Which of these commands are within the scope."""
    is_given = COMMANDS.c.command_id == literal(list(ids), ARRAY(Uuid)).any_()
    query = select(COMMANDS.c.command_id).where(commands_within(scope), is_given)
    return set((await session.execute(query)).scalars())


async def find_final_state(
    session: AsyncSession, scope: Scope, *, command_id: UUID | None = None, batch_id: UUID | None = None
) -> str | None:
    """The state of a finished command of the target, archived or not."""
    for table in (COMMANDS, DONE):
        is_target = _is_target(table, command_id, batch_id)
        query = select(table.c.state).where(commands_within(scope, table), is_target, table.c.finished_at.is_not(None))
        state = (await session.execute(query.limit(1))).scalar()
        if state is not None:
            return str(state)
    return None


def _is_target(table: Table, command_id: UUID | None, batch_id: UUID | None) -> Any:
    return table.c.command_id == command_id if command_id is not None else table.c.batch_id == batch_id


async def move_decided(
    session: AsyncSession,
    actor: Actor,
    ids: Sequence[UUID],
    *,
    approve: bool,
    by_requester: bool,
    reason: str,
    now: datetime,
) -> Sequence[Any]:
    values = {
        "ids": list(ids),
        "decision": "approved" if approve else "rejected",
        "event": (Event.APPROVED if approve else Event.REJECTED).value,
        "is_approved": approve,
        "by_requester": by_requester,
        "reason": reason,
        "now": now,
        **actor_values(actor),
    }
    return (await session.execute(_DECIDE, values)).all()


async def move_canceled(
    session: AsyncSession, actor: Actor, ids: Sequence[UUID], *, reason: str, now: datetime
) -> Sequence[Any]:
    """Queued → canceled; for a dispatched command the request is noted, and its ack or the end of its lease decides."""
    values = {"ids": list(ids), "reason": reason, "now": now, **actor_values(actor)}
    return (await session.execute(_CANCEL, values)).all()
