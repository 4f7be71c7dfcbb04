"""Request: the one door by which people, rules and programs ask for commands. One transaction, whatever the number."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands import errors
from hashinsight.commands.catalogue import Downtime
from hashinsight.commands.limits import outage_cap
from hashinsight.commands.queries import commands, outages
from hashinsight.commands.queries import requests as queries
from hashinsight.commands.requests import (
    BlastRadius,
    CommandCaller,
    CommandRequest,
    CreatedCommand,
    DryRunResult,
    Refusal,
    RequestResult,
)
from hashinsight.commands.service import sums
from hashinsight.commands.service.choosing import choose
from hashinsight.commands.service.storing import REASONS, store
from hashinsight.commands.service.understanding import Order, understand
from hashinsight.commands.service.weighing import measure, weigh
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import NotFound
from hashinsight.kit.ids import new_id

_KEY_HOLDS = timedelta(hours=24)


async def request(
    session: AsyncSession, vault: Vault, asker: CommandCaller, asked: CommandRequest, *, now: datetime
) -> RequestResult:
    """Make one command a machine, or say for which and why not. The decisions are in the record either way."""
    order = await understand(session, vault, asker, asked)
    batch_id = new_id()
    if asked.idempotency_key is not None:
        before = await _claim(session, vault, order, batch_id, now=now)
        if before is not None:
            return await _answer_again(session, before)
    chosen = await choose(session, order)
    weighed = await weigh(session, order, chosen, lock=True, now=now)
    site_id, machines = chosen.site_id, weighed.accepted
    impact = await measure(session, site_id, list(machines), now=now)
    need = order.need(impact, await sums.sum_before(session, order, site_id, machines, lock=True, now=now))
    made = await store(session, vault, order, weighed, need, batch_id=batch_id, site_id=site_id, now=now)
    ids = dict(zip(machines, (one.command_id for one in made), strict=True))
    await sums.note_unapproved(session, order, site_id, need, ids, now=now)
    return RequestResult(batch_id, (*made, *weighed.existing), weighed.refused, need.reasons)


async def dry_run(
    session: AsyncSession, vault: Vault, asker: CommandCaller, asked: CommandRequest, *, now: datetime
) -> DryRunResult:
    """What the same request would reach, whom not and why. Nothing is stored or locked."""
    order = await understand(session, vault, asker, asked)
    chosen = await choose(session, order)
    weighed = await weigh(session, order, chosen, lock=False, now=now)
    impact = await measure(session, chosen.site_id, list(weighed.accepted), now=now)
    before = await sums.sum_before(session, order, chosen.site_id, weighed.accepted, lock=False, now=now)
    need = order.need(impact, before)
    there = [Refusal(one.miner_id, "EXISTING", "its dedupe key made one", one.command_id) for one in weighed.existing]
    superseded = sum(len(one.supersedes) for one in weighed.verdicts.values())
    radius = await _radius(session, order, chosen.site_id, list(weighed.accepted), now=now)
    return DryRunResult(impact, (*weighed.refused, *there), need.is_needed, need.causes, superseded, radius)


async def _radius(
    session: AsyncSession, order: Order, site_id: int, miner_nos: list[int], *, now: datetime
) -> BlastRadius | None:
    if order.kind.down is Downtime.NO:
        return None
    machines = (await outages.count_machines(session, [site_id], now=now)).get(site_id, 0)
    cap = outage_cap(order.settings.thresholds.max_share_of_site_down, machines)
    down = (await outages.list_down(session, [site_id], miner_nos, now=now)).get(site_id, outages.NO_OUTAGES)
    counted = down.counted_for(order.kind.name)
    above = max(0, len(miner_nos) - len(down.among) - max(0, cap - counted))
    is_urgent = order.asked.emergency
    return BlastRadius(counted, cap, 0 if is_urgent else above, is_urgent and above > 0)


async def _claim(session: AsyncSession, vault: Vault, order: Order, batch_id: UUID, *, now: datetime) -> UUID | None:
    """The batch that this key made before; None when the key is ours. Waits for the same request under way."""
    tenant_id, key = order.asker.tenant_id, order.asked.idempotency_key or ""
    fingerprint = order.fingerprint(vault)
    before = await queries.claim_key(
        session, tenant_id, key, fingerprint=fingerprint, batch_id=batch_id, until_at=now + _KEY_HOLDS, now=now
    )
    if before is None:
        return None
    if bytes(before.fingerprint) != fingerprint:
        raise errors.key_reused()
    found: UUID = before.batch_id
    return found


async def _answer_again(session: AsyncSession, batch_id: UUID) -> RequestResult:
    batch = await commands.find_answered(session, batch_id)
    if batch is None:
        raise NotFound("what this Idempotency-Key made lies outside your scope")
    made = [CreatedCommand(**one._mapping) for one in await commands.list_of_batch(session, batch_id)]  # noqa: SLF001 - a row's
    existing = [CreatedCommand(**{**one, "command_id": UUID(one["command_id"])}) for one in batch.repeated or ()]
    refused = [_refusal(one) for one in batch.refused]
    reasons = tuple(batch.approval_reason.split(REASONS)) if batch.approval_reason else ()
    return RequestResult(batch_id, (*made, *existing), tuple(refused), reasons, repeated=True)


def _refusal(one: dict[str, Any]) -> Refusal:
    command_id = one.get("command_id")
    return Refusal(one["miner_id"], one["error_code"], one["reason"], UUID(command_id) if command_id else None)
