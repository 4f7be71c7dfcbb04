"""Tell: commands as they stand, why those in the queue wait, and the whole story of one."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.schemas import AuditEntryOut
from hashinsight.commands import limits
from hashinsight.commands.catalogue import TAKES_DOWN
from hashinsight.commands.queries import commands, leases, outages
from hashinsight.commands.queries.commands import CommandFilter
from hashinsight.commands.states import Approval, State
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.inventory.service import get_settings
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.paging import Page


async def list_commands(
    session: AsyncSession, scope: Scope, wanted: CommandFilter, *, limit: int, cursor: str | None = None, now: datetime
) -> Page:
    """A page, newest first; those that wait say why."""
    found = await commands.list_commands(session, scope, wanted, limit=limit, cursor=cursor)
    return Page(await _with_reasons(session, scope, found.rows, now=now), found.next_cursor)


async def get_story(session: AsyncSession, scope: Scope, command_id: UUID, *, now: datetime) -> dict[str, Any]:
    """The command's fields, its attempts, its moves, who decided about it, and what the record says."""
    found = await commands.get_command(session, scope, command_id)
    (command,) = await _with_reasons(session, scope, [found], now=now)
    entries = await commands.list_audit(session, scope.tenant_id, command_id)
    return {
        **command,
        "attempts": await commands.list_attempts(session, command_id),
        "history": await commands.list_history(session, command_id),
        "approvals": await commands.list_approvals(session, command_id, command["batch_id"]),
        "audit": [AuditEntryOut.model_validate(entry).model_dump() for entry in entries],
    }


async def _with_reasons(
    session: AsyncSession, scope: Scope, rows: Sequence[dict[str, Any]], *, now: datetime
) -> list[dict[str, Any]]:
    """In some queries for a whole page, however long; in none where nothing waits."""
    waiting = [row for row in rows if row["state"] == State.QUEUED]
    reasons: dict[UUID, str | None] = {}
    if waiting:
        sites = sorted({row["site_id"] for row in waiting})
        taken = await commands.list_taken(session, [row["command_id"] for row in waiting])
        served = await commands.list_served(session, sites)
        spent = await _spent(session, scope, sites, now=now)
        held = await _held(session, scope, waiting, now=now)
        for row in waiting:
            site_id = row["site_id"]
            reason = limits.wait_reason(
                limits.Waiting(
                    State(row["state"]),
                    Approval(row["approval_state"]),
                    row["next_attempt_at"],
                    row["command_id"] in taken,
                    (site_id, row["command_type"]) in spent,
                    row["command_id"] in held,
                    bool({(site_id, None), (site_id, row["zone_id"])} & served),
                ),
                now=now,
            )
            reasons[row["command_id"]] = None if reason is None else reason.value
    return [{**row, "wait_reason": reasons.get(row["command_id"])} for row in rows]


async def _spent(session: AsyncSession, scope: Scope, sites: Sequence[int], *, now: datetime) -> set[tuple[int, str]]:
    """The types whose rate is used up, by site."""
    used = await leases.list_used(session, sites, limits.RATE_LIMITED, since=now - limits.RATE_WINDOW)
    if not used:
        return set()
    thresholds = (await get_settings(session, scope.tenant_id)).settings.thresholds
    most = limits.rate_limits(thresholds.reboots_per_site_5min)
    return {(site_id, name) for (site_id, name), n in used.items() if n >= most[name]}


async def _held(session: AsyncSession, scope: Scope, waiting: Sequence[dict[str, Any]], *, now: datetime) -> set[UUID]:
    """Those that would take one machine more down than their site's cap allows."""
    asking = [row for row in waiting if row["command_type"] in TAKES_DOWN and not row["emergency"]]
    if not asking:
        return set()
    sites = sorted({row["site_id"] for row in asking})
    share = (await get_settings(session, scope.tenant_id)).settings.thresholds.max_share_of_site_down
    machines = await outages.count_machines(session, sites, now=now)
    down = await outages.list_down(session, sites, [row["miner_no"] for row in asking], now=now)
    caps = {site_id: limits.outage_cap(share, machines.get(site_id, 0)) for site_id in sites}
    return {
        row["command_id"]
        for row in asking
        if (at_site := down.get(row["site_id"])) is not None
        and at_site.counted_for(row["command_type"]) >= caps[row["site_id"]]
        and row["miner_no"] not in at_site.among
    }


class Machine(TypedDict, total=False):
    miner_no: int
    miner_id: str


async def find_machine(session: AsyncSession, scope: Scope, miner_id: str | None, site_id: int | None) -> Machine:
    """By its number, which it keeps under another name and which has an index; by the word where that is not one."""
    if miner_id is None:
        return {}
    with suppress(NotFound, Conflict):
        return {"miner_no": (await miners.get_miner(session, scope, miner_id, site_id)).miner.miner_no}
    return {"miner_id": miner_id}
