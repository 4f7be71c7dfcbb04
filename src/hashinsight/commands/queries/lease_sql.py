"""The statement that hands out: plain, and with a site's cap on machines that are down by commands.

Only the first control command of a machine is looked at, and only while none is leased there: so two polls do not
even try to hand out two of them. One that waits for its retry keeps its place: what was asked for behind it would
else be undone by it. Type by type, because a type whose rate is spent may have thousands waiting. The
machine is looked up by itself (`limit 1`): whatever the statistics say, by its number, and where it stands today.
Written in the order of the machines: polls that meet there wait for each other, and not in a circle. And by the place
of each row, which its lock keeps: where the statistics say that the hot table is empty, as it often is, going through
all of it looks cheaper than fifty keys. One that was changed just before its lock is left to the next poll.
Issued is what the TTL counts from: the request, or the approval where there was one.

With the cap, what takes another machine down is counted, emergencies first: they go in any case and leave less room for
the others. A machine that is down already takes no room, so that a lost lease comes back. A stop is counted with all
that are down, a restart with those in transition only: stops that hold for days do not keep a site from being tended.
"""

from sqlalchemy import TextClause, text

from hashinsight.audit.actions import Action
from hashinsight.audit.queries.entries import INSERT_AUDIT_LOG
from hashinsight.commands.catalogue import RESTARTS, TAKES_DOWN
from hashinsight.commands.queries.fragments import TOLD
from hashinsight.commands.queries.outages import down_now
from hashinsight.commands.states import Event, sql_begin_states, sql_list

_ORDER = "urgency desc, created_at, command_id"


def ready(alias: str) -> str:
    """As the index has it."""
    return f"{alias}.state = 'queued' and {alias}.approval_state <> 'required'"


def _alive(alias: str) -> str:
    """Its end in a form that no index knows: one on it alone looks cheap while the table is small, and is not."""
    alive = f"coalesce({alias}.expires_at, '-infinity') > :now"
    return f"{ready(alias)} and {alias}.cancel_requested_at is null and {alive}"


def _due(alias: str) -> str:
    return f"{_alive(alias)} and {alias}.next_attempt_at <= :now"


# only when the last note is old: an upsert alone would lock the row, and polls of one device would take turns
HEARD = """insert into command_devices (tenant_id, site_id, collector_id, device, last_seen_at)
    select :tenant_id, :site_id, :collector_id, coalesce(cast(:device as text), ''), :now where not exists (
        select from command_devices where collector_id = :collector_id and device = coalesce(cast(:device as text), '')
            and last_seen_at > :stale)
    on conflict (collector_id, device) do update
    set last_seen_at = greatest(command_devices.last_seen_at, excluded.last_seen_at)"""
_ROOM = """room as (
    select r.* from unnest(cast(:types as text[]), cast(:rooms as int[])) as r (command_type, room), unsettled
    where not unsettled.waits
)"""
# of a type that takes machines down: those that go in any case, and those that need room below the cap
_CAPPED_ROOM = f"""down as materialized (
    select miner_no, is_settled from ({down_now("array[cast(:site_id as int)]")}) d
), counts as materialized (
    select count(*)::int as down, (count(*) filter (where not is_settled))::int as in_transition from down
), room as (
    select r.command_type, r.room as of_type, s.needs_room, b.down,
        case when s.needs_room then case when :fills then least(r.room, greatest(0, cast(:cap as int) - b.down))
            else 0 end else r.room end as room
    from unnest(cast(:types as text[]), cast(:rooms as int[])) as r (command_type, room) cross join counts
    cross join lateral (
        select case when r.command_type in ({sql_list(RESTARTS)}) then counts.in_transition else counts.down end as down
    ) b cross join lateral unnest(case when r.command_type in ({sql_list(TAKES_DOWN)}) then array[false, true]
        else array[cast(null as boolean)] end) as s (needs_room)
)"""  # noqa: S608 - words of our own tables
_IS_DOWN = "c.miner_no in (select miner_no from down)"
_CAPPED_COLUMNS = f""", c.emergency, c.command_type, room.of_type, room.down as down_before,
            room.needs_room is not null and not ({_IS_DOWN}) as adds"""
_CAPPED_ONLY = f"and (room.needs_room is null or room.needs_room <> (c.emergency or {_IS_DOWN}))"
_CHOSEN = f"""chosen as (
    select *, row_number() over (order by {_ORDER}) as place from picked order by {_ORDER} limit :most
)"""  # noqa: S608 - words of our own tables
_CAPPED_CHOSEN = f"""counted as (
    select *, row_number() over (partition by command_type order by {_ORDER}) as nth_of_type,
        case when adds then row_number() over (partition by adds order by emergency desc, {_ORDER}) end as nth_down
    from picked
), allowed as (
    select *, down_before + nth_down as down, coalesce(down_before + nth_down > :cap, false) as is_over from counted
    where nth_of_type <= of_type and (nth_down is null or emergency or down_before + nth_down <= :cap)
), chosen as (select *, row_number() over (order by {_ORDER}) as place from allowed order by {_ORDER} limit :most)"""  # noqa: S608 - the same
_OVER = """,
        over_cap = case when given.is_over then jsonb_build_object('down', given.down, 'cap', cast(:cap as int),
            'site_machines', cast(:site_machines as int)) else c.over_cap end"""
