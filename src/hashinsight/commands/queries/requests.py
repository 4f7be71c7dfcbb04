"""Requests: one statement that inserts the commands of all machines, and one for all that they supersede."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.models import APPROVALS, BATCHES
from hashinsight.commands.queries.fragments import actor_values, insert_history, pack_rows, unpack_rows
from hashinsight.commands.states import LEASED, Event, sql_begin_states, sql_list

# A command that expired in the queue is never dispatched, also before the sweep ends it: it is not compared.
_OPEN = """
select
    command_id,
    miner_no,
    moves,
    command_type,
    asks,
    priority,
    emergency,
    state,
    dispatch_id
from commands
where miner_no = any (cast(:nos as int[]))
    and finished_at is null
    and is_control
    and (state <> 'queued' or coalesce(expires_at, approval_until) > :now)
order by command_id
"""
_READ_OPEN, _LOCK_OPEN = text(_OPEN), text(f"{_OPEN} for update")
# insert column → value
_COMMAND = {
    "command_id": "given.command_id",
    "tenant_id": "m.tenant_id",
    "site_id": "m.site_id",
    "zone_id": "m.zone_id",
    "miner_no": "m.miner_no",
    "miner_id": "m.miner_id",
    "batch_id": ":batch_id",
    "command_type": ":command_type",
    "is_control": ":is_control",
    "params": "cast(:params as jsonb)",
    "sealed_params": "cast(:sealed as bytea)",
    "asks": "cast(:asks as bytea)",
    "priority": ":priority",
    "priority_number": "cast(:priority_number as smallint)",
    "urgency": "cast(:urgency as smallint)",
    "emergency": ":emergency",
    "ttl_sec": ":ttl_sec",
    "expires_at": "cast(:expires_at as timestamptz)",
    "dedupe_key": ":dedupe_key",
    "approval_state": ":approval_state",
    "approval_until": "cast(:approval_until as timestamptz)",
    "created_by_kind": ":actor_kind",
    "created_by": ":actor_id",
    "created_at": ":now",
    "created_reason": ":reason",
    "rule_id": ":rule_id",
    "rule_version": "cast(:rule_version as int)",
    "problem_id": ":problem_id",
    "evidence": "cast(:evidence as jsonb)",
    "state": "'queued'",
    "moves": "1",
    "attempt": "0",
    "max_retries": ":max_retries",
    "retry_backoff_sec": ":backoff_sec",
    "next_attempt_at": ":now",
    "updated_at": ":now",
}
_CREATED = insert_history(
    "created join given on given.command_id = created.command_id",
    command_id="created.command_id",
    event="'created'",
    old_state="null",
    new_state="'queued'",
    message="given.message",
    details="given.details",
)
_SUPERSEDED = insert_history(
    "moved",
    event="'superseded'",
    old_state="old_state",
    new_state="'superseded'",
    message="message",
    details="jsonb_build_object('superseded_by', by, 'dispatch_id', dispatch_id)",
)
_INSERT = text(f"""
with
given as (
    select * from {unpack_rows("rows", command_id="uuid", miner_no="int", message="text", details="jsonb")}
),
-- one command per machine
created as (
    insert into commands ({", ".join(_COMMAND)})
    select {", ".join(_COMMAND.values())}
    from given
    join miners m on m.miner_no = given.miner_no
    returning command_id, moves, tenant_id, site_id, miner_no
),
-- its first row of history, with the reason of the arbitration
history as ({_CREATED}),
-- the requester's dedupe key now stands for these commands
dedupe as (
    insert into command_dedupe (tenant_id, site_id, dedupe_key, miner_no, requester, command_id, until_at)
    select tenant_id, site_id, :dedupe_key, miner_no, :requester, command_id, cast(:dedupe_until as timestamptz)
    from created
    where cast(:dedupe_key as text) is not null
    on conflict (tenant_id, dedupe_key, miner_no, requester) do update
    set command_id = excluded.command_id,
        until_at = excluded.until_at,
        site_id = excluded.site_id
)
select count(*) from created
""")  # noqa: S608 - words of our own tables
# each row is found by its key and updated by its place, as in a lease and for the same reason
_SUPERSEDE = text(f"""
with
given as (
    select given.*, c.*
    from {unpack_rows("rows", command_id="uuid", moves="int", by="uuid", message="text")}
    cross join lateral (
        select ctid as place, state as old_state from commands where command_id = given.command_id limit 1
    ) c
),
moved as (
    update commands c
    set state = 'superseded',
        superseded_by = given.by,
        moves = c.moves + 1,
        finished_at = :now,
        updated_at = :now,
        lease_owner = null,
        lease_device = null,
        lease_until = null
    from given
    where c.ctid = given.place
        and c.moves = given.moves
        and c.state in ({sql_begin_states(Event.SUPERSEDED)})
    returning
        c.command_id, c.moves, c.tenant_id, c.site_id, c.dispatch_id, given.by, given.message, given.old_state
),
-- the dispatch of a leased command is fenced: its ack comes too late
fenced as (
    update command_attempts a
    set result = 'fenced'
    from moved
    where a.dispatch_id = moved.dispatch_id and moved.old_state in ({sql_list(LEASED)})
),
history as ({_SUPERSEDED})
select command_id, tenant_id, old_state, by, dispatch_id from moved
""")  # noqa: S608 - words of our own tables
_BY_DEDUPE_KEY = text("""
select d.miner_no, d.command_id, c.state, c.approval_state, c.miner_id
from command_dedupe d
join all_commands c on c.command_id = d.command_id
where d.tenant_id = :tenant_id
    and d.dedupe_key = :key
    and d.requester in ('', :requester)
    and d.miner_no = any (cast(:nos as int[]))
    and d.until_at > :now
