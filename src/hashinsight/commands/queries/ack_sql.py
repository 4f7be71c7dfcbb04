"""The statements of acks: dispatches locked with the facts that decide, commands moved with history and audit.

Commands are locked in the order of their ids, so that batches that overlap wait for each other and never deadlock; the
attempts too, so that a waiting batch sees what the other one wrote. Each row is found by its key (`limit 1`) and
updated by its place in the table, as in a lease and for the same reason.
"""

from sqlalchemy import text

from hashinsight.audit.actions import Action
from hashinsight.commands.queries.fragments import NOTE_DEVICE, insert_audit, insert_history, unpack_rows
from hashinsight.commands.states import FINAL, LEASED, OPEN, sql_list

# The one definition of who holds the lease of the newest dispatch. Where both sides name a device, it is the same.
HOLDS_LEASE = f"""
        coalesce(
            c.dispatch_id = a.dispatch_id
                and c.state in ({sql_list(LEASED)})
                and c.lease_owner = :collector_id
                and coalesce(c.lease_device = cast(:device as text), true),
            false
        )"""
_FACTS = f"""
        a.dispatch_id,
        a.result,
        :collector_id = any (a.held_by) as has_held,
        c.command_id,
        c.miner_no,
        c.command_type,
        c.priority,
        c.state,
        coalesce(c.dispatch_id = a.dispatch_id, false) as is_newest,
        c.dispatch_id is null as waits_for_retry,
        {HOLDS_LEASE} as holds_lease,
        c.attempt,
        c.max_retries,
        c.retry_backoff_sec,
        c.expires_at,
        c.cancel_requested_at is not null as is_canceling,
        c.moves"""
