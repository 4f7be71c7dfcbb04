"""The statement that leases commands, with and without the site's cap on machines that are down by commands.

Only the first control command of a machine is considered, and only while none is leased there, so that two polls do not
even try to dispatch two of them. A command that waits for its retry keeps its place: commands requested after it would
otherwise be undone by it. Types are read one by one, because thousands may wait of a type whose rate is used up.
Machines are looked up one by one (`limit 1`), by number whatever the statistics say, at the site where they are today.

Updates follow the order of the machines, so that polls that overlap wait for each other and never deadlock, and go by
the place of each locked row: with statistics that say the hot table is empty, as it often is, the planner would prefer
to scan all of it to looking up fifty keys. A row that changed just before it was locked is left to the next poll.
"""

from sqlalchemy import TextClause, text

from hashinsight.audit.actions import Action
from hashinsight.commands.queries.fragments import NOTE_DEVICE, insert_audit, insert_history, ready
from hashinsight.commands.queries.outages import (
    CAPPED_CHOSEN,
    CAPPED_COLUMNS,
    CAPPED_CONDITION,
    CAPPED_ROOM,
    LEASE_ORDER,
    OVER_CAP,
    WENT_OVER,
)
from hashinsight.commands.states import Event, sql_begin_states


def _alive(alias: str) -> str:
    """The expiry is written so that no index matches: one on it alone looks cheap while the table is small."""
    unexpired = f"coalesce({alias}.expires_at, '-infinity') > :now"
    return f"{ready(alias)} and {alias}.cancel_requested_at is null and {unexpired}"


_ROOM = """
-- how many commands of each type this poll may take
room as (
    select r.*
    from unnest(cast(:types as text[]), cast(:rooms as int[])) as r (command_type, room), uncounted
    where not uncounted.waits
)"""
_CHOSEN = f"""
-- the most urgent ones, up to the poll's limit
chosen as (
    select *, row_number() over (order by {LEASE_ORDER}) as place from candidates order by {LEASE_ORDER} limit :most
)"""  # noqa: S608 - words of our own tables
_DISPATCH = "'dispatch_id', dispatch_id, 'attempt', attempt, 'lease_until', lease_until, 'redelivered', is_redelivery"
_HISTORY = insert_history(
    "leased",
    event="'leased'",
    old_state="'queued'",
    new_state="state",
    details=f"jsonb_build_object({_DISPATCH}, 'device', lease_device)",
)
_AUDIT = insert_audit(
    "leased",
    Action.COMMAND_DISPATCHED,
    before="""'{"state": "queued"}'::jsonb""",
    after=f"""jsonb_build_object(
        {_DISPATCH}, 'state', state, 'miner_id', current_miner_id, 'device_id', lease_device)""",
)
_RECORDS = f"""
-- one row per dispatch; a redelivery keeps the row and adds the collector
attempts as (
    insert into command_attempts (
        dispatch_id, tenant_id, site_id, command_id, miner_no, n, collector_id, device, held_by, deliveries, leased_at,
        lease_until
    )
    select
        dispatch_id,
        tenant_id,
        site_id,
        command_id,
        miner_no,
        attempt,
        lease_owner,
        lease_device,
        array[lease_owner],
        1,
        :now,
        lease_until
    from leased
    on conflict (dispatch_id) do update
    set collector_id = excluded.collector_id,
        device = excluded.device,
        leased_at = excluded.leased_at,
        lease_until = excluded.lease_until,
        deliveries = command_attempts.deliveries + 1,
        result = null,
        held_by = case
            when excluded.collector_id = any (command_attempts.held_by) then command_attempts.held_by
            else command_attempts.held_by || excluded.collector_id
        end
),
-- one row of history per lease
history as ({_HISTORY}),
-- one audit entry per lease
audited as ({_AUDIT}),
-- the device was heard
device as ({NOTE_DEVICE})
"""  # noqa: S608 - words of our own tables


def _statement(*, capped: bool) -> TextClause:
    """`capped` also needs `cap`, `site_machines` and `fills`: only the poll that counts a site may fill it up."""

    def if_capped(sql: str) -> str:
        return sql if capped else ""

    return text(f"""
with
-- whether commands wait that have to be counted first; then nothing is leased
uncounted as materialized (
    select exists (
        select
        from unnest(cast(:uncounted as text[])) as t (command_type)
        cross join lateral (
            select from commands c
            where c.site_id = :site_id and c.command_type = t.command_type and {ready("c")}
            limit 1
        ) c
    ) as waits
),
{CAPPED_ROOM if capped else _ROOM},
-- the first due commands of each type, locked; machines that are taken are passed over
candidates as materialized (
    select due.*
    from room
    cross join lateral (
        select
            c.ctid as row_place,
            c.command_id,
            c.miner_no,
            c.urgency,
            c.created_at,
            c.dispatch_id,
            m.miner_id,
            m.zone_id{if_capped(CAPPED_COLUMNS)}
        from commands c
        cross join lateral (
            select miner_id, zone_id
            from miners
            where miner_no = c.miner_no
                and site_id = c.site_id
                and state = 'in_service'
                and (cast(:zone_id as int) is null or zone_id = cast(:zone_id as int))
            limit 1
        ) m
        where c.site_id = :site_id
            and c.command_type = room.command_type
            and {_alive("c")}
            and c.next_attempt_at <= :now
            and c.miner_no <> all (cast(:without as int[])) {if_capped(CAPPED_CONDITION)}
            and (not c.is_control or not exists (
                select from commands o
                where o.miner_no = c.miner_no
                    and o.finished_at is null
                    and o.is_control
                    and o.command_id <> c.command_id
                    and (o.state <> 'queued' or {_alive("o")}
                        and (-o.urgency, o.created_at, o.command_id) < (-c.urgency, c.created_at, c.command_id))
            ))
        order by c.urgency desc, c.created_at, c.command_id
        limit room.room
        for update of c skip locked
    ) due
),
{CAPPED_CHOSEN if capped else _CHOSEN},
-- queued to dispatched; a command that was dispatched before keeps its dispatch id
leased as (
    update commands c
    set state = 'dispatched',
        moves = c.moves + 1,
        attempt = c.attempt + 1,
        dispatch_id = coalesce(c.dispatch_id, given.id),
        lease_owner = :collector_id,
        lease_device = :device,
        lease_until = :lease_until,
        dispatched_at = :now,
        updated_at = :now{if_capped(OVER_CAP)}
    from (
        select chosen.*, ids.id, ids.entry_id
        from chosen
        join unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) with ordinality as ids (id, entry_id, place)
            on ids.place = chosen.place
        order by chosen.miner_no
    ) given
    where c.ctid = given.row_place and c.state in ({sql_begin_states(Event.LEASED)})
    returning
        c.*,
        given.place,
        given.entry_id,
        given.miner_id as current_miner_id,
        given.zone_id as current_zone_id,
        given.dispatch_id is not null as is_redelivery{if_capped(WENT_OVER)}
),
{_RECORDS}
select
    uncounted.waits,
    command_id,
    dispatch_id,
    tenant_id,
    site_id,
    batch_id,
    miner_no,
    current_miner_id as miner_id,
    current_zone_id as zone_id,
    command_type,
    params::text as params,
    sealed_params,
    priority,
    urgency,
    expires_at,
    ttl_sec,
    expires_at - ttl_sec * interval '1 second' as issued_at,
    attempt,
    lease_until{if_capped(", went_over")}
from uncounted
left join leased on true
order by place
""")  # noqa: S608 - words of our own tables


LEASE, CAPPED_LEASE = _statement(capped=False), _statement(capped=True)
