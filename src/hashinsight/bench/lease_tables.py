"""Tables of `bench lease`: machines and finished commands; and its updates as plain SQL for pgbench."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from sqlalchemy import text

from hashinsight.bench.scratch import Scratch
from hashinsight.kit.db.context import job_context

MACHINES = 10_000
FINISHED = 1_000_000

_MINERS = """
insert into miners (tenant_id, site_id, miner_id, model, created_at, updated_at)
select tenant_id, id, 'm' || n, 'Antminer S19j Pro', created_at, created_at from sites, generate_series(1, {machines}) n
"""
# one a second in the past, each finished at its first attempt
_DONE = """
insert into commands_done (command_id, tenant_id, site_id, miner_no, miner_id, batch_id, command_type, is_control,
    params, asks, priority, priority_number, urgency, emergency, ttl_sec, expires_at, approval_state, created_by_kind,
    created_at, created_reason, state, moves, attempt, max_retries, retry_backoff_sec, next_attempt_at, dispatch_id,
    dispatched_at, finished_at, ack_payload, verification, updated_at)
select uuidv7(-n * interval '1 second'), m.tenant_id, m.site_id, m.miner_no, m.miner_id, uuidv7(), 'set_fan', true,
    '{{"speed": 60}}', '\\x01', 'efficiency', 5, 15, false, 900, at + interval '900 s', 'none', 'rule', at,
    'a benchmark', 'succeeded', 3, 1, 3, 15, at, uuidv7(-n * interval '1 second'), at, at + interval '9 s',
    '{{"status": "succeeded"}}', 'verified', at + interval '9 s'
from (select n, timestamptz '2026-01-01' - n * interval '1 second' as at from generate_series(1, {finished}) n) g
join miners m on m.miner_no = 1 + n % {machines}
"""
_ATTEMPTS = """
insert into command_attempts (dispatch_id, tenant_id, site_id, command_id, miner_no, n, collector_id, held_by,
    deliveries, leased_at, lease_until, result, acked_at, payload, snapshot_before, snapshot_after)
select d.dispatch_id, d.tenant_id, d.site_id, d.command_id, d.miner_no, 1, c.id, array[c.id], 1, d.dispatched_at,
    d.finished_at, 'succeeded', d.finished_at, d.ack_payload, '{{"fan": 5400}}', '{{"fan": 4200}}'
from commands_done d, collectors c
"""
_HISTORY = """
insert into command_history (command_id, n, tenant_id, site_id, at, event, old_state, new_state, actor_kind)
select d.command_id, e.n, d.tenant_id, d.site_id, d.created_at, e.event, null, e.state, 'rule'
from commands_done d, (values (1, 'created', 'queued'), (2, 'leased', 'dispatched'), (3, 'succeeded', 'succeeded'))
    as e (n, event, state)
