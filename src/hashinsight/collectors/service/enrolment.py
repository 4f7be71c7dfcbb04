"""A collector registers itself with its one-time code, and gets its token; it waits until it is approved."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry, tokens
from hashinsight.collectors.queries.tokens import TokenOwner
from hashinsight.collectors.service.events import open_event
from hashinsight.collectors.service.tokens import IssuedSecret, issue_token
from hashinsight.collectors.states import REGISTERED, Status
from hashinsight.identity.caller import AccessRefusal
from hashinsight.kit.crypto import token_hash


@dataclass(frozen=True, repr=False)
class Registration:
    code: str
    version: str | None = None
    device_id: str | None = None


@dataclass(frozen=True)
class Registered:
    collector: Collector
    site_code: str
    secret: IssuedSecret


async def register(
    session: AsyncSession, visitor: Actor, owner: TokenOwner | None, given: Registration, *, now: datetime
) -> Registered | AccessRefusal:
    """Use up the code of this owner. A refusal says its reason by its code; nothing was changed then."""
    hashed = token_hash(given.code)
    if owner is None:
        return AccessRefusal(401, "ENROLMENT_CODE_UNKNOWN", "this enrolment code is not known")
    await tokens.enter_site(session, owner)
    collector = await registry.find_collector(session, owner.collector_id, lock=True)
    if collector is None or collector.status != Status.PENDING:
        return AccessRefusal(403, "COLLECTOR_NOT_ACTIVE", "this collector is not waiting to be enrolled")
    if not await tokens.move_code_used(session, hashed, now=now):
        return await _why_not(session, hashed, now=now)
    await tokens.move_tokens_revoked(session, collector.id, now=now)
    actor = Actor(ActorKind.COLLECTOR, str(collector.id), visitor.request_id, visitor.address)
    collector.version = given.version or collector.version
    collector.last_device_id = given.device_id
    collector.last_address = visitor.address
    collector.last_seen_at = now
    collector.connection_count += 1
    await session.flush()
    await record(
        session,
        actor,
        Action.COLLECTOR_REGISTERED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after={"device_id": given.device_id, "version": given.version, "address": visitor.address},
        now=now,
    )
    await open_event(session, collector, REGISTERED, f"collector {collector.name} registered", now=now)
    secret = await issue_token(session, actor, collector, now=now)
    return Registered(collector, await registry.get_site_code(session, collector.site_id), secret)


async def _why_not(session: AsyncSession, hashed: bytes, *, now: datetime) -> AccessRefusal:
    code = await tokens.find_code(session, hashed)
    if code is not None and code.used_at is not None:
        return AccessRefusal(401, "ENROLMENT_CODE_USED", "this enrolment code was used before: ask for a new one")
    if code is not None and code.expires_at <= now:
        return AccessRefusal(401, "ENROLMENT_CODE_EXPIRED", "this enrolment code has expired: ask for a new one")
    return AccessRefusal(401, "ENROLMENT_CODE_REVOKED", "this enrolment code was revoked: ask for a new one")