""")
_CLAIM_KEY = text("""
insert into command_keys (tenant_id, key, fingerprint, batch_id, until_at)
values (:tenant_id, :key, :fingerprint, :batch_id, :until_at)
on conflict (tenant_id, key) do update
set fingerprint = excluded.fingerprint, batch_id = excluded.batch_id, until_at = excluded.until_at
where command_keys.until_at <= :now
returning batch_id
""")
_FIND_KEY = text("select fingerprint, batch_id from command_keys where tenant_id = :tenant_id and key = :key")


async def list_open(session: AsyncSession, miner_nos: Sequence[int], *, lock: bool, now: datetime) -> Sequence[Any]:
    """Control commands of these machines that are dispatched or may still be."""
    return (await session.execute(_LOCK_OPEN if lock else _READ_OPEN, {"nos": list(miner_nos), "now": now})).all()


async def list_by_dedupe_key(
    session: AsyncSession, tenant_id: UUID, requester: str, key: str, miner_nos: Sequence[int], *, now: datetime
) -> Sequence[Any]:
    """Commands that this requester created for these machines with the same dedupe key, within its window."""
    values = {"tenant_id": tenant_id, "requester": requester, "key": key, "nos": list(miner_nos), "now": now}
    return (await session.execute(_BY_DEDUPE_KEY, values)).all()


async def claim_key(
    session: AsyncSession,
    tenant_id: UUID,
    key: str,
    *,
    fingerprint: bytes,
    batch_id: UUID,
    until_at: datetime,
    now: datetime,
) -> Any | None:
    """None: the Idempotency-Key was free and is taken now. Else its request; waits for one that is in progress."""
    values = {"tenant_id": tenant_id, "key": key, "fingerprint": fingerprint, "batch_id": batch_id}
    if (await session.execute(_CLAIM_KEY, {**values, "until_at": until_at, "now": now})).first() is not None:
        return None
    return (await session.execute(_FIND_KEY, {"tenant_id": tenant_id, "key": key})).one()


async def insert_batch(session: AsyncSession, values: Mapping[str, Any]) -> None:
    await session.execute(insert(BATCHES).values(**values))


async def insert_approval(session: AsyncSession, values: Mapping[str, Any]) -> None:
    await session.execute(insert(APPROVALS).values(**values))


async def insert_commands(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> int:
    """One command per row, with history and dedupe key; returns how many."""
    return int(
        (await session.execute(_INSERT, {**values, **actor_values(actor), "rows": pack_rows(rows)})).scalar_one()
    )


async def move_superseded(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], *, now: datetime
) -> Sequence[Any]:
    """Open → superseded; the dispatch of a leased command is fenced in the same statement."""
    return (await session.execute(_SUPERSEDE, {**actor_values(actor), "rows": pack_rows(rows), "now": now})).all()
