"""Lease: the next commands for a collector that polls, each to exactly one poll."""

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

SEALED_FOR = "command params"
ONE_ACTIVE = "uq_commands_active"
_TRIES = 5
# what is counted before it goes out: types with a rate, and those that take machines down
_COUNTED = tuple(dict.fromkeys((*limits.RATE_LIMITED, *TAKES_DOWN)))
_PLAIN = tuple(name for name in CATALOGUE if name not in _COUNTED)
_ARRIVED_WITHIN = 4 * limits.LEASE  # a lease can be doubled by `running`: by then, the one of the old site is over


@dataclass(frozen=True)
class LeaseHolder:
    """Whom a lease belongs to: a collector, and the device of it that polls."""

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
    """`dispatch_id` is the command's id on the wire; `params` hold secrets, for the wire alone."""

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
    is_redelivery: bool

    def __repr__(self) -> str:
        return f"Leased(command_id={self.command_id}, dispatch_id={self.dispatch_id}, miner_id={self.miner_id!r})"


async def lease(
    session: AsyncSession,
    vault: Vault,
    holder: LeaseHolder,
    *,
    limit: int = limits.POLL_LIMIT,
    lease_for: timedelta = limits.LEASE,
    now: datetime,
) -> list[LeasedCommand]:
    """At most `limit` commands, the most urgent first, then the oldest; none that somebody else was given."""
    leased, _ = await poll(session, vault, holder, limit=limit, lease_for=lease_for, now=now)
    return leased


async def poll(
    session: AsyncSession,
    vault: Vault,
    holder: LeaseHolder,
    *beside: PipelineStatement,
    limit: int = limits.POLL_LIMIT,
    lease_for: timedelta = limits.LEASE,
    entering: Context | None = None,
    now: datetime,
) -> tuple[list[LeasedCommand], list[list[Any]]]:
    """A lease, and the rows of what was asked beside it on the same way to the server.

    `entering`: of a transaction that has not been entered yet. Where a newer command for the same machine slipped in
    between two polls, the database refuses the second lease; then it is looked at again, and the next poll is early
    enough for what is left. A machine that was moved here may still be leased at its old site, which a poll of this one
    does not see: it is left alone then, or it would keep everything else from going out.
    """
    most = max(1, min(limit, limits.MAX_POLL_LIMIT))
    asked = _Asked(holder, most, now + lease_for, beside, now)
    for _ in range(_TRIES):
        try:
            return await _lease(session, vault, asked, entering)
        except (DBAPIError, errors.Error) as error:
            if not _was_overtaken(error.orig if isinstance(error, DBAPIError) else error):
                raise
            await queries.undo_lease(session, entering=entering)
            if entering is not None:
                await execute_together(session, begin_as=entering)
            arrived = await queries.list_arrived(session, holder.site_id, since=now - _ARRIVED_WITHIN)
            asked, entering = replace(asked, without=tuple(arrived)), None
    return [], (await execute_together(session, *beside) if beside else [])


def _was_overtaken(error: BaseException | None) -> bool:
    """By another poll, for a machine. Any other doubled key is a fault, which an empty answer would hide for ever."""
    if isinstance(error, errors.UniqueViolation):
        return error.diag.constraint_name == ONE_ACTIVE
    return isinstance(error, errors.DeadlockDetected)


@dataclass(frozen=True)
class _Asked:
    holder: LeaseHolder
    most: int
    lease_until: datetime
    beside: tuple[PipelineStatement, ...]
    now: datetime
    without: tuple[int, ...] = ()


async def _lease(
    session: AsyncSession, vault: Vault, asked: _Asked, entering: Context | None
) -> tuple[list[LeasedCommand], list[list[Any]]]:
    holder, now = asked.holder, asked.now
    rows, beside = await _take(session, asked, entering)
    spent = Counter(row.command_type for row in rows if row.command_type in limits.RATE_LIMITED)
    if spent:
        await queries.insert_spent(session, holder.tenant_id, holder.site_id, spent, now=now)
    begun = [DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority) for row in rows]
    await expect_begun(session, begun, lease_until=asked.lease_until, now=now)
    await _record_over(session, holder, rows, now=now)
    return [_leased(vault, row) for row in rows], beside


async def _take(
    session: AsyncSession, asked: _Asked, entering: Context | None
) -> tuple[Sequence[Any], list[list[Any]]]:
    """In one statement, unless something that is counted waits: then it takes more."""
    holder, most, now = asked.holder, asked.most, asked.now
    wanted = queries.LeasePoll(
        holder.tenant_id,
        holder.site_id,
        holder.zone_id,
        holder.collector_id,
        holder.device_id,
        rooms=dict.fromkeys(_PLAIN, most),
        most=most,
        lease_until=asked.lease_until,
        without=asked.without,
    )
    rows, beside = await queries.move_leased(
        session, holder.actor, wanted, *asked.beside, unsettled=_COUNTED, entering=entering, now=now
    )
    if rows is None:
        settled = await _settle(session, holder, wanted, now=now)
        rows, _ = await queries.move_leased(session, holder.actor, settled, now=now)
    return rows or (), beside


async def _settle(
    session: AsyncSession, holder: LeaseHolder, wanted: queries.LeasePoll, *, now: datetime
) -> queries.LeasePoll:
    """How many of each type this poll may take, and the site's cap. While another poll counts, what needs no room."""
    site_id, most = holder.site_id, wanted.most
    turns = await queries.take_turn(session, site_id, (*limits.RATE_LIMITED, limits.OUTAGE_TURN))
    thresholds = (await get_settings(session, holder.tenant_id)).settings.thresholds
    limited = limits.rate_limits(thresholds.reboots_per_site_5min)
    used = await queries.list_used(session, [site_id], list(limited), since=now - limits.RATE_WINDOW)
    rooms = dict.fromkeys(CATALOGUE, most)
    for name, most_in_window in limited.items():
        rooms[name] = limits.room(most_in_window, used.get((site_id, name), 0), most=most) if name in turns else 0
    machines = (await outages.count_machines(session, [site_id], now=now)).get(site_id, 0)
    cap = limits.outage_cap(thresholds.max_share_of_site_down, machines)
    return replace(wanted, rooms=rooms, cap=cap, site_machines=machines, fills=limits.OUTAGE_TURN in turns)


async def _record_over(session: AsyncSession, holder: LeaseHolder, rows: Sequence[Any], *, now: datetime) -> None:
    """Emergencies that took down more of the site than its cap."""
    over = [(row, msgspec.json.decode(row.went_over)) for row in rows if getattr(row, "went_over", None)]
    entries = [
        Entry(
            Action.COMMAND_OVER_CAP,
            "command",
            row.command_id,
            after={**figures, "dispatch_id": str(row.dispatch_id)},
            reason=f"an emergency: {figures['down']} machines down by commands, cap {figures['cap']}",
            tenant_id=holder.tenant_id,
        )
        for row, figures in over
    ]
    await record_many(session, holder.actor, entries, now=now)


def _leased(vault: Vault, row: Any) -> LeasedCommand:
    params = msgspec.json.decode(row.params)
    if row.sealed_params is not None:
        params |= msgspec.json.decode(vault.open(SEALED_FOR, row.sealed_params))
    return LeasedCommand(
        row.command_id,
        row.dispatch_id,
        row.batch_id,
        row.miner_no,
        row.miner_id,
        row.zone_id,
        row.command_type,
        params,
        row.priority,
        row.urgency,
        row.issued_at,
        row.expires_at,
        row.ttl_sec,
        row.attempt,
        row.lease_until,
        row.is_redelivery,
    )
