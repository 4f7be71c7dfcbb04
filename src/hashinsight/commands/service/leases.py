"""Lease: the next commands for a collector that polls; each goes to exactly one poll."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import errors
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.collectors.caller import CollectorCaller
from hashinsight.commands import limits
from hashinsight.commands.catalogue import CATALOGUE, TAKES_DOWN
from hashinsight.commands.queries import leases as queries
from hashinsight.commands.queries import outages
from hashinsight.commands.service.expectations import DispatchedCommand, expect_begun
from hashinsight.inventory.service import get_settings
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.pipeline import PipelineStatement, execute_together

SEAL_PURPOSE = "command params"
ONE_ACTIVE = "uq_commands_active"
_MAX_TRIES = 5
# types whose rate or outages must be counted before they are dispatched
_COUNTED = tuple(dict.fromkeys((*limits.RATE_LIMITED, *TAKES_DOWN)))
_UNCOUNTED = tuple(name for name in CATALOGUE if name not in _COUNTED)
_ARRIVED_WITHIN = 4 * limits.LEASE  # `running` can double a lease: after that, a lease at the old site is over


@dataclass(frozen=True)
class LeaseHolder:
    """A collector, and the device of it that polls."""

    tenant_id: UUID
    site_id: int
    zone_id: int | None
    collector_id: UUID
    device_id: str | None
    actor: Actor


def lease_holder(caller: CollectorCaller) -> LeaseHolder:
    return LeaseHolder(
        caller.tenant_id, caller.site_id, caller.zone_id, caller.collector_id, caller.device_id, caller.actor
    )


class LeasedCommand(NamedTuple):
    """`dispatch_id` is the command's id on the wire; `params` contain secrets, for the wire only."""

    command_id: UUID
    dispatch_id: UUID
    batch_id: UUID
    miner_no: int
    miner_id: str
    zone_id: int | None
    command_type: str
    params: Mapping[str, Any]
    priority: str
    urgency: int
    issued_at: datetime
    expires_at: datetime
    ttl_sec: int
    attempt: int
    lease_until: datetime

    def __repr__(self) -> str:
        return f"LeasedCommand({self.command_id}, dispatch_id={self.dispatch_id}, miner_id={self.miner_id!r})"


@dataclass(frozen=True)
class _Poll:
    holder: LeaseHolder
    most: int
    lease_until: datetime
    more_statements: tuple[PipelineStatement, ...]
    now: datetime
    without: tuple[int, ...] = ()


async def lease(
    session: AsyncSession,
    vault: Vault,
    holder: LeaseHolder,
    *,
    limit: int = limits.POLL_LIMIT,
    lease_for: timedelta = limits.LEASE,
    now: datetime,
) -> list[LeasedCommand]:
    """At most `limit` commands, the most urgent first, then the oldest."""
    leased, _ = await poll(session, vault, holder, limit=limit, lease_for=lease_for, now=now)
    return leased


async def poll(
    session: AsyncSession,
    vault: Vault,
    holder: LeaseHolder,
    *more_statements: PipelineStatement,
    limit: int = limits.POLL_LIMIT,
    lease_for: timedelta = limits.LEASE,
    entering: Context | None = None,
    now: datetime,
) -> tuple[list[LeasedCommand], list[list[Any]]]:
    """A lease, and the rows of further statements in the same round trip.

    `entering`: the context of a transaction that has not begun yet. If another poll leased a command for the same
    machine in between, the database refuses this lease, and it is tried again; what is left comes with the next poll.
    A machine that was moved here may still be leased at its old site, which polls of this one do not see: it is left
    out then, because it would block everything else.
    """
    most = max(1, min(limit, limits.MAX_POLL_LIMIT))
    attempt = _Poll(holder, most, now + lease_for, more_statements, now)
    for _ in range(_MAX_TRIES):
        try:
            return await _lease(session, vault, attempt, entering)
        except (DBAPIError, errors.Error) as error:
            if not _is_race(error.orig if isinstance(error, DBAPIError) else error):
                raise
            await queries.undo_lease(session, entering=entering)
            if entering is not None:
                await execute_together(session, begin_as=entering)
            arrived = await queries.list_arrived(session, holder.site_id, since=now - _ARRIVED_WITHIN)
            attempt, entering = replace(attempt, without=tuple(arrived)), None
    return [], (await execute_together(session, *more_statements) if more_statements else [])


