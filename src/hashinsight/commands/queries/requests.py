"""Making commands: one statement for all machines of a request, and one for all that they supersede."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.models import APPROVALS, BATCHES
from hashinsight.commands.queries.fragments import TOLD, packed, rows_of, who
from hashinsight.commands.states import LEASED, Event, sql_begin_states, sql_list

# Deterministic, and under the machines' locks: what is read here is all that there is to weigh. What ran out in the
# queue never goes out, also while it waits for the sweep that ends it: it stands against nobody.
_PRESENT = """
select command_id, miner_no, moves, command_type, asks, priority, emergency, state, dispatch_id from commands
where miner_no = any (cast(:nos as int[])) and finished_at is null and is_control
    and (state <> 'queued' or coalesce(expires_at, approval_until) > :now)
order by command_id
"""
_SEEN, _HELD = text(_PRESENT), text(f"{_PRESENT} for update")
_CREATE = text(f"""
with given as (select * from {rows_of("rows", command_id="uuid", miner_no="int", message="text", details="jsonb")}),
made as (
    insert into commands (command_id, tenant_id, site_id, zone_id, miner_no, miner_id, batch_id, command_type,
        is_control, params, sealed_params, asks, priority, priority_number, urgency, emergency, ttl_sec, expires_at,
        dedupe_key, approval_state, approval_until, created_by_kind, created_by, created_at, created_reason, rule_id,
        rule_version, problem_id, evidence, state, moves, attempt, max_retries, retry_backoff_sec, next_attempt_at,
        updated_at)
    select given.command_id, m.tenant_id, m.site_id, m.zone_id, m.miner_no, m.miner_id, :batch_id, :command_type,
        :is_control, cast(:params as jsonb), cast(:sealed as bytea), cast(:asks as bytea), :priority,
        cast(:priority_number as smallint), cast(:urgency as smallint), :emergency, :ttl_sec,
        cast(:expires_at as timestamptz), :dedupe_key, :approval_state, cast(:approval_until as timestamptz),
        :actor_kind, :actor_id, :now, :reason, :rule_id, cast(:rule_version as int), :problem_id,
        cast(:evidence as jsonb), 'queued', 1, 0, :max_retries, :backoff_sec, :now, :now
    from given join miners m on m.miner_no = given.miner_no
    returning command_id, moves, tenant_id, site_id, miner_no
), told as (
    {TOLD}
    select made.command_id, made.moves, made.tenant_id, made.site_id, :now, 'created', null, 'queued', :actor_kind,
        :actor_id, given.message, given.details, null
    from made join given on given.command_id = made.command_id
), kept as (
    insert into command_dedupe (tenant_id, site_id, dedupe_key, miner_no, requester, command_id, until_at)
    select tenant_id, site_id, :dedupe_key, miner_no, :requester, command_id, cast(:dedupe_until as timestamptz)
    from made where cast(:dedupe_key as text) is not null
    on conflict (tenant_id, dedupe_key, miner_no, requester) do update
    set command_id = excluded.command_id, until_at = excluded.until_at, site_id = excluded.site_id
)
select count(*) from made
""")  # noqa: S608 - words of our own tables
# each looked up by itself and written by its place, as a lease does it and for its reason
_SUPERSEDE = text(f"""
with given as (
    select given.*, found.* from {rows_of("rows", command_id="uuid", moves="int", by="uuid", message="text")}
    cross join lateral (
        select ctid as spot, state as old_state from commands where command_id = given.command_id limit 1
    ) found
), moved as (
    update commands c
    set state = 'superseded', superseded_by = given.by, moves = c.moves + 1, finished_at = :now, updated_at = :now,
        lease_owner = null, lease_device = null, lease_until = null
    from given
    where c.ctid = given.spot and c.moves = given.moves and c.state in ({sql_begin_states(Event.SUPERSEDED)})
    returning c.command_id, c.moves, c.tenant_id, c.site_id, c.dispatch_id, c.miner_no, given.by, given.message,
        given.old_state
), fenced as (
    update command_attempts a set result = 'fenced'
    from moved where a.dispatch_id = moved.dispatch_id and moved.old_state in ({sql_list(LEASED)})
), told as (
    {TOLD}
    select command_id, moves, tenant_id, site_id, :now, 'superseded', old_state, 'superseded', :actor_kind, :actor_id,
        message, jsonb_build_object('superseded_by', by, 'dispatch_id', dispatch_id), null
    from moved
)
select command_id, tenant_id, old_state, by, dispatch_id from moved
""")  # noqa: S608 - words of our own tables
_REPEATED = text("""
select d.miner_no, d.command_id, c.state, c.approval_state, c.miner_id from command_dedupe d
join all_commands c on c.command_id = d.command_id
where d.tenant_id = :tenant_id and d.dedupe_key = :key and d.requester in ('', :requester)
    and d.miner_no = any (cast(:nos as int[])) and d.until_at > :now
""")
_CLAIM = text("""
insert into command_keys (tenant_id, key, fingerprint, batch_id, until_at)
values (:tenant_id, :key, :fingerprint, :batch_id, :until_at)
on conflict (tenant_id, key) do update
set fingerprint = excluded.fingerprint, batch_id = excluded.batch_id, until_at = excluded.until_at
where command_keys.until_at <= :now
returning batch_id
""")
_CLAIMED = text("select fingerprint, batch_id from command_keys where tenant_id = :tenant_id and key = :key")


async def list_present(session: AsyncSession, miner_nos: Sequence[int], *, lock: bool, now: datetime) -> Sequence[Any]:
    """The control commands of these machines that are under way or may still go out."""
    return (await session.execute(_HELD if lock else _SEEN, {"nos": list(miner_nos), "now": now})).all()


async def list_repeated(
    session: AsyncSession, tenant_id: UUID, requester: str, key: str, miner_nos: Sequence[int], *, now: datetime
) -> Sequence[Any]:
    """What this requester's dedupe key made for these machines inside its window."""
    values = {"tenant_id": tenant_id, "requester": requester, "key": key, "nos": list(miner_nos), "now": now}
    return (await session.execute(_REPEATED, values)).all()


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
    """None: the key is this request's now. Else whose it was; a request that is under way is waited for."""
    values = {"tenant_id": tenant_id, "key": key, "fingerprint": fingerprint, "batch_id": batch_id}
    if (await session.execute(_CLAIM, {**values, "until_at": until_at, "now": now})).first() is not None:
        return None
    return (await session.execute(_CLAIMED, {"tenant_id": tenant_id, "key": key})).one()


async def insert_batch(session: AsyncSession, values: Mapping[str, Any]) -> None:
    await session.execute(insert(BATCHES).values(**values))


async def insert_approval(session: AsyncSession, values: Mapping[str, Any]) -> None:
    await session.execute(insert(APPROVALS).values(**values))


async def insert_commands(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> int:
    """One row a machine, with its history and its dedupe key; says how many."""
    return int((await session.execute(_CREATE, {**values, **who(actor), "rows": packed(rows)})).scalar_one())


async def move_superseded(
    session: AsyncSession, actor: Actor, rows: Sequence[Mapping[str, Any]], *, now: datetime
) -> Sequence[Any]:
    """Open → superseded; where one was leased, its dispatch is fenced off in the same statement."""
    return (await session.execute(_SUPERSEDE, {**who(actor), "rows": packed(rows), "now": now})).all()
