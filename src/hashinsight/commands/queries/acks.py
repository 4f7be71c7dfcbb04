"""Acks: the commands behind dispatches, read under their locks, and moved in one statement."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.queries.entries import INSERT_AUDIT_LOG
from hashinsight.commands.queries.fragments import TOLD, listed_ids, packed, rows_of, whence
from hashinsight.commands.queries.lease_sql import HEARD
from hashinsight.commands.queries.leases import HEARD_EVERY
from hashinsight.commands.states import FINAL, LEASED, OPEN, sql_list
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.pipeline import execute_together

LATE_KEPT = 20

_FACTS = """a.dispatch_id, a.result, a.held_by, c.command_id, c.miner_no, c.command_type, c.priority, c.state,
    c.dispatch_id as newest, c.lease_owner, c.lease_device, c.attempt, c.max_retries, c.retry_backoff_sec, c.expires_at,
    c.cancel_requested_at is not null as is_canceling, c.moves"""
# from `given`, a row a command and where it lies in the table, to what a move writes
_WRITTEN = f"""moved as (
    update commands c
    set state = given.new_state, moves = c.moves + 1, updated_at = :now,
        started_at = coalesce(c.started_at, given.started_at, case when given.new_state = 'running' then :now end),
        finished_at = case when given.new_state in ({sql_list(FINAL)}) then :now end,
        lease_owner = case when given.new_state = 'running' then c.lease_owner end,
        lease_device = case when given.new_state = 'running' then c.lease_device end,
        lease_until = case when given.new_state = 'running' then greatest(c.lease_until, :lease_until) end,
        dispatch_id = case when given.event <> 'retried' then c.dispatch_id end,
        next_attempt_at = coalesce(given.next_attempt_at, c.next_attempt_at),
        ack_payload = given.payload, error_code = given.error_code, error_message = given.error_message,
        verification = case when given.event = 'succeeded' or given.result = 'skipped' then 'pending' end
    from given
    where c.ctid = given.spot and c.dispatch_id = given.dispatch_id and c.moves = given.moves
        and c.state = given.old_state and c.state in ({sql_list(OPEN)})
    returning c.moves as n, c.tenant_id, c.site_id, given.*
), tried as (
    update command_attempts a
    set result = moved.result, acked_at = :now, started_at = coalesce(moved.started_at, a.started_at),
        finished_at = moved.finished_at, execution_time_ms = moved.execution_time_ms, payload = moved.payload,
        error_code = moved.error_code, error_message = moved.error_message,
        snapshot_before = coalesce(moved.snapshot_before, a.snapshot_before),
        snapshot_after = coalesce(moved.snapshot_after, a.snapshot_after)
    from moved where a.dispatch_id = moved.dispatch_id
), told as (
    {TOLD}
    select command_id, n, tenant_id, site_id, :now, event, old_state, new_state, :actor_kind, :actor_id, message,
        jsonb_build_object('dispatch_id', dispatch_id, 'error_code', error_code, 'device', cast(:device as text),
            'next_attempt_at', next_attempt_at), execution_time_ms
    from moved
), recorded as (
    {INSERT_AUDIT_LOG}
    select entry_id, :now, tenant_id, :actor_kind, :actor_id, '{Action.COMMAND_ACKED.value}', 'command',
        command_id::text, jsonb_build_object('state', old_state),
        jsonb_build_object('state', new_state, 'status', result, 'error_code', error_code, 'dispatch_id', dispatch_id),
        message, :request_id, :address
    from moved
)"""  # noqa: S608 - words of our own tables
_KEPT = {
    "dispatch_id": "uuid",
    "result": "text",
    "error_message": "text",
    "payload": "jsonb",
    "snapshot_before": "jsonb",
    "snapshot_after": "jsonb",
    "started_at": "timestamptz",
    "finished_at": "timestamptz",
    "execution_time_ms": "int",
    "entry_id": "uuid",
}
_JUDGED = {
    "command_id": "uuid",
    "moves": "int",
    "event": "text",
    "old_state": "text",
    "new_state": "text",
    "error_code": "text",
    "next_attempt_at": "timestamptz",
    "message": "text",
}
# Who holds the newest dispatch says that it succeeded: what `judging` would say of it is known, and a test holds that.
PLAIN = f"""held.newest = held.dispatch_id and held.state in ({sql_list(LEASED)}) and held.lease_owner = :collector_id
        and coalesce(held.lease_device = cast(:device as text), true)"""
# In the order of ids, so that two batches that overlap wait for each other and never in a circle; the attempts as well,
# so that who waited sees what the other one wrote on them. A command that an older dispatch is named of as well is
# left to the judge, who goes by the order in which they were said. So is one that changed while its lock was waited
# for: the update does not see what lies in its place by now. Each row is looked up by itself (`limit 1`) and written by
# its place, as a lease does it and for its reason.
_TAKE = text(f"""
with heard as (
    {HEARD}
), named as materialized (
    select dispatch_id, command_id from command_attempts
    where dispatch_id = any (cast(:ids as uuid[])) and site_id = :site_id order by command_id
), held as materialized (
    select c.spot, {_FACTS} from named
    cross join lateral (
        select ctid as spot, * from commands where command_id = named.command_id limit 1 for update
    ) c
    cross join lateral (select * from command_attempts where dispatch_id = named.dispatch_id limit 1 for update) a
), given as (
    select held.spot, held.command_id, held.moves, held.state as old_state, 'succeeded' as event,
        'succeeded' as new_state, cast(null as text) as error_code, cast(null as timestamptz) as next_attempt_at,
        cast(null as text) as message, given.*
    from {rows_of("rows", **_KEPT)} join held on held.dispatch_id = given.dispatch_id
    where {PLAIN} and held.command_id not in (
        select command_id from held where newest is distinct from dispatch_id)
), {_WRITTEN}
select held.*, held.command_id in (select command_id from moved) as is_moved from held
""")  # noqa: S608 - words of our own tables
_DONE = text(f"""
select {_FACTS}, false as is_moved
from command_attempts a join commands_done c on c.command_id = a.command_id
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")  # noqa: S608 - words of our own tables
_MOVE = text(f"""
with given as (
    select found.spot, given.* from {rows_of("rows", **_KEPT, **_JUDGED)}
    cross join lateral (select ctid as spot from commands where command_id = given.command_id limit 1) found
), {_WRITTEN}
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


async def take_acked(
    session: AsyncSession,
    actor: Actor,
    ids: Sequence[UUID],
    plain: Sequence[Mapping[str, Any]],
    *,
    device: str | None,
    entering: Context | None = None,
    now: datetime,
    **owner: Any,
) -> dict[UUID, Any]:
    """By dispatch, the commands that are in the hot table, locked. The device that says them is noted as heard.

    `plain` are the successes among them: those that need no judge are moved by the same statement, and say so
    (`is_moved`). `owner`: tenant_id, site_id, collector_id.
    """
    values = {
        **owner,
        "device": device,
        "ids": listed_ids(ids),
        "rows": packed(plain),
        "lease_until": None,
        "stale": now - HEARD_EVERY,
        "now": now,
        **whence(actor),
    }
    (rows,) = await execute_together(session, (_TAKE, values), begin_as=entering)
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
    (moved,) = await execute_together(session, (_MOVE, values))
    return {row.command_id for row in moved}


async def note_late(session: AsyncSession, rows: Sequence[Mapping[str, Any]]) -> None:
    """Acks that changed nothing, on the attempts that they name; one row a dispatch."""
    await session.execute(_LATE, {"rows": packed(rows), "kept": LATE_KEPT})


_MACHINES = text("""
select a.dispatch_id, m.miner_id from command_attempts a join miners m on m.miner_no = a.miner_no
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")


async def list_machines(session: AsyncSession, site_id: int, named: Sequence[str]) -> dict[str, str]:
    """The machine's id by the dispatch's, as it was written; without what is nobody's at this site."""
    ids = {one: found for one in named if (found := _uuid(one)) is not None}
    rows = await session.execute(_MACHINES, {"site_id": site_id, "ids": list(ids.values())})
    machines = {row.dispatch_id: row.miner_id for row in rows}
    return {one: machines[found] for one, found in ids.items() if found in machines}


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
