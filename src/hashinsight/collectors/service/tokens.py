"""Tokens: issue, rotate with an overlap, revoke at once. A secret is shown once and stored only as a hash."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import record
from hashinsight.collectors.kinds import CODE_LIFE, TOKEN_LIFE, Status
from hashinsight.collectors.models import Collector
from hashinsight.collectors.queries import tokens
from hashinsight.kit.clock import iso_z
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.errors import Conflict
from hashinsight.kit.ids import new_token


@dataclass(frozen=True, repr=False)
class Secret:
    """What is shown once. `field` names it in answers: token or enrolment_code."""

    field: str
    value: str
    expires_at: datetime


async def issue_token(
    session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime, life: timedelta = TOKEN_LIFE
) -> Secret:
    secret = Secret("token", new_token("collector"), now + life)
    await tokens.insert_token(session, collector, token_hash(secret.value), now=now, expires_at=secret.expires_at)
    await _record(session, actor, Action.COLLECTOR_TOKEN_ISSUED, collector, secret.expires_at, now=now)
    return secret


async def issue_code(
    session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime, life: timedelta = CODE_LIFE
) -> Secret:
    """A new code for a collector that waits to be enrolled; the ones before it are good no more."""
    if collector.status != Status.PENDING:
        raise Conflict("only a pending collector is enrolled: rotate the token of this one")
    await tokens.move_codes_revoked(session, collector.id, now=now)
    secret = Secret("enrolment_code", new_token("enrol"), now + life)
    await tokens.insert_code(session, collector, token_hash(secret.value), now=now, expires_at=secret.expires_at)
    await _record(session, actor, Action.ENROLMENT_CODE_ISSUED, collector, secret.expires_at, now=now)
    return secret


async def rotate(
    session: AsyncSession,
    actor: Actor,
    collector: Collector,
    *,
    overlap: timedelta,
    now: datetime,
    life: timedelta = TOKEN_LIFE,
) -> Secret:
    """A new token; the old ones are good for the overlap and not longer."""
    await tokens.move_tokens_expiring(session, collector.id, until=now + overlap)
    return await issue_token(session, actor, collector, now=now, life=life)


async def revoke(session: AsyncSession, actor: Actor, collector: Collector, *, now: datetime) -> int:
    """All its tokens and unused codes, at once; says how many tokens."""
    revoked = await tokens.move_tokens_revoked(session, collector.id, now=now)
    codes = await tokens.move_codes_revoked(session, collector.id, now=now)
    await record(
        session,
        actor,
        Action.COLLECTOR_TOKENS_REVOKED,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after={"tokens": revoked, "enrolment_codes": codes},
        now=now,
    )
    return revoked


async def _record(
    session: AsyncSession, actor: Actor, action: Action, collector: Collector, expires_at: datetime, *, now: datetime
) -> None:
    await record(
        session,
        actor,
        action,
        "collector",
        collector.id,
        tenant_id=collector.tenant_id,
        after={"expires_at": iso_z(expires_at)},
        now=now,
    )
