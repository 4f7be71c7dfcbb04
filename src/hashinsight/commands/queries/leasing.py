"""Handing out: the next commands of a site, each taken by exactly one poll."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import RECORD_IN_PLACE
from hashinsight.commands.queries.packing import TOLD, listed_ids, whence
from hashinsight.commands.states import Event, begins
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.copying import driver_of
from hashinsight.kit.db.together import Asked, together
from hashinsight.kit.ids import new_id, new_ids

HEARD_EVERY = timedelta(seconds=5)
_ORDER = "urgency desc, created_at, command_id"


def _ready(alias: str) -> str:
    """As the index has it."""
    return f"{alias}.state = 'queued' and {alias}.approval_state <> 'required'"


def _alive(alias: str) -> str:
    """Its end in a form that no index knows: one on it alone looks cheap while the table is small, and is not."""
    alive = f"coalesce({alias}.expires_at, '-infinity') > :now"
    return f"{_ready(alias)} and {alias}.cancel_requested_at is null and {alive}"


def _due(alias: str) -> str:
    return f"{_alive(alias)} and {alias}.next_attempt_at <= :now"


# only when the last note is old: an upsert alone would lock the row, and polls of one device would take turns
HEARD = """insert into command_devices (tenant_id, site_id, collector_id, device, last_seen_at)
    select :tenant_id, :site_id, :collector_id, coalesce(cast(:device as text), ''), :now where not exists (
        select from command_devices where collector_id = :collector_id and device = coalesce(cast(:device as text), '')
            and last_seen_at > :stale)
    on conflict (collector_id, device) do update
    set last_seen_at = greatest(command_devices.last_seen_at, excluded.last_seen_at)"""
# Only the first control command of a machine is looked at, and only while none is leased there: so two polls do not
# even try to hand out two of them. One that waits for its retry keeps its place: what was asked for behind it would
# else be undone by it. Type by type, because a type whose rate is spent may have thousands waiting. The
# machine is looked up by itself (`limit 1`): whatever the statistics say, by its number, and where it stands today.
# Written in the order of the machines: polls that meet there wait for each other, and not in a circle. And by the place
# of each row, which its lock keeps: where the statistics say that the hot table is empty, as it often is, going through
# all of it looks cheaper than fifty keys. One that was changed just before its lock is left to the next poll.
# Issued is what the TTL counts from: the request, or the approval where there was one.
_LEASE = text(f"""
with unsettled as materialized (
    select exists (
        select from unnest(cast(:unsettled as text[])) as t (command_type) cross join lateral (
            select from commands c where c.site_id = :site_id and c.command_type = t.command_type and {_ready("c")}
            limit 1
        ) c
    ) as waits
), room as (
    select r.* from unnest(cast(:types as text[]), cast(:rooms as int[])) as r (command_type, room), unsettled
    where not unsettled.waits
), picked as materialized (
    select p.* from room cross join lateral (
        select c.ctid as spot, c.command_id, c.miner_no, c.urgency, c.created_at, c.dispatch_id, m.miner_id, m.zone_id
        from commands c cross join lateral (
            select miner_id, zone_id from miners where miner_no = c.miner_no and site_id = c.site_id
                and state = 'in_service' and (cast(:zone_id as int) is null or zone_id = cast(:zone_id as int))
            limit 1
        ) m
        where c.site_id = :site_id and c.command_type = room.command_type and {_due("c")}
            and c.miner_no <> all (cast(:without as int[]))
            and (not c.is_control or not exists (
                select from commands o where o.miner_no = c.miner_no and o.finished_at is null and o.is_control
                    and o.command_id <> c.command_id and (o.state <> 'queued' or {_alive("o")}
                        and (-o.urgency, o.created_at, o.command_id) < (-c.urgency, c.created_at, c.command_id))
            ))
        order by c.urgency desc, c.created_at, c.command_id
        limit room.room
        for update of c skip locked
    ) p
), chosen as (
    select *, row_number() over (order by {_ORDER}) as place from picked order by {_ORDER} limit :most
), leased as (
    update commands c
    set state = 'dispatched', moves = c.moves + 1, attempt = c.attempt + 1,
        dispatch_id = coalesce(c.dispatch_id, given.id), lease_owner = :collector_id, lease_device = :device,
        lease_until = :lease_until, dispatched_at = :now, updated_at = :now
    from (
        select chosen.*, given.id, given.entry_id
        from chosen join unnest(cast(:ids as uuid[]), cast(:entries as uuid[])) with ordinality
            as given (id, entry_id, place) on given.place = chosen.place
        order by chosen.miner_no
    ) given
    where c.ctid = given.spot and c.state in ({begins(Event.LEASED)})
    returning c.*, given.place, given.entry_id, given.miner_id as known_as, given.zone_id as stands_in,
        given.dispatch_id is not null as is_redelivery
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
    {RECORD_IN_PLACE}
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
    expires_at - ttl_sec * interval '1 second' as issued_at, attempt, lease_until, is_redelivery
from unsettled left join leased on true order by place
""")  # noqa: S608 - words of our own tables
_ARRIVED = text(f"""
select distinct c.miner_no from commands c where c.site_id = :site_id and {_ready("c")} and exists (
    select from miner_changes h where h.miner_no = c.miner_no and h.at > :since and h.field = 'site')
""")  # noqa: S608 - words of our own tables
_SAVEPOINT, _UNDO = text("savepoint lease"), text("rollback to savepoint lease")
# without waiting: whoever comes second leaves these types to the first, and takes the others
_TAKE_TURN = text("""
select t.command_type from unnest(cast(:types as text[])) as t (command_type)
where pg_try_advisory_xact_lock(cast(:site_id as int), hashtext('rate of ' || t.command_type))
""")
_USED = text("""
select site_id, command_type, sum(n)::int as n from command_rates
where site_id = any (cast(:sites as int[])) and command_type = any (cast(:types as text[])) and at > :since
group by site_id, command_type
""")
_SPENT = text("""
insert into command_rates (id, tenant_id, site_id, command_type, at, n)
select given.id, :tenant_id, :site_id, given.command_type, :now, given.n
from unnest(cast(:ids as uuid[]), cast(:types as text[]), cast(:counts as int[])) as given (id, command_type, n)
""")


async def take_turn(session: AsyncSession, site_id: int, types: Sequence[str]) -> list[str]:
    """The types whose rate this transaction alone may spend until it ends."""
    found = await session.execute(_TAKE_TURN, {"site_id": site_id, "types": sorted(types)})
    return list(found.scalars())


async def list_used(
    session: AsyncSession, sites: Sequence[int], types: Sequence[str], *, since: datetime
) -> dict[tuple[int, str], int]:
    """How many were handed out since then, by site and type."""
    rows = await session.execute(_USED, {"sites": list(sites), "types": list(types), "since": since})
    return {(row.site_id, row.command_type): row.n for row in rows}


async def insert_spent(
    session: AsyncSession, tenant_id: UUID, site_id: int, counts: Mapping[str, int], *, now: datetime
) -> None:
    values = {"ids": [new_id() for _ in counts], "types": list(counts), "counts": list(counts.values())}
    await session.execute(_SPENT, {"tenant_id": tenant_id, "site_id": site_id, "now": now, **values})


@dataclass(frozen=True)
class Poll:
    """Whose it is, and how much of which type it may take."""

    tenant_id: UUID
    site_id: int
    zone_id: int | None
    collector_id: UUID
    device: str | None
    rooms: Mapping[str, int]
    most: int
    lease_until: datetime
    without: Sequence[int] = ()  # machines that it leaves alone


async def list_arrived(session: AsyncSession, site_id: int, *, since: datetime) -> list[int]:
    """Machines that something waits for, and that came from another site since then."""
    return list((await session.execute(_ARRIVED, {"site_id": site_id, "since": since})).scalars())


async def move_leased(
    session: AsyncSession,
    actor: Actor,
    poll: Poll,
    *beside: Asked,
    unsettled: Sequence[str] = (),
    entering: Context | None = None,
    now: datetime,
) -> tuple[Sequence[Any] | None, list[list[Any]]]:
    """Queued → dispatched, with attempt, history and entry: what it returns belongs to this collector and device.

    None, and nothing moved: one of the `unsettled` types waits, so its room must be settled first. Then what was asked
    `beside` it.
    """
    values = {
        **{name: value for name, value in vars(poll).items() if name not in ("rooms", "without")},
        "without": list(poll.without),
        "types": list(poll.rooms),
        "rooms": list(poll.rooms.values()),
        "unsettled": list(unsettled),
        "ids": listed_ids(new_ids(poll.most)),
        "entries": listed_ids(new_ids(poll.most)),
        "stale": now - HEARD_EVERY,
        "now": now,
        **whence(actor),
    }
    if entering is None:
        await together(session, (_SAVEPOINT, {}))
    rows, *more = await together(session, (_LEASE, values), *beside, entering=entering)
    if rows[0].waits:
        return None, more
    return [] if rows[0].command_id is None else rows, more


async def undo_lease(session: AsyncSession, *, entering: Context | None) -> None:
    """Back to before the lease that the database refused: to where the transaction was entered, or to the savepoint.

    On a way of its own: at a rollback the driver forgets what it had prepared, and inside a pipeline it would do so
    only behind the next statement, whose name would then be remembered and gone.
    """
    if entering is None:
        await session.execute(_UNDO)
    elif session.in_transaction():
        await session.rollback()
    else:
        await (await driver_of(session)).rollback()
