"""Understand a request: its words checked against bounds, catalogue and the tenant's settings, before any machine."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.commands.approval import (
    NO_RECENT_REQUESTS,
    ApprovalLimits,
    ApprovalNeed,
    Impact,
    RecentRequests,
    judge_approval,
)
from hashinsight.commands.catalogue import CommandType, resolve
from hashinsight.commands.queries.requesters import find_requester
from hashinsight.commands.requests import CommandCaller, CommandRequest, check_request
from hashinsight.facts.pools import is_pool_allowed, is_worker_allowed
from hashinsight.inventory.service import get_settings
from hashinsight.inventory.tenant_settings import TenantSettings
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import ValidationFailed
from hashinsight.wire.canonical import canonical_json


@dataclass(frozen=True)
class Order:
    """A request that was understood. `asks` is the same for two that ask for the same thing.

    `requester` is the same for all that one person asks, by session or by key.
    """

    asker: CommandCaller
    requester: str
    asked: CommandRequest
    kind: CommandType
    params: dict[str, Any]
    asks: bytes
    settings: TenantSettings

    def need(self, impact: Impact, before: RecentRequests = NO_RECENT_REQUESTS) -> ApprovalNeed:
        approval = self.settings.approval
        return judge_approval(
            self.kind.risk,
            impact,
            ApprovalLimits(approval.machines, approval.power_kw, approval.window_min),
            is_control=self.kind.is_control,
            before=before,
            asked_for=self.asked.approval_required,
            emergency=self.asked.emergency,
            pre_approved=self.asked.pre_approval is not None,
        )

    def fingerprint(self, vault: Vault) -> bytes:
        """Of the whole request and of whoever asks: an Idempotency-Key is for one of them."""
        whole = asdict(replace(self.asked, params={}, filter=None))  # both are told by what stands beside them
        del whole["idempotency_key"], whole["miner_ids"]  # in any order they mean the same machines
        actor = self.asker.actor
        words = [self.asks.hex(), self.asked.selection(), whole, actor.kind.value, actor.id]
        return vault.fingerprint("command request", canonical_json(words).decode())


async def understand(session: AsyncSession, vault: Vault, asker: CommandCaller, asked: CommandRequest) -> Order:
    check_request(asked)
    kind, params = resolve(asked.command_type, asked.params)
    settings = (await get_settings(session, asker.tenant_id)).settings
    url = params.get("pool_url")
    if url is not None and not is_pool_allowed(url, settings.pools.allowed):
        raise ValidationFailed("the tenant's settings do not allow this pool", code="POOL_NOT_ALLOWED")
    user = params.get("pool_user")
    if user is not None and not is_worker_allowed(user, settings.pools.workers):
        raise ValidationFailed("the tenant's settings do not allow this worker", code="POOL_NOT_ALLOWED")
    asks = vault.fingerprint("command asks", canonical_json([kind.name, params]).decode())
    return Order(asker, await find_requester(session, asker.actor), asked, kind, params, asks, settings)
