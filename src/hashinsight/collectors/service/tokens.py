"""Tokens and enrolment codes: issue, rotate with an overlap, revoke. Shown once, stored as a hash."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import registry, tokens
from hashinsight.collectors.states import CODE_LIFE, TOKEN_LIFE, Status
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.errors import Conflict
from hashinsight.kit.ids import new_token
from hashinsight.wire.times import write_time


@dataclass(frozen=True, repr=False)
class IssuedSecret:
    """Shown once. `field`: its name in answers, token or enrolment_code."""

    field: str
    value: str
    expires_at: datetime


async def issue_token(
    session: AsyncSession,
    actor: Actor,
    collector: Collector,
    *,
    now: datetime,
    life: timedelta = TOKEN_LIFE,
    details: Mapping[str, Any] | None = None,
) -> IssuedSecret:
    """An additional token; `details` go into its audit entry."""
    secret = IssuedSecret("token", new_token("collector"), now + life)
    await tokens.insert_token(session, collector, token_hash(secret.value), now=now, expires_at=secret.expires_at)
    after = {"expires_at": write_time(secret.expires_at), **(details or {})}
    await record_change(session, actor, Action.COLLECTOR_TOKEN_ISSUED, collector, after, now=now)
    return secret


async def issue_code(
    session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime, life: timedelta = CODE_LIFE
) -> IssuedSecret:
    """A new code for a pending collector; earlier ones are revoked."""
    collector = await lock_collector(session, collector)
    if collector.status != Status.PENDING:
        raise Conflict("not pending: rotate its token instead")
    await tokens.move_codes_revoked(session, collector.id, now=now)
    secret = IssuedSecret("enrolment_code", new_token("enrol"), now + life)
    await tokens.insert_code(session, collector, token_hash(secret.value), now=now, expires_at=secret.expires_at)
    after = {"expires_at": write_time(secret.expires_at)}
    await record_change(session, actor, Action.ENROLMENT_CODE_ISSUED, collector, after, now=now)
    return secret


async def rotate(
    session: AsyncSession,
    actor: Actor,
    collector: Collector,
    *,
    overlap: timedelta,
    now: datetime,
    life: timedelta = TOKEN_LIFE,
) -> IssuedSecret:
    """A new token; old ones stay valid for the overlap."""
    collector = await lock_collector(session, collector)
    until = now + overlap
    shortened = await tokens.move_tokens_expiring(session, collector.id, until=until)
    details = {"old_tokens_cut": shortened, "old_tokens_until": write_time(until)}
    return await issue_token(session, actor, collector, now=now, life=life, details=details)


async def revoke(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> int:
    """All its tokens and unused codes, at once; returns how many tokens."""
    collector = await lock_collector(session, collector)
    revoked = await tokens.move_tokens_revoked(session, collector.id, now=now)
    codes = await tokens.move_codes_revoked(session, collector.id, now=now)
    after = {"tokens": revoked, "enrolment_codes": codes}
    await record_change(session, actor, Action.COLLECTOR_TOKENS_REVOKED, collector, after, now=now)
    return revoked


async def lock_collector(session: AsyncSession, collector: Collector) -> Collector:
    """Changes of a collector's secrets lock its row first, as registration does: the later one wins."""
    return await registry.get_collector(session, collector.id, lock=True)


async def record_change(
    session: AsyncSession,
    actor: Actor,
    action: Action,
    collector: Collector,
    after: Mapping[str, Any],
    *,
    before: Mapping[str, Any] | None = None,
    now: datetime,
) -> None:
    """The audit entry of a change to a collector."""
    tenant_id = collector.tenant_id
    await record(
        session, actor, action, "collector", collector.id, tenant_id=tenant_id, before=before, after=after, now=now
    )
