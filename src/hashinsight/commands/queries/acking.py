"""Acks: the commands behind dispatches, read under their locks, and moved in one statement."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import RECORD_IN_PLACE
from hashinsight.commands.queries.leasing import HEARD, HEARD_EVERY
from hashinsight.commands.queries.packing import TOLD, packed, rows_of, whence
from hashinsight.commands.states import FINAL, OPEN, listed
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.together import together

LATE_KEPT = 20

# in the order of ids, so that two batches that overlap wait for each other and never in a circle; the attempts as
# well, so that who waited sees what the other one wrote on them
_LOCK = text(f"""
with heard as (
    {HEARD}
)
select a.dispatch_id, a.result, a.held_by, c.command_id, c.batch_id, c.miner_no, c.command_type, c.priority, c.state,
    c.dispatch_id as newest, c.lease_owner, c.lease_device, c.attempt, c.max_retries, c.retry_backoff_sec, c.expires_at,
    c.cancel_requested_at is not null as is_canceling, c.moves
from command_attempts a join commands c on c.command_id = a.command_id
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
order by c.command_id
for update of c, a
""")  # noqa: S608 - words of our own tables
_DONE = text("""
select a.dispatch_id, a.result, a.held_by, c.command_id, c.batch_id, c.miner_no, c.command_type, c.priority, c.state,
    c.dispatch_id as newest, c.lease_owner, c.lease_device, c.attempt, c.max_retries, c.retry_backoff_sec, c.expires_at,
    c.cancel_requested_at is not null as is_canceling, c.moves
from command_attempts a join commands_done c on c.command_id = a.command_id
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")
_GIVEN = rows_of(
    "rows",
    command_id="uuid",
    dispatch_id="uuid",
    moves="int",
    event="text",
    old_state="text",
    new_state="text",
    result="text",
    error_code="text",
    error_message="text",
    payload="jsonb",
    snapshot_before="jsonb",
    snapshot_after="jsonb",
    started_at="timestamptz",
    finished_at="timestamptz",
    execution_time_ms="int",
    next_attempt_at="timestamptz",
    message="text",
    entry_id="uuid",
)
_MOVE = text(f"""
with given as (select * from {_GIVEN}), moved as (
    update commands c
    set state = given.new_state, moves = c.moves + 1, updated_at = :now,
        started_at = coalesce(c.started_at, given.started_at, case when given.new_state = 'running' then :now end),
        finished_at = case when given.new_state in ({listed(FINAL)}) then :now end,
        lease_owner = case when given.new_state = 'running' then c.lease_owner end,
        lease_device = case when given.new_state = 'running' then c.lease_device end,
        lease_until = case when given.new_state = 'running' then greatest(c.lease_until, :lease_until) end,
        dispatch_id = case when given.event <> 'retried' then c.dispatch_id end,
        next_attempt_at = coalesce(given.next_attempt_at, c.next_attempt_at),
        ack_payload = given.payload, error_code = given.error_code, error_message = given.error_message,
        verification = case when given.event = 'succeeded' or given.result = 'skipped' then 'pending' end
    from given
    where c.command_id = given.command_id and c.dispatch_id = given.dispatch_id and c.moves = given.moves
        and c.state = given.old_state and c.state in ({listed(OPEN)})
    returning c.command_id, c.moves, c.tenant_id, c.site_id, given.dispatch_id
), tried as (
    update command_attempts a
    set result = given.result, acked_at = :now, started_at = coalesce(given.started_at, a.started_at),
        finished_at = given.finished_at, execution_time_ms = given.execution_time_ms, payload = given.payload,
        error_code = given.error_code, error_message = given.error_message,
        snapshot_before = coalesce(given.snapshot_before, a.snapshot_before),
        snapshot_after = coalesce(given.snapshot_after, a.snapshot_after)
    from given join moved on moved.command_id = given.command_id
    where a.dispatch_id = given.dispatch_id
), told as (
    {TOLD}
    select moved.command_id, moved.moves, moved.tenant_id, moved.site_id, :now, given.event, given.old_state,
        given.new_state, :actor_kind, :actor_id, given.message,
        jsonb_build_object('dispatch_id', given.dispatch_id, 'error_code', given.error_code,
            'device', cast(:device as text), 'next_attempt_at', given.next_attempt_at), given.execution_time_ms
    from moved join given on given.command_id = moved.command_id
), recorded as (
    {RECORD_IN_PLACE}
    select given.entry_id, :now, moved.tenant_id, :actor_kind, :actor_id, '{Action.COMMAND_ACKED.value}', 'command',
        moved.command_id::text, jsonb_build_object('state', given.old_state),
        jsonb_build_object('state', given.new_state, 'status', given.result, 'error_code', given.error_code,
            'dispatch_id', given.dispatch_id), given.message, :request_id, :address
    from moved join given on given.command_id = moved.command_id
)
select command_id from moved
""")  # noqa: S608 - words of our own tables
_LATE = text(f"""
with given as (select * from {rows_of("rows", dispatch_id="uuid", n="int", acks="jsonb")}), held as (
    select a.dispatch_id from command_attempts a join given on given.dispatch_id = a.dispatch_id
    order by a.dispatch_id for update of a
)
update command_attempts a
set late_count = a.late_count + given.n,
    late_acks = case when a.late_count < :kept then coalesce(a.late_acks, '[]') || given.acks else a.late_acks end
from given join held on held.dispatch_id = given.dispatch_id
where a.dispatch_id = given.dispatch_id
""")  # noqa: S608 - words of our own tables


async def lock_acked(
    session: AsyncSession, ids: Sequence[UUID], *, entering: Context | None = None, now: datetime, **holder: Any
) -> dict[UUID, Any]:
    """By dispatch, the commands that are in the hot table, locked. The device that says them is noted as heard.

    `holder`: tenant_id, site_id, collector_id, device.
    """
    values = {**holder, "ids": list(ids), "now": now, "stale": now - HEARD_EVERY}
    (rows,) = await together(session, (_LOCK, values), entering=entering)
    return {row.dispatch_id: row for row in rows}


async def list_done(session: AsyncSession, site_id: int, ids: Sequence[UUID]) -> dict[UUID, Any]:
    """The finished ones. A statement of its own: one that was moved a moment ago is seen only by a later look."""
    rows = await session.execute(_DONE, {"site_id": site_id, "ids": list(ids)})
    return {row.dispatch_id: row for row in rows}


async def move_acked(
    session: AsyncSession,
    actor: Actor,
    rows: Sequence[Mapping[str, Any]],
    *,
    device: str | None,
    lease_until: datetime,
    now: datetime,
) -> set[UUID]:
    """Each from the state and the number of moves at which it was judged; those that were moved."""
    values = {"rows": packed(rows), "device": device, "lease_until": lease_until, "now": now, **whence(actor)}
    (moved,) = await together(session, (_MOVE, values))
    return {row.command_id for row in moved}


async def note_late(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> None:
    """Acks that changed nothing, on the attempts that they name; one row a dispatch."""
    await session.execute(_LATE, {"rows": packed(rows), "kept": LATE_KEPT})
