"""Request commands: the one entrance for people, rules and programs. One transaction, however many machines."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.approval import NO_RECENT_REQUESTS, ApprovalNeed, RecentRequests
from hashinsight.commands.catalogue import Downtime, resolve
from hashinsight.commands.limits import outage_cap
from hashinsight.commands.queries import commands, outages, requesters, targets
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.requests import (
    BlastRadius,
    CommandRequest,
    CreatedCommand,
    DryRunResult,
    Refusal,
    RequestResult,
    ResolvedRequest,
    check_request,
)
from hashinsight.commands.service.queue import REASON_SEPARATOR, enqueue
from hashinsight.commands.service.targets import arbitrate_targets, measure_impact, select_targets
from hashinsight.commands.states import Approval
from hashinsight.facts.models import find_model
from hashinsight.facts.pools import is_pool_allowed, is_worker_allowed
from hashinsight.identity.caller import Caller
from hashinsight.inventory.service import get_settings
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import NotFound, ValidationFailed
from hashinsight.kit.ids import new_id
from hashinsight.wire.canonical import canonical_json

_KEY_LIFE = timedelta(hours=24)


async def request(
    session: AsyncSession, vault: Vault, caller: Caller, command_request: CommandRequest, *, now: datetime
) -> RequestResult:
    """Create one command per machine; refused machines get a reason. Decisions are in the audit log either way."""
    resolved = await _resolve(session, vault, caller, command_request)
    batch_id = new_id()
    if command_request.idempotency_key is not None:
        earlier = await _claim_key(session, vault, resolved, batch_id, now=now)
        if earlier is not None:
            return await _repeat_result(session, earlier)
    selected = await select_targets(session, resolved)
    arbitrated = await arbitrate_targets(session, resolved, selected, lock=True, now=now)
    site_id, machines = selected.site_id, arbitrated.accepted
    impact = await measure_impact(session, site_id, list(machines), now=now)
    recent = await _recent_requests(session, resolved, site_id, machines, lock=True, now=now)
    need = resolved.judge_approval(impact, recent)
    created = await enqueue(session, vault, resolved, arbitrated, need, batch_id=batch_id, site_id=site_id, now=now)
    ids = dict(zip(machines, (command.command_id for command in created), strict=True))
    await _note_unapproved(session, resolved, site_id, need, ids, now=now)
    return RequestResult(batch_id, (*created, *arbitrated.existing), arbitrated.refused, need.texts)


async def dry_run(
    session: AsyncSession, vault: Vault, caller: Caller, command_request: CommandRequest, *, now: datetime
) -> DryRunResult:
    """What the same request would affect, and which machines it would leave out. Stores and locks nothing."""
    resolved = await _resolve(session, vault, caller, command_request)
    selected = await select_targets(session, resolved)
    arbitrated = await arbitrate_targets(session, resolved, selected, lock=False, now=now)
    site_id, machines = selected.site_id, arbitrated.accepted
    impact = await measure_impact(session, site_id, list(machines), now=now)
    recent = await _recent_requests(session, resolved, site_id, machines, lock=False, now=now)
    need = resolved.judge_approval(impact, recent)
    existing = [
        Refusal(command.miner_id, "EXISTING", "created before with the same dedupe key", command.command_id)
        for command in arbitrated.existing
    ]
    supersedes = sum(len(result.supersedes) for result in arbitrated.results.values())
    radius = await _blast_radius(session, resolved, site_id, list(machines), now=now)
    return DryRunResult(impact, (*arbitrated.refused, *existing), need.is_needed, need.reasons, supersedes, radius)


async def _resolve(
    session: AsyncSession, vault: Vault, caller: Caller, command_request: CommandRequest
) -> ResolvedRequest:
    """Check the request against bounds, catalogue and the tenant's settings, before any machine is looked up."""
    check_request(command_request)
    kind, params = resolve(command_request.command_type, command_request.params)
    settings = (await get_settings(session, caller.tenant_id)).settings
    url, worker = params.get("pool_url"), params.get("pool_user")
    if url is not None and not is_pool_allowed(url, settings.pools.allowed):
        raise ValidationFailed("this pool is not on the tenant's allow list", code="POOL_NOT_ALLOWED")
    if worker is not None and not is_worker_allowed(worker, settings.pools.workers):
        raise ValidationFailed("this worker is not on the tenant's allow list", code="POOL_NOT_ALLOWED")
    asks = vault.fingerprint("command asks", canonical_json([kind.name, params]).decode())
    requester = await requesters.find_requester(session, caller.actor)
    return ResolvedRequest(caller, requester, command_request, kind, params, asks, settings)


