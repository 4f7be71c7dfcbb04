"""The second factor: begin, confirm, disable, step up."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity import queries
from hashinsight.identity.caller import AccessRefusal, SessionUser
from hashinsight.identity.models import User
from hashinsight.identity.service.proofs import RECOVERY_CODES, TOTP_KEYS, settle_password, show_code, try_password
from hashinsight.identity.tokens import AccessToken, Proof, sign_access
from hashinsight.identity.totp import new_recovery_codes, new_secret, provisioning_uri
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict, NotFound, ValidationFailed


@dataclass(frozen=True)
class GivenProof:
    """What somebody shows to prove that it is them: a code, or by whoever has no second factor the password."""

    code: str | None = None
    password: str | None = None


async def begin_totp(
    database: Database, vault: Vault, person: SessionUser, password: str, *, now: datetime
) -> tuple[str, str] | AccessRefusal:
    """A new secret and its address for the authenticator; it counts only once a code has confirmed it.

    The password is asked for: a second factor of whoever holds a stolen session would keep its owner out.
    """
    actor, token = person.actor, person.token
    async with database.transaction(person.context) as session:
        _check_not_on(await _get_user(session, token.user_id))
    tried = await try_password(database, vault, person, password, now=now)
    async with database.transaction(person.context) as session:
        user = await _get_user(session, token.user_id)
        refused = await settle_password(session, user, tried, now=now)
        if refused is not None:
            return await _recorded(session, actor, Action.TOTP_REFUSED, user, refused, now=now)
        _check_not_on(user)
        secret = new_secret()
        user.totp_key = vault.seal(TOTP_KEYS, secret.encode())
        user.totp_last_step = 0
        await session.flush()
        await record(session, actor, Action.TOTP_BEGUN, "user", user.id, tenant_id=user.tenant_id, now=now)
        return secret, provisioning_uri(secret, user.email)


def _check_not_on(user: User) -> None:
    if user.totp_confirmed_at is not None:
        raise Conflict("the second factor is on already: disable it first")


async def confirm_totp(
    session: AsyncSession, vault: Vault, actor: Actor, token: AccessToken, code: str, *, now: datetime
) -> list[str] | AccessRefusal:
    """Turn it on with a first code; gives the recovery codes, once."""
    user = await _get_user(session, token.user_id)
    if user.totp_key is None or user.totp_confirmed_at is not None:
        raise Conflict("begin the enrolment of a second factor first")
    refused = await show_code(session, vault, user, token.session_id, code, now=now)
    if refused is not None:
        return await _recorded(session, actor, Action.TOTP_REFUSED, user, refused, now=now)
    codes = new_recovery_codes()
    hashes = [vault.fingerprint(RECOVERY_CODES, f"{user.id} {one}") for one in codes]
    await queries.replace_recovery_codes(session, user, hashes)
    user.totp_confirmed_at = now
    await session.flush()
    await record(session, actor, Action.TOTP_ENABLED, "user", user.id, tenant_id=user.tenant_id, now=now)
    return codes


async def disable_totp(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """By its owner after a step-up, or by an administrator."""
    user = await _get_user(session, user_id)
    user.totp_key = None
    user.totp_confirmed_at = None
    await queries.replace_recovery_codes(session, user, [])
    await session.flush()
    await record(session, actor, Action.TOTP_DISABLED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def reset_totp(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """By an administrator for somebody who lost the phone: whoever is signed in as that user signs in again."""
    await disable_totp(session, actor, user_id, now=now)
    await queries.move_sessions_revoked(session, user_id, reason="second factor reset", now=now)


async def step_up(
    database: Database, vault: Vault, person: SessionUser, shown: GivenProof, *, now: datetime
) -> str | AccessRefusal:
    """A fresh access token that remembers for five minutes what was shown."""
    token = person.token
    async with database.transaction(person.context) as session:
        user = await _get_user(session, token.user_id)
        if user.totp_confirmed_at is not None:
            if shown.code is None:
                raise ValidationFailed("this user has a second factor: show its code")
            refused = await show_code(session, vault, user, token.session_id, shown.code, now=now)
            return await _stepped_up(session, vault, person, user, refused or Proof.TOTP, now=now)
    if shown.password is None:
        raise Conflict("this user has no second factor: show the password")
    tried = await try_password(database, vault, person, shown.password, now=now)
    async with database.transaction(person.context) as session:
        user = await _get_user(session, token.user_id)
        refused = await settle_password(session, user, tried, now=now)
        return await _stepped_up(session, vault, person, user, refused or Proof.PASSWORD, now=now)


async def _stepped_up(
    session: AsyncSession,
    vault: Vault,
    person: SessionUser,
    user: User,
    proof: Proof | AccessRefusal,
    *,
    now: datetime,
) -> str | AccessRefusal:
    actor, token = person.actor, person.token
    if isinstance(proof, AccessRefusal):
        return await _recorded(session, actor, Action.STEP_UP_REFUSED, user, proof, now=now)
    after = {"proof": proof.value}
    await record(session, actor, Action.STEP_UP, "user", user.id, tenant_id=user.tenant_id, after=after, now=now)
    return sign_access(vault, AccessToken(token.tenant_id, token.user_id, token.session_id, now, proof), now=now)


async def _recorded(
    session: AsyncSession, actor: Actor, action: Action, user: User, refused: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    after = {"error_code": refused.code}
    await record(
        session, actor, action, "user", user.id, tenant_id=user.tenant_id, after=after, reason=refused.reason, now=now
    )
    return refused


async def _get_user(session: AsyncSession, user_id: UUID) -> User:
    user = await queries.find_user(session, user_id)
    if user is None or user.state == "deleted":
        raise NotFound("no such user")
    return user