def _is_race(error: BaseException | None) -> bool:
    """Another poll was first. Any other duplicate key is a bug, which an empty answer would hide."""
    if isinstance(error, errors.UniqueViolation):
        return error.diag.constraint_name == ONE_ACTIVE
    return isinstance(error, errors.DeadlockDetected)


async def _lease(
    session: AsyncSession, vault: Vault, attempt: _Poll, entering: Context | None
) -> tuple[list[LeasedCommand], list[list[Any]]]:
    holder, now = attempt.holder, attempt.now
    rows, more_rows = await _move(session, attempt, entering)
    counts = Counter(row.command_type for row in rows if row.command_type in limits.RATE_LIMITED)
    if counts:
        await queries.insert_rates(session, holder.tenant_id, holder.site_id, counts, now=now)
    begun = [DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority) for row in rows]
    await expect_begun(session, begun, lease_until=attempt.lease_until, now=now)
    await _record_over_cap(session, holder, rows, now=now)
    return [_leased(vault, row) for row in rows], more_rows


async def _move(
    session: AsyncSession, attempt: _Poll, entering: Context | None
) -> tuple[Sequence[Any], list[list[Any]]]:
    """In one statement, unless commands wait that must be counted first."""
    holder, most, now = attempt.holder, attempt.most, attempt.now
    uncounted = queries.LeasePoll(
        holder.tenant_id,
        holder.site_id,
        holder.zone_id,
        holder.collector_id,
        holder.device_id,
        rooms=dict.fromkeys(_UNCOUNTED, most),
        most=most,
        lease_until=attempt.lease_until,
        without=attempt.without,
    )
    rows, more_rows = await queries.move_leased(
        session, holder.actor, uncounted, *attempt.more_statements, uncounted=_COUNTED, entering=entering, now=now
    )
    if rows is None:
        counted = await _count(session, holder, uncounted, now=now)
        rows, _ = await queries.move_leased(session, holder.actor, counted, now=now)
    return rows or (), more_rows


async def _count(
    session: AsyncSession, holder: LeaseHolder, lease_poll: queries.LeasePoll, *, now: datetime
) -> queries.LeasePoll:
    """How many of each type this poll may take, and the site's cap; while another poll counts: what needs no room."""
    site_id, most = holder.site_id, lease_poll.most
    locked = await queries.lock_types(session, site_id, (*limits.RATE_LIMITED, limits.OUTAGE_TURN))
    thresholds = (await get_settings(session, holder.tenant_id)).settings.thresholds
    rates = limits.rate_limits(thresholds.reboots_per_site_5min)
    used = await queries.list_used_rates(session, [site_id], list(rates), since=now - limits.RATE_WINDOW)
    rooms = dict.fromkeys(CATALOGUE, most)
    for name, limit in rates.items():
        rooms[name] = limits.rate_left(limit, used.get((site_id, name), 0), most=most) if name in locked else 0
    machines = (await outages.count_machines(session, [site_id], now=now)).get(site_id, 0)
    cap = limits.outage_cap(thresholds.max_share_of_site_down, machines)
    return replace(lease_poll, rooms=rooms, cap=cap, site_machines=machines, fills=limits.OUTAGE_TURN in locked)


async def _record_over_cap(session: AsyncSession, holder: LeaseHolder, rows: Sequence[Any], *, now: datetime) -> None:
    """Emergencies that took down more machines than the site's cap allows."""
    over = [(row, msgspec.json.decode(row.went_over)) for row in rows if getattr(row, "went_over", None)]
    entries = [
        Entry(
            Action.COMMAND_OVER_CAP,
            "command",
            row.command_id,
            after={**figures, "dispatch_id": str(row.dispatch_id)},
            reason=f"emergency: {figures['down']} machines down by command, cap {figures['cap']}",
            tenant_id=holder.tenant_id,
        )
        for row, figures in over
    ]
    await record_many(session, holder.actor, entries, now=now)


def _leased(vault: Vault, row: Any) -> LeasedCommand:
    params = msgspec.json.decode(row.params)
    if row.sealed_params is not None:
        params |= msgspec.json.decode(vault.open(SEAL_PURPOSE, row.sealed_params))
    fields = {name: getattr(row, name) for name in LeasedCommand._fields if name != "params"}
    return LeasedCommand(**fields, params=params)