_ACK_COLUMNS = {
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
_VERDICT_COLUMNS = {
    "command_id": "uuid",
    "moves": "int",
    "event": "text",
    "old_state": "text",
    "new_state": "text",
    "error_code": "text",
    "next_attempt_at": "timestamptz",
    "message": "text",
}

_HISTORY = insert_history(
    "moved",
    n="n",
    event="event",
    old_state="old_state",
    new_state="new_state",
    message="message",
    details="""jsonb_build_object(
        'dispatch_id', dispatch_id, 'error_code', error_code, 'device', cast(:device as text),
        'next_attempt_at', next_attempt_at)""",
    execution_time_ms="execution_time_ms",
)
_AUDIT = insert_audit(
    "moved",
    Action.COMMAND_ACKED,
    before="jsonb_build_object('state', old_state)",
    after="""jsonb_build_object(
        'state', new_state, 'status', result, 'error_code', error_code, 'dispatch_id', dispatch_id)""",
    reason="message",
)
_WRITE_MOVES = f"""
-- moves the commands of `acked`, guarded by the dispatch, the state and the number of moves that were judged
moved as (
    update commands c
    set state = acked.new_state,
        moves = c.moves + 1,
        updated_at = :now,
        started_at = coalesce(c.started_at, acked.started_at, case when acked.new_state = 'running' then :now end),
        finished_at = case when acked.new_state in ({sql_list(FINAL)}) then :now end,
        lease_owner = case when acked.new_state = 'running' then c.lease_owner end,
        lease_device = case when acked.new_state = 'running' then c.lease_device end,
        lease_until = case when acked.new_state = 'running' then greatest(c.lease_until, :lease_until) end,
        dispatch_id = case when acked.event <> 'retried' then c.dispatch_id end,
        next_attempt_at = coalesce(acked.next_attempt_at, c.next_attempt_at),
        ack_payload = acked.payload,
        error_code = acked.error_code,
        error_message = acked.error_message,
        verification = case when acked.event = 'succeeded' or acked.result = 'skipped' then 'pending' end
    from acked
    where c.ctid = acked.place
        and c.dispatch_id = acked.dispatch_id
        and c.moves = acked.moves
        and c.state = acked.old_state
        and c.state in ({sql_list(OPEN)})
    returning c.moves as n, c.tenant_id, c.site_id, acked.*
),
-- the dispatch keeps what the collector reported
attempts as (
    update command_attempts a
    set result = moved.result,
        acked_at = :now,
        started_at = coalesce(moved.started_at, a.started_at),
        finished_at = moved.finished_at,
        execution_time_ms = moved.execution_time_ms,
        payload = moved.payload,
        error_code = moved.error_code,
        error_message = moved.error_message,
        snapshot_before = coalesce(moved.snapshot_before, a.snapshot_before),
        snapshot_after = coalesce(moved.snapshot_after, a.snapshot_after)
    from moved
    where a.dispatch_id = moved.dispatch_id
),
-- one row of history per move
history as ({_HISTORY}),
-- one audit entry per move
audited as ({_AUDIT})
"""  # noqa: S608 - words of our own tables

# A success reported by the holder of the lease passes the fence, so it is moved at once. Left to the judge: a command
# named by an older dispatch as well (the order of the acks decides), and one that changed while its lock was awaited
# (the update does not see the new row).
LOCK_ACKED = text(f"""
with
-- the device was heard
device as ({NOTE_DEVICE}),
-- dispatches of this site, in the order of locking
named as materialized (
    select dispatch_id, command_id
    from command_attempts
    where dispatch_id = any (cast(:ids as uuid[])) and site_id = :site_id
    order by command_id
),
-- their commands and attempts, locked
locked as materialized (
    select c.place, {_FACTS}
    from named
    cross join lateral (
        select ctid as place, * from commands where command_id = named.command_id limit 1 for update
    ) c
    cross join lateral (
        select * from command_attempts where dispatch_id = named.dispatch_id limit 1 for update
    ) a
),
-- successes by the holder of the lease
acked as (
    select
        locked.place,
        locked.command_id,
        locked.moves,
        locked.state as old_state,
        'succeeded' as event,
        'succeeded' as new_state,
        cast(null as text) as error_code,
        cast(null as timestamptz) as next_attempt_at,
        cast(null as text) as message,
        given.*
    from {unpack_rows("successes", **_ACK_COLUMNS)}
    join locked on locked.dispatch_id = given.dispatch_id
    where locked.holds_lease
        and locked.command_id not in (select command_id from locked where not is_newest)
),
{_WRITE_MOVES}
select locked.*, locked.command_id in (select command_id from moved) as is_moved
from locked
""")  # noqa: S608 - words of our own tables

FINISHED_ACKED = text(f"""
select {_FACTS}, false as is_moved
from command_attempts a
join commands_done c on c.command_id = a.command_id
where a.dispatch_id = any (cast(:ids as uuid[])) and a.site_id = :site_id
""")  # noqa: S608 - words of our own tables

MOVE_ACKED = text(f"""
with
-- judged acks, each with its command's place in the table
acked as (
    select c.place, given.*
    from {unpack_rows("rows", **_ACK_COLUMNS, **_VERDICT_COLUMNS)}
    cross join lateral (
        select ctid as place from commands where command_id = given.command_id limit 1
    ) c
),
{_WRITE_MOVES}
select command_id from moved
""")  # noqa: S608 - words of our own tables

NOTE_LATE = text(f"""
with
-- late acks by dispatch
late as (
    select * from {unpack_rows("rows", dispatch_id="uuid", n="int", acks="jsonb")}
),
-- locked in the order of ids
locked as (
    select a.dispatch_id
    from command_attempts a
    join late on late.dispatch_id = a.dispatch_id
    order by a.dispatch_id
    for update of a
)
update command_attempts a
set late_count = a.late_count + late.n,
    late_acks = case when a.late_count < :kept then coalesce(a.late_acks, '[]') || late.acks else a.late_acks end
from late
join locked on locked.dispatch_id = late.dispatch_id
where a.dispatch_id = late.dispatch_id
""")  # noqa: S608 - words of our own tables
