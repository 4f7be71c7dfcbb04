"""Leases: the next commands of a site, each taken by exactly one poll."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Actor
from hashinsight.commands.queries.acks import NOTE_DEVICE_EVERY
from hashinsight.commands.queries.fragments import audit_values, pack_ids, ready
from hashinsight.commands.queries.lease_sql import CAPPED_LEASE, LEASE
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.pipeline import PipelineStatement, driver_connection, execute_together
from hashinsight.kit.ids import new_id, new_ids

_ARRIVED = text(f"""
select distinct c.miner_no
from commands c
where c.site_id = :site_id
    and {ready("c")}
    and exists (
        select from miner_changes h where h.miner_no = c.miner_no and h.at > :since and h.field = 'site'
    )
""")  # noqa: S608 - words of our own tables
_SAVEPOINT, _ROLLBACK = text("savepoint lease"), text("rollback to savepoint lease")
# without waiting: a second poll leaves these types to the first and takes the others
_LOCK_TYPES = text("""
select t.command_type
from unnest(cast(:types as text[])) as t (command_type)
where pg_try_advisory_xact_lock(cast(:site_id as int), hashtext('rate of ' || t.command_type))
""")
_USED_RATES = text("""
select site_id, command_type, sum(n)::int as n
from command_rates
where site_id = any (cast(:sites as int[]))
    and command_type = any (cast(:types as text[]))
    and at > :since
group by site_id, command_type
""")
_INSERT_RATES = text("""
insert into command_rates (id, tenant_id, site_id, command_type, at, n)
select given.id, :tenant_id, :site_id, given.command_type, :now, given.n
from unnest(cast(:ids as uuid[]), cast(:types as text[]), cast(:counts as int[])) as given (id, command_type, n)
""")


@dataclass(frozen=True)
class LeasePoll:
    """Who polls, and how many commands of which type it may take."""

    tenant_id: UUID
    site_id: int
    zone_id: int | None
    collector_id: UUID
    device: str | None
    rooms: Mapping[str, int]
    most: int
    lease_until: datetime
    without: Sequence[int] = ()  # machines to leave out
    cap: int | None = None  # machines of the site that may be down by commands; None: this poll takes none down
    site_machines: int = 0
    fills: bool = True  # False: another poll is counting the site, so this one takes what needs no room


async def lock_types(session: AsyncSession, site_id: int, types: Sequence[str]) -> list[str]:
    """The types of which this transaction alone may use up the rate until it ends."""
    locked = await session.execute(_LOCK_TYPES, {"site_id": site_id, "types": sorted(types)})
    return list(locked.scalars())


async def list_used_rates(
    session: AsyncSession, sites: Sequence[int], types: Sequence[str], *, since: datetime
) -> dict[tuple[int, str], int]:
    """How many were dispatched since then, by site and type."""
    rows = await session.execute(_USED_RATES, {"sites": list(sites), "types": list(types), "since": since})
    return {(row.site_id, row.command_type): row.n for row in rows}


async def insert_rates(
    session: AsyncSession, tenant_id: UUID, site_id: int, counts: Mapping[str, int], *, now: datetime
) -> None:
    values = {"ids": [new_id() for _ in counts], "types": list(counts), "counts": list(counts.values())}
    await session.execute(_INSERT_RATES, {"tenant_id": tenant_id, "site_id": site_id, "now": now, **values})


async def list_arrived(session: AsyncSession, site_id: int, *, since: datetime) -> list[int]:
    """Machines with waiting commands that came from another site since then."""
    return list((await session.execute(_ARRIVED, {"site_id": site_id, "since": since})).scalars())


async def move_leased(
    session: AsyncSession,
    actor: Actor,
    poll: LeasePoll,
    *more_statements: PipelineStatement,
    uncounted: Sequence[str] = (),
    entering: Context | None = None,
    now: datetime,
) -> tuple[Sequence[Any] | None, list[list[Any]]]:
    """Queued → dispatched, with attempt, history and audit entry; and the rows of further statements in the pipeline.

    None, and nothing moved: a command of the `uncounted` types waits, so that rate and cap must be counted first.
    """
    values = {
        **{name: value for name, value in vars(poll).items() if name not in ("rooms", "without")},
        "without": list(poll.without),
        "types": list(poll.rooms),
        "rooms": list(poll.rooms.values()),
        "uncounted": list(uncounted),
        "ids": pack_ids(new_ids(poll.most)),
        "entries": pack_ids(new_ids(poll.most)),
        "stale": now - NOTE_DEVICE_EVERY,
        "now": now,
        **audit_values(actor),
    }
    if entering is None:
        await execute_together(session, (_SAVEPOINT, {}))
    statement = LEASE if poll.cap is None else CAPPED_LEASE
    rows, *results = await execute_together(session, (statement, values), *more_statements, begin_as=entering)
    if rows[0].waits:
        return None, results
    return [] if rows[0].command_id is None else rows, results


async def undo_lease(session: AsyncSession, *, entering: Context | None) -> None:
    """Back to before the lease that the database refused: to the start of the transaction, or to the savepoint.

    Not in a pipeline: at a rollback the driver forgets its prepared statements, in a pipeline only after the next
    statement, which would then be remembered and gone.
    """
    if entering is None:
        await session.execute(_ROLLBACK)
    elif session.in_transaction():
        await session.rollback()
    else:
        await (await driver_connection(session)).rollback()