_OVER_NOW = ", case when given.is_over then c.over_cap::text end as went_over"


def _statement(*, capped: bool) -> TextClause:
    """`capped` needs `cap`, `site_machines` and `fills` besides: whoever has the turn of the site alone may fill up."""

    def only(words: str) -> str:
        return words if capped else ""

    return text(f"""
with unsettled as materialized (
    select exists (
        select from unnest(cast(:unsettled as text[])) as t (command_type) cross join lateral (
            select from commands c where c.site_id = :site_id and c.command_type = t.command_type and {ready("c")}
            limit 1
        ) c
    ) as waits
), {_CAPPED_ROOM if capped else _ROOM}, picked as materialized (
    select p.* from room cross join lateral (
        select c.ctid as spot, c.command_id, c.miner_no, c.urgency, c.created_at, c.dispatch_id, m.miner_id,
            m.zone_id{only(_CAPPED_COLUMNS)}
        from commands c cross join lateral (
            select miner_id, zone_id from miners where miner_no = c.miner_no and site_id = c.site_id
                and state = 'in_service' and (cast(:zone_id as int) is null or zone_id = cast(:zone_id as int))
            limit 1
        ) m
        where c.site_id = :site_id and c.command_type = room.command_type and {_due("c")}
            and c.miner_no <> all (cast(:without as int[])) {only(_CAPPED_ONLY)}
            and (not c.is_control or not exists (
                select from commands o where o.miner_no = c.miner_no and o.finished_at is null and o.is_control
                    and o.command_id <> c.command_id and (o.state <> 'queued' or {_alive("o")}
                        and (-o.urgency, o.created_at, o.command_id) < (-c.urgency, c.created_at, c.command_id))
            ))
        order by c.urgency desc, c.created_at, c.command_id
        limit room.room
        for update of c skip locked
    ) p
), {_CAPPED_CHOSEN if capped else _CHOSEN}, leased as (
    update commands c
    set state = 'dispatched', moves = c.moves + 1, attempt = c.attempt + 1,
        dispatch_id = coalesce(c.dispatch_id, given.id), lease_owner = :collector_id, lease_device = :device,
        lease_until = :lease_until, dispatched_at = :now, updated_at = :now{only(_OVER)}
    from (
        select chosen.*, given.id, given.entry_id
        from chosen join unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) with ordinality
            as given (id, entry_id, place) on given.place = chosen.place
        order by chosen.miner_no
    ) given
    where c.ctid = given.spot and c.state in ({sql_begin_states(Event.LEASED)})
    returning c.*, given.place, given.entry_id, given.miner_id as known_as, given.zone_id as stands_in,
        given.dispatch_id is not null as is_redelivery{only(_OVER_NOW)}
), tried as (
    insert into command_attempts (dispatch_id, tenant_id, site_id, command_id, miner_no, n, collector_id, device,
        held_by, deliveries, leased_at, lease_until)
    select dispatch_id, tenant_id, site_id, command_id, miner_no, attempt, lease_owner, lease_device,
        array[lease_owner], 1, :now, lease_until from leased
    on conflict (dispatch_id) do update
    set collector_id = excluded.collector_id, device = excluded.device, leased_at = excluded.leased_at,
        lease_until = excluded.lease_until, deliveries = command_attempts.deliveries + 1, result = null,
        held_by = case when excluded.collector_id = any (command_attempts.held_by) then command_attempts.held_by
            else command_attempts.held_by || excluded.collector_id end
), told as (
    {TOLD}
    select command_id, moves, tenant_id, site_id, :now, 'leased', 'queued', state, :actor_kind, :actor_id, null,
        jsonb_build_object('dispatch_id', dispatch_id, 'attempt', attempt, 'device', lease_device,
            'lease_until', lease_until, 'redelivered', is_redelivery), null
    from leased
), recorded as (
    {INSERT_AUDIT_LOG}
    select entry_id, :now, tenant_id, :actor_kind, :actor_id, '{Action.COMMAND_DISPATCHED.value}', 'command',
        command_id::text, '{{"state": "queued"}}'::jsonb,
        jsonb_build_object('state', state, 'dispatch_id', dispatch_id, 'attempt', attempt, 'miner_id', known_as,
            'device_id', lease_device, 'lease_until', lease_until, 'redelivered', is_redelivery),
        null, :request_id, :address
    from leased
), heard as (
    {HEARD}
)
select unsettled.waits, command_id, dispatch_id, tenant_id, site_id, batch_id, miner_no, known_as as miner_id,
    stands_in as zone_id, command_type, params::text as params, sealed_params, priority, urgency, expires_at, ttl_sec,
    expires_at - ttl_sec * interval '1 second' as issued_at, attempt, lease_until, is_redelivery{only(", went_over")}
from unsettled left join leased on true order by place
""")  # noqa: S608 - words of our own tables


LEASE, CAPPED_LEASE = _statement(capped=False), _statement(capped=True)
