"""Commands as people see them: lists with the reason why queued ones wait, and the story of one."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import ActorKind
from hashinsight.audit.queries.entries import list_entity_entries
from hashinsight.audit.schemas import AuditEntryOut
from hashinsight.commands import limits
from hashinsight.commands.catalogue import TAKES_DOWN
from hashinsight.commands.limits import WaitReason
from hashinsight.commands.queries import commands as queries
from hashinsight.commands.queries import leases, outages
from hashinsight.commands.queries.commands import CommandFilter
from hashinsight.commands.states import Approval, Priority, State
from hashinsight.identity.scope import Scope
from hashinsight.inventory.queries import miners
from hashinsight.inventory.service import get_settings
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.paging import Page

_MAX_ENTRIES = 500


class Machine(TypedDict, total=False):
    miner_no: int
    miner_id: str


async def list_commands(
    session: AsyncSession,
    scope: Scope,
    command_filter: CommandFilter,
    *,
    limit: int,
    cursor: str | None = None,
    now: datetime,
) -> Page:
    """A page, newest first; queued commands have a `wait_reason`."""
    commands = await queries.list_commands(session, scope, command_filter, limit=limit, cursor=cursor)
    return Page(await _with_wait_reasons(session, scope, commands.rows, now=now), commands.next_cursor)


async def get_command(session: AsyncSession, scope: Scope, command_id: UUID, *, now: datetime) -> dict[str, Any]:
    """As in a list, with evidence and ack."""
    row = await queries.get_command(session, scope, command_id)
    (command,) = await _with_wait_reasons(session, scope, [row], now=now)
    return command


async def get_story(session: AsyncSession, scope: Scope, command_id: UUID, *, now: datetime) -> dict[str, Any]:
    """The command with its attempts, history, approvals and audit entries."""
    command = await get_command(session, scope, command_id, now=now)
    entries = await list_entity_entries(session, scope.tenant_id, "command", command_id, limit=_MAX_ENTRIES)
    return {
        **command,
        "attempts": await queries.list_attempts(session, command_id),
        "history": await queries.list_history(session, command_id),
        "approvals": await queries.list_approvals(session, command_id, command["batch_id"]),
        "audit": [AuditEntryOut.model_validate(entry).model_dump() for entry in entries],
    }


async def find_machine(session: AsyncSession, scope: Scope, miner_id: str | None, site_id: int | None) -> Machine:
    """By number, which is indexed and stays the same when a machine is renamed; by id if the machine is unknown."""
    if miner_id is None:
        return {}
    with suppress(NotFound, Conflict):
        return {"miner_no": (await miners.get_miner(session, scope, miner_id, site_id)).miner.miner_no}
    return {"miner_id": miner_id}


async def _with_wait_reasons(
    session: AsyncSession, scope: Scope, rows: Sequence[dict[str, Any]], *, now: datetime
) -> list[dict[str, Any]]:
    """A few queries for a whole page; none if nothing waits."""
    waiting = [row for row in rows if row["state"] == State.QUEUED]
    reasons: dict[UUID, WaitReason | None] = {}
    if waiting:
        sites = sorted({row["site_id"] for row in waiting})
        taken = await queries.list_taken(session, [row["command_id"] for row in waiting])
        served = await queries.list_served(session, sites)
        used_up = await _used_up_rates(session, scope, sites, now=now)
        above_cap = await _above_cap(session, scope, waiting, now=now)
        for row in waiting:
            site_id = row["site_id"]
            reasons[row["command_id"]] = limits.wait_reason(
                limits.Waiting(
                    State(row["state"]),
                    Approval(row["approval_state"]),
                    row["next_attempt_at"],
                    row["command_id"] in taken,
                    (site_id, row["command_type"]) in used_up,
                    row["command_id"] in above_cap,
                    bool({(site_id, None), (site_id, row["zone_id"])} & served),
                ),
                now=now,
            )
    return [
        {
            **row,
            "state": State(row["state"]),
            "approval_state": Approval(row["approval_state"]),
            "priority": Priority(row["priority"]),
            "created_by_kind": ActorKind(row["created_by_kind"]),
            "wait_reason": reasons.get(row["command_id"]),
        }
        for row in rows
    ]


async def _used_up_rates(
    session: AsyncSession, scope: Scope, sites: Sequence[int], *, now: datetime
) -> set[tuple[int, str]]:
    """Types whose rate is used up, by site."""
    used = await leases.list_used_rates(session, sites, limits.RATE_LIMITED, since=now - limits.RATE_WINDOW)
    if not used:
        return set()
    thresholds = (await get_settings(session, scope.tenant_id)).settings.thresholds
    rates = limits.rate_limits(thresholds.reboots_per_site_5min)
    return {(site_id, name) for (site_id, name), n in used.items() if n >= rates[name]}


async def _above_cap(
    session: AsyncSession, scope: Scope, waiting: Sequence[dict[str, Any]], *, now: datetime
) -> set[UUID]:
    """Commands that would take one more machine down than their site's cap allows."""
    rows = [row for row in waiting if row["command_type"] in TAKES_DOWN and not row["emergency"]]
    if not rows:
        return set()
    sites = sorted({row["site_id"] for row in rows})
    share = (await get_settings(session, scope.tenant_id)).settings.thresholds.max_share_of_site_down
    machines = await outages.count_machines(session, sites, now=now)
    down = await outages.list_outages(session, sites, [row["miner_no"] for row in rows], now=now)
    caps = {site_id: limits.outage_cap(share, machines.get(site_id, 0)) for site_id in sites}
    return {
        row["command_id"]
        for row in rows
        if (at_site := down.get(row["site_id"])) is not None
        and at_site.counted_for(row["command_type"]) >= caps[row["site_id"]]
        and row["miner_no"] not in at_site.among
    }
