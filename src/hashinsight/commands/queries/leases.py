"""Handing out: the next commands of a site, each taken by exactly one poll."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.queries.fragments import listed_ids, whence
from hashinsight.commands.queries.lease_sql import CAPPED_LEASE, LEASE, ready
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.pipeline import PipelineStatement, driver_connection, execute_together
from hashinsight.kit.ids import new_id, new_ids

HEARD_EVERY = timedelta(seconds=5)
_ARRIVED = text(f"""
select distinct c.miner_no from commands c where c.site_id = :site_id and {ready("c")} and exists (
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
class LeasePoll:
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
    cap: int | None = None  # on machines of the site that are down by commands; none: it takes no machine down
    site_machines: int = 0
    fills: bool = True  # false: another poll counts right now, so it takes what needs no room below the cap


async def list_arrived(session: AsyncSession, site_id: int, *, since: datetime) -> list[int]:
    """Machines that something waits for, and that came from another site since then."""
    return list((await session.execute(_ARRIVED, {"site_id": site_id, "since": since})).scalars())


async def move_leased(
    session: AsyncSession,
    actor: Actor,
    poll: LeasePoll,
    *beside: PipelineStatement,
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
        await execute_together(session, (_SAVEPOINT, {}))
    statement = LEASE if poll.cap is None else CAPPED_LEASE
    rows, *more = await execute_together(session, (statement, values), *beside, begin_as=entering)
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
        await (await driver_connection(session)).rollback()
