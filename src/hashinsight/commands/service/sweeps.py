"""Sweeps: lost leases, silent devices, expired TTLs and approvals; more time for commands that a limit holds back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action
from hashinsight.audit.service.entries import Entry, record_many
from hashinsight.commands import limits
from hashinsight.commands.catalogue import RESTARTS
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.queries import acks, extensions, leases, outages
from hashinsight.commands.queries import sweeps as queries
from hashinsight.commands.service.expectations import DispatchedCommand, release_not_started
from hashinsight.commands.service.queue import rearbitrate
from hashinsight.commands.states import State
from hashinsight.inventory.service import get_settings

MAX_SWEPT = 5_000
ARCHIVE_AFTER = timedelta(minutes=2)
NEAR_EXPIRY = timedelta(minutes=1)  # several sweeps and a poll
POLLED_WITHIN = timedelta(minutes=2)  # several polls
EXTENSION_SEC = limits.DEFAULT_TTL_SEC
MAX_EXTENDED_TTL_SEC = 24 * 3600
_ARCHIVE_ROWS, _MAX_ARCHIVE_STEPS = 10_000, 20
_HEARTBEATS_READ = timedelta(hours=1)
_ACTIONS = {
    "queued": Action.COMMAND_LEASE_LOST,
    "expired": Action.COMMAND_EXPIRED,
    "canceled": Action.COMMAND_CANCELED,
}


@dataclass(frozen=True)
class SweepCounts:
    lost: int
    returned: int
    expired: int
    unapproved: int


async def sweep(session: AsyncSession, *, most: int = MAX_SWEPT, now: datetime) -> SweepCounts:
    """Each step is a bounded set and can be repeated; the next run does the rest."""
    lost = await queries.move_lost(session, most=most, now=now)
    silent = await queries.move_returned_silent(session, look_back=now - _HEARTBEATS_READ, most=most, now=now)
    await extend_ttls(session, most=most, now=now)
    expired = await queries.move_expired(session, most=most, now=now)
    unapproved = await queries.move_unapproved(session, most=most, now=now)
    await record_swept(session, [*lost, *silent, *expired, *unapproved], now=now)
    unheard = [
        DispatchedCommand(row.command_id, row.miner_no, row.command_type, row.priority)
        for row in (*lost, *silent, *expired)
        if row.state == State.EXPIRED and row.attempt > 0
    ]
    await release_not_started(session, unheard, now=now)
    returned = {row.command_id: row.miner_no for row in (*lost, *silent) if row.state == State.QUEUED}
    await rearbitrate(session, SYSTEM, returned, now=now)
    return SweepCounts(len(lost), len(silent), len(expired), len(unapproved))


async def archive(session: AsyncSession, *, now: datetime) -> int:
    """Move finished commands out of the hot table, some minutes after their end: repeated acks find them there."""
    moved = 0
    for _ in range(_MAX_ARCHIVE_STEPS):
        step = await queries.archive(session, before=now - ARCHIVE_AFTER, most=_ARCHIVE_ROWS)
        moved += step
        if step < _ARCHIVE_ROWS:
            break
    return moved


async def delete_old(session: AsyncSession, *, now: datetime) -> None:
    await queries.delete_old(session, now=now)


async def record_swept(session: AsyncSession, rows: Sequence[Any], *, now: datetime) -> None:
    """Audit entries for moves that nobody requested."""
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


async def extend_ttls(session: AsyncSession, *, most: int, now: datetime) -> int:
    """The time that a command waits for its site's own limits does not count towards its TTL; returns how many.

    Restarts wait for other machines to be back, or for the rate: that ends by itself, and an approved batch is then
    carried out completely. A stop waits for a start, perhaps until tomorrow: it keeps its TTL. So does a command that
    no collector fetches: only a poll since it was due shows that a limit holds it back.
    """
    rows = await extensions.lock_expiring(
        session, RESTARTS, before=now + NEAR_EXPIRY, bound_sec=MAX_EXTENDED_TTL_SEC, most=most, now=now
    )
    reasons: dict[UUID, str] = {}
    for tenant_id in dict.fromkeys(row.tenant_id for row in rows):
        of_tenant = [row for row in rows if row.tenant_id == tenant_id]
        reasons |= await _limits_in_force(session, tenant_id, of_tenant, now=now)
    if reasons:
        await extensions.update_ttls(session, reasons, step_sec=EXTENSION_SEC, bound_sec=MAX_EXTENDED_TTL_SEC, now=now)
    return len(reasons)


async def _limits_in_force(
    session: AsyncSession, tenant_id: UUID, rows: Sequence[Any], *, now: datetime
) -> dict[UUID, str]:
    """The limit that holds each command back: all commands of a site where more wait than there is room left.

    The next ones to be dispatched need no more time, but a place that just came free must not end those after them.
    """
    sites = sorted({row.site_id for row in rows})
    thresholds = (await get_settings(session, tenant_id)).settings.thresholds
    machines = await outages.count_machines(session, sites, now=now)
    down = await outages.list_outages(session, sites, [row.miner_no for row in rows], now=now)
    rates = limits.rate_limits(thresholds.reboots_per_site_5min)
    used = await leases.list_used_rates(session, sites, list(rates), since=now - limits.RATE_WINDOW)
    polls = await extensions.list_last_polls(session, sites, since=now - POLLED_WITHIN)
    taking_room = [row for row in rows if row.miner_no not in down.get(row.site_id, outages.NO_OUTAGES).among]
    waiting_at_site = Counter(row.site_id for row in taking_room)
    waiting_of_type = Counter((row.site_id, row.command_type) for row in rows)

    def find_limit(row: Any) -> WaitReason | None:
        site_id, kind = row.site_id, row.command_type
        rate_used = used.get((site_id, kind), 0)
        in_transition = down.get(site_id, outages.NO_OUTAGES).in_transition
        cap = limits.outage_cap(thresholds.max_share_of_site_down, machines.get(site_id, 0))
        if kind in rates and rate_used and rate_used + waiting_of_type[site_id, kind] > rates[kind]:
            return WaitReason.RATE_LIMITED
        if in_transition and in_transition + waiting_at_site[site_id] > cap:
            return WaitReason.BLAST_RADIUS
        return None

    def was_passed_over(row: Any) -> bool:
        """A poll is noted every few seconds: the newest note may be that much older."""
        last = [polls[key] for key in ((row.site_id, None), (row.site_id, row.zone_id)) if key in polls]
        return bool(last) and max(last) > row.due_at - acks.NOTE_DEVICE_EVERY

    return {
        row.command_id: limit.value for row in rows if was_passed_over(row) and (limit := find_limit(row)) is not None
    }
