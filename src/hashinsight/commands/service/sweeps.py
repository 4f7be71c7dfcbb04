"""Sweep: what time does by itself. Every step is a set, bounded, and does nothing twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands.queries import sweeps as queries
from hashinsight.commands.service.expectations import DispatchedCommand, expect_unheard
from hashinsight.commands.service.extensions import extend_held
from hashinsight.commands.service.superseding import weigh_returned
from hashinsight.commands.states import State
from hashinsight.wire.freshness import SILENT_INTERVALS

MAX_SWEPT = 5_000
ARCHIVE_AFTER = timedelta(minutes=2)
_ARCHIVE_STEP, _ARCHIVE_STEPS = 10_000, 20
_HEARTBEATS_LOOKED_AT = timedelta(hours=1)
_ACTIONS = {
    "queued": Action.COMMAND_LEASE_LOST,
    "expired": Action.COMMAND_EXPIRED,
    "canceled": Action.COMMAND_CANCELED,
}


@dataclass(frozen=True)
class SweepCounts:
    lost: int
    given_back: int
    expired: int
    unapproved: int


async def sweep(session: AsyncSession, *, most: int = MAX_SWEPT, now: datetime) -> SweepCounts:
    """Lost leases, silent devices, TTLs, approvals that nobody gave. What is left over is the next run's."""
    look_back = now - _HEARTBEATS_LOOKED_AT
    lost = await queries.move_lost(session, most=most, now=now)
    silent = await queries.move_given_back(session, intervals=SILENT_INTERVALS, look_back=look_back, most=most, now=now)
    await extend_held(session, most=most, now=now)
    expired = await queries.move_expired(session, most=most, now=now)
    unapproved = await queries.move_unapproved(session, most=most, now=now)
    await record_moved(session, [*lost, *silent, *expired, *unapproved], now=now)
    ended = [row for row in (*lost, *silent, *expired) if row.state == State.EXPIRED and row.attempt > 0]
    unheard = [DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority) for row in ended]
    await expect_unheard(session, unheard, now=now)
    returned = {row.command_id: row.miner_no for row in (*lost, *silent) if row.state == State.QUEUED}
    await weigh_returned(session, SYSTEM, returned, now=now)
    return SweepCounts(len(lost), len(silent), len(expired), len(unapproved))


async def archive(session: AsyncSession, *, now: datetime) -> int:
    """Finished commands leave the hot table some minutes after their end: the field's repeated acks find them hot."""
    moved = 0
    for _ in range(_ARCHIVE_STEPS):
        step = await queries.archive(session, before=now - ARCHIVE_AFTER, most=_ARCHIVE_STEP)
        moved += step
        if step < _ARCHIVE_STEP:
            break
    return moved


async def forget(session: AsyncSession, *, now: datetime) -> None:
    await queries.forget(session, now=now)


async def record_moved(session: AsyncSession, rows: Sequence[Any], *, now: datetime) -> None:
    """What was moved by nobody's request."""
    entries = [
        Entry(
            _ACTIONS[row.state],
            "command",
            row.command_id,
            {"state": row.old_state},
            {"state": row.state, "dispatch_id": row.dispatch_id and str(row.dispatch_id), "error_code": row.error_code},
            tenant_id=row.tenant_id,
        )
        for row in rows
    ]
    await record_many(session, SYSTEM, entries, now=now)