"""


@dataclass(frozen=True)
class Owner:
    tenant_id: UUID
    site_id: int
    collector_id: UUID


async def fill(installation: Scratch) -> Owner:
    """Fill every table that a poll or an ack reads."""
    async with installation.database.transaction(job_context(work_seconds=1200)) as session:
        for statement in (_MINERS, _DONE, _ATTEMPTS, _HISTORY):
            await session.execute(text(statement.format(machines=MACHINES, finished=FINISHED).replace(":", "\\:")))
        row = (await session.execute(text("select tenant_id, site_id, id from collectors"))).one()
    await asyncio.to_thread(installation.settle)
    return Owner(row.tenant_id, row.site_id, row.id)


_HISTORY_ROW = """
    insert into command_history (command_id, n, tenant_id, site_id, at, event, old_state, new_state, actor_kind,
        actor_id, details)
    select command_id, moves, tenant_id, site_id, '2026-03-01', '{event}', '{old}', state, 'collector',
        '0195508a-0000-7000-8000-00000000000b', jsonb_build_object('dispatch_id', dispatch_id, 'device', 'shard-1')
    from moved"""
_AUDIT_ROW = """insert into audit_log (id, at, tenant_id, actor_kind, actor_id, action, entity_type, entity_id, before,
        after, request_id, address)
    select uuidv7(), '2026-03-01', tenant_id, 'collector', '0195508a-0000-7000-8000-00000000000b', '{action}',
        'command', command_id::text, '{{"state": "{old}"}}', jsonb_build_object('state', state, 'dispatch_id',
        dispatch_id, 'attempt', attempt, 'miner_id', miner_id, 'device_id', 'shard-1'),
        '0195508a-0000-7000-8000-00000000000b', '127.0.0.1' from moved"""
_MOVES = """begin;
{context}
with chosen as (
    select command_id from commands where site_id = {site_id} and command_type = 'set_fan' and state = 'queued'
        and approval_state <> 'required' order by urgency desc, created_at, command_id limit {batch}
    for update skip locked
), moved as (
    update commands c set state = 'dispatched', moves = moves + 1, attempt = attempt + 1, dispatch_id = uuidv7(),
        lease_owner = '{collector_id}', lease_device = 'shard-1', lease_until = '2036-03-01',
        dispatched_at = '2026-03-01', updated_at = '2026-03-01'
    from chosen where c.command_id = chosen.command_id returning c.*
), tried as (
    insert into command_attempts (dispatch_id, tenant_id, site_id, command_id, miner_no, n, collector_id, device,
        held_by, deliveries, leased_at, lease_until)
    select dispatch_id, tenant_id, site_id, command_id, miner_no, attempt, lease_owner, lease_device,
        array[lease_owner], 1, '2026-03-01', lease_until from moved
), history as (
    {history_leased}
), audited as (
    {audit_leased}
)
select array_agg(dispatch_id)::text as ids, sum(length(params::text) + length(miner_id)) as sent from moved \\gset
commit;
begin;
{context}
with moved as (
    update commands c set state = 'succeeded', moves = moves + 1, updated_at = '2026-03-01',
        finished_at = '2026-03-01', lease_owner = null, lease_device = null, lease_until = null,
        ack_payload = '{payload}', verification = 'pending'
    from command_attempts a where a.dispatch_id = any (:ids::uuid[]) and c.command_id = a.command_id
        and c.dispatch_id = a.dispatch_id and c.state = 'dispatched' returning c.*
), tried as (
    update command_attempts a set result = 'succeeded', acked_at = '2026-03-01', started_at = '2026-03-01',
        finished_at = '2026-03-01', execution_time_ms = 4500, payload = '{payload}', snapshot_before = '{snapshot}',
        snapshot_after = '{snapshot}'
    from moved where a.dispatch_id = moved.dispatch_id
), history as (
    {history_acked}
), audited as (
    {audit_acked}
)
select count(*) from moved;
commit;
"""
_PAYLOAD = '{"status": "succeeded", "started_at": "2026-03-01T12:00:01Z", "result": {"accepted": true}}'
_SNAPSHOT = (
    '{"hashrate_ths": 103.9, "power_w": 3050, "temp_max_c": 71.5, "fan_rpm": [5400, 5380, 5410, 5395], "mode": "x"}'
)


def write_pgbench_script(installation: Scratch, owner: Owner, *, batch: int) -> Path:
    """One transaction leases a batch, another acks it."""
    inserts = {
        f"{name}_{event}": part.format(event=event, action=f"command_{event}", old=old)
        for name, part in (("history", _HISTORY_ROW), ("audit", _AUDIT_ROW))
        for event, old in (("leased", "queued"), ("acked", "dispatched"))
    }
    context = (
        f"select set_config('role', 'hi_app', true), set_config('app.tenant', '{owner.tenant_id}', true),"
        f" set_config('app.sites', '{owner.site_id}', true), set_config('enable_seqscan', 'off', true),"
        " set_config('plan_cache_mode', 'force_generic_plan', true);"
    )
    script = installation.folder / "moves.sql"
    ids = {"site_id": owner.site_id, "collector_id": owner.collector_id}
    script.write_text(
        _MOVES.format(context=context, batch=batch, payload=_PAYLOAD, snapshot=_SNAPSHOT, **ids, **inserts)
    )
    return script
