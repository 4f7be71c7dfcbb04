"""Enrolment: a collector registers with its one-time code and gets its token; it stays pending until approved."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry, tokens
from hashinsight.collectors.queries.tokens import TokenOwner
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.service.tokens import IssuedSecret, issue_token, record_change
from hashinsight.collectors.states import REGISTERED, Status
from hashinsight.identity.caller import AccessRefusal
from hashinsight.kit.crypto import token_hash


@dataclass(frozen=True, repr=False)
class Enrolment:
    code: str
    version: str | None = None
    device_id: str | None = None


@dataclass(frozen=True)
class Enrolled:
    collector: Collector
    site_code: str
    secret: IssuedSecret


async def register(
    session: AsyncSession, visitor: Actor, owner: TokenOwner | None, enrolment: Enrolment, *, now: datetime
) -> Enrolled | AccessRefusal:
    """Use the code. A refusal has a code, and nothing was changed."""
    hashed = token_hash(enrolment.code)
    if owner is None:
        return AccessRefusal(401, "ENROLMENT_CODE_UNKNOWN", "unknown enrolment code")
    await tokens.enter_site(session, owner)
    collector = await registry.find_collector(session, owner.collector_id, lock=True)
    if collector is None or collector.status != Status.PENDING:
        return AccessRefusal(403, "COLLECTOR_NOT_ACTIVE", "this collector is not pending")
    if not await tokens.move_code_used(session, hashed, now=now):
        return await _refusal(session, hashed, now=now)
    await tokens.move_tokens_revoked(session, collector.id, now=now)
    actor = Actor(ActorKind.COLLECTOR, str(collector.id), visitor.request_id, visitor.address)
    collector.version = enrolment.version or collector.version
    collector.last_device_id = enrolment.device_id
    collector.last_address = visitor.address
    collector.last_seen_at = now
    collector.connection_count += 1
    await session.flush()
    after = {"device_id": enrolment.device_id, "version": enrolment.version, "address": visitor.address}
    await record_change(session, actor, Action.COLLECTOR_REGISTERED, collector, after, now=now)
    await open_event(session, collector, REGISTERED, f"collector {collector.name} registered", now=now)
    secret = await issue_token(session, actor, collector, now=now)
    return Enrolled(collector, await registry.get_site_code(session, collector.site_id), secret)


async def _refusal(session: AsyncSession, hashed: bytes, *, now: datetime) -> AccessRefusal:
    code = await tokens.find_code(session, hashed)
    if code is not None and code.used_at is not None:
        return AccessRefusal(401, "ENROLMENT_CODE_USED", "this enrolment code was already used: request a new one")
    if code is not None and code.expires_at <= now:
        return AccessRefusal(401, "ENROLMENT_CODE_EXPIRED", "this enrolment code has expired: request a new one")
    return AccessRefusal(401, "ENROLMENT_CODE_REVOKED", "this enrolment code was revoked: request a new one")