async def _blast_radius(
    session: AsyncSession, resolved: ResolvedRequest, site_id: int, miner_nos: list[int], *, now: datetime
) -> BlastRadius | None:
    if resolved.kind.down is Downtime.NO:
        return None
    machines = (await outages.count_machines(session, [site_id], now=now)).get(site_id, 0)
    cap = outage_cap(resolved.settings.thresholds.max_share_of_site_down, machines)
    down = (await outages.list_outages(session, [site_id], miner_nos, now=now)).get(site_id, outages.NO_OUTAGES)
    down_now = down.counted_for(resolved.kind.name)
    above = max(0, len(miner_nos) - len(down.among) - max(0, cap - down_now))
    emergency = resolved.request.emergency
    return BlastRadius(down_now, cap, 0 if emergency else above, emergency and above > 0)


async def _recent_requests(
    session: AsyncSession,
    resolved: ResolvedRequest,
    site_id: int,
    machines: Mapping[int, str],
    *,
    lock: bool,
    now: datetime,
) -> RecentRequests:
    """`lock`: until this request is stored, no other of the requester is judged; taken last, to avoid deadlocks."""
    if not resolved.kind.is_control or not machines:
        return NO_RECENT_REQUESTS
    key = requesters.limit_key(resolved.requester)
    if lock:
        await requesters.lock_requester(session, site_id, key)
    since = _window_start(resolved, now=now)
    recent, power_then = await requesters.get_recent_requests(session, site_id, key, list(machines), since=since)
    if not power_then:
        return recent
    power_now = {row.miner_no: _power_w(row) for row in await targets.list_power(session, list(power_then), now=now)}
    more_w = sum(max(0.0, then - power_now.get(miner_no, 0.0)) for miner_no, then in power_then.items())
    return replace(recent, more_kw=more_w / 1000)


async def _note_unapproved(
    session: AsyncSession,
    resolved: ResolvedRequest,
    site_id: int,
    need: ApprovalNeed,
    created: Mapping[int, UUID],
    *,
    now: datetime,
) -> None:
    """Commands without approval count towards the requester's limits, also if they are canceled later."""
    if not resolved.kind.is_control or not created or need.state is not Approval.NONE:
        return
    rows = [
        {"miner_no": row.miner_no, "command_id": created[row.miner_no], "power_w": _power_w(row)}
        for row in await targets.list_power(session, list(created), now=now)
    ]
    key, since = requesters.limit_key(resolved.requester), _window_start(resolved, now=now)
    tenant_id = resolved.caller.tenant_id
    await requesters.insert_unapproved(session, tenant_id, site_id, key, rows, since=since, now=now)


def _window_start(resolved: ResolvedRequest, *, now: datetime) -> datetime:
    return now - timedelta(minutes=resolved.settings.approval.window_min)


def _power_w(row: Any) -> float:
    """From a fresh sample, else the model's rated power."""
    if row.power_w is not None:
        return float(row.power_w)
    rated = find_model(row.model) if row.model else None
    return rated.power_w if rated else 0.0


async def _claim_key(
    session: AsyncSession, vault: Vault, resolved: ResolvedRequest, batch_id: UUID, *, now: datetime
) -> UUID | None:
    """The batch of an earlier request with this Idempotency-Key; None: the key was free. Waits for one in progress."""
    tenant_id, key = resolved.caller.tenant_id, resolved.request.idempotency_key or ""
    fingerprint = resolved.fingerprint(vault)
    earlier = await queries.claim_key(
        session, tenant_id, key, fingerprint=fingerprint, batch_id=batch_id, until_at=now + _KEY_LIFE, now=now
    )
    if earlier is None:
        return None
    if bytes(earlier.fingerprint) != fingerprint:
        raise errors.key_reused()
    return UUID(str(earlier.batch_id))


async def _repeat_result(session: AsyncSession, batch_id: UUID) -> RequestResult:
    batch = await commands.find_request_result(session, batch_id)
    if batch is None:
        raise NotFound("the commands of this Idempotency-Key are outside your scope")
    created = [CreatedCommand(*row) for row in await commands.list_created(session, batch_id)]
    existing = [CreatedCommand(**{**row, "command_id": UUID(row["command_id"])}) for row in batch.repeated or ()]
    refused = [
        Refusal(row["miner_id"], row["error_code"], row["reason"], UUID(open_id) if open_id else None)
        for row in batch.refused
        for open_id in (row.get("command_id"),)
    ]
    reasons = tuple(batch.approval_reason.split(REASON_SEPARATOR)) if batch.approval_reason else ()
    return RequestResult(batch_id, (*created, *existing), tuple(refused), reasons, repeated=True)
