"""Second factor: begin, confirm, disable, reset, and step up."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import AccessRefusal, Caller
from hashinsight.identity.models import User
from hashinsight.identity.queries import accounts, sessions
from hashinsight.identity.service.proofs import (
    RECOVERY_CODES,
    TOTP_KEYS,
    check_session_code,
    settle_password,
    try_password,
)
from hashinsight.identity.tokens import AccessToken, Proof, sign_access
from hashinsight.identity.totp import new_recovery_codes, new_secret, provisioning_uri
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict, ValidationFailed


@dataclass(frozen=True)
class GivenProof:
    """What a user enters for a step-up: a code, or the password without a second factor."""

    code: str | None = None
    password: str | None = None


async def begin_totp(
    database: Database, vault: Vault, caller: Caller, password: str, *, now: datetime
) -> tuple[str, str] | AccessRefusal:
    """A new secret and its URI for an authenticator app; it counts only after a first code.

    It needs the password: a second factor set up by a thief with a stolen session would lock the owner out.
    """
    actor, token = caller.actor, caller.get_token()
    async with database.transaction(caller.context()) as session:
        _check_not_enabled(await accounts.get_user(session, token.user_id))
    attempt = await try_password(database, vault, caller, password, now=now)
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        refusal = await settle_password(session, user, attempt, now=now)
        if refusal is not None:
            return await _record_refusal(session, actor, Action.TOTP_REFUSED, user, refusal, now=now)
        _check_not_enabled(user)
        secret = new_secret()
        user.totp_key = vault.seal(TOTP_KEYS, secret.encode())
        user.totp_last_step = 0
        await session.flush()
        await record(session, actor, Action.TOTP_BEGUN, "user", user.id, tenant_id=user.tenant_id, now=now)
        return secret, provisioning_uri(secret, user.email)


def _check_not_enabled(user: User) -> None:
    if user.totp_confirmed_at is not None:
        raise Conflict("two-factor authentication is already on: turn it off first")


async def confirm_totp(
    session: AsyncSession, vault: Vault, caller: Caller, code: str, *, now: datetime
) -> list[str] | AccessRefusal:
    """Turn it on with a first code; returns the recovery codes, once."""
    actor, token = caller.actor, caller.get_token()
    user = await accounts.get_user(session, token.user_id)
    if user.totp_key is None or user.totp_confirmed_at is not None:
        raise Conflict("start two-factor setup first")
    refusal = await check_session_code(session, vault, user, token.session_id, code, now=now)
    if refusal is not None:
        return await _record_refusal(session, actor, Action.TOTP_REFUSED, user, refusal, now=now)
    codes = new_recovery_codes()
    hashes = [vault.fingerprint(RECOVERY_CODES, f"{user.id} {recovery_code}") for recovery_code in codes]
    await sessions.replace_recovery_codes(session, user, hashes)
    user.totp_confirmed_at = now
    await session.flush()
    await record(session, actor, Action.TOTP_ENABLED, "user", user.id, tenant_id=user.tenant_id, now=now)
    return codes


async def disable_totp(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """By the user after a step-up, or by an owner."""
    user = await accounts.get_user(session, user_id)
    user.totp_key = None
    user.totp_confirmed_at = None
    await sessions.replace_recovery_codes(session, user, [])
    await session.flush()
    await record(session, actor, Action.TOTP_DISABLED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def reset_totp(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """By an owner for a user who lost the phone; all sessions of that user end."""
    await disable_totp(session, actor, user_id, now=now)
    await sessions.move_sessions_revoked(session, user_id, reason="second factor reset", now=now)


async def step_up(
    database: Database, vault: Vault, caller: Caller, proof: GivenProof, *, now: datetime
) -> str | AccessRefusal:
    """A new access token that allows dangerous actions for five minutes."""
    token = caller.get_token()
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        if user.totp_confirmed_at is not None:
            if proof.code is None:
                raise ValidationFailed("this user has a second factor: send a code")
            refusal = await check_session_code(session, vault, user, token.session_id, proof.code, now=now)
            return await _settle_step_up(session, vault, caller, user, refusal or Proof.TOTP, now=now)
    if proof.password is None:
        raise Conflict("this user has no second factor: send the password")
    attempt = await try_password(database, vault, caller, proof.password, now=now)
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        refusal = await settle_password(session, user, attempt, now=now)
        return await _settle_step_up(session, vault, caller, user, refusal or Proof.PASSWORD, now=now)


async def _settle_step_up(
    session: AsyncSession, vault: Vault, caller: Caller, user: User, result: Proof | AccessRefusal, *, now: datetime
) -> str | AccessRefusal:
    actor, token = caller.actor, caller.get_token()
    if isinstance(result, AccessRefusal):
        return await _record_refusal(session, actor, Action.STEP_UP_REFUSED, user, result, now=now)
    after = {"proof": result.value}
    await record(session, actor, Action.STEP_UP, "user", user.id, tenant_id=user.tenant_id, after=after, now=now)
    return sign_access(vault, AccessToken(token.tenant_id, token.user_id, token.session_id, now, result), now=now)


async def _record_refusal(
    session: AsyncSession, actor: Actor, action: Action, user: User, refusal: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    after = {"error_code": refusal.code}
    await record(
        session, actor, action, "user", user.id, tenant_id=user.tenant_id, after=after, reason=refusal.reason, now=now
    )
    return refusal
