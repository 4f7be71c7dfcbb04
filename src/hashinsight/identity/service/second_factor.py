"""The second factor: begin, confirm, disable, step up."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import record
from hashinsight.identity import queries
from hashinsight.identity.claims import AccessToken
from hashinsight.identity.models import User
from hashinsight.identity.refusals import Refused
from hashinsight.identity.tokens import sign_access
from hashinsight.identity.totp import matching_step, new_recovery_codes, new_secret, provisioning_uri
from hashinsight.kit.crypto import Vault
from hashinsight.kit.errors import Conflict, NotFound

_PURPOSE = "totp keys"
_RECOVERY = "recovery codes"


async def check_code(session: AsyncSession, vault: Vault, user: User, code: str, *, now: datetime) -> Refused | None:
    """None when the code is right: a time-based one that was not used before, or an unused recovery code."""
    code = code.strip().upper()
    if "-" in code:
        hashed = vault.fingerprint(_RECOVERY, f"{user.id} {code}")
        if await queries.move_recovery_used(session, user.id, hashed, now=now):
            return None
        return Refused(401, "TOTP_WRONG", "this recovery code is wrong or was used")
    step = matching_step(_secret(vault, user), code, now=now)
    if step is None:
        return Refused(401, "TOTP_WRONG", "the code of the second factor is wrong")
    if not await queries.move_totp_step(session, user.id, step):
        return Refused(401, "TOTP_REPLAYED", "this code was used already: wait for the next one")
    return None


async def begin(session: AsyncSession, vault: Vault, actor: Actor, user_id: UUID, *, now: datetime) -> tuple[str, str]:
    """A new secret and its address for the authenticator; it counts only once a code has confirmed it."""
    user = await _get_user(session, user_id)
    if user.totp_confirmed_at is not None:
        raise Conflict("the second factor is on already: disable it first")
    secret = new_secret()
    user.totp_key = vault.seal(_PURPOSE, secret.encode())
    user.totp_last_step = 0
    await session.flush()
    await record(session, actor, Action.TOTP_BEGUN, "user", user.id, tenant_id=user.tenant_id, now=now)
    return secret, provisioning_uri(secret, user.email)


async def confirm(
    session: AsyncSession, vault: Vault, actor: Actor, user_id: UUID, code: str, *, now: datetime
) -> list[str] | Refused:
    """Turn it on with a first code; gives the recovery codes, once."""
    user = await _get_user(session, user_id)
    if user.totp_key is None or user.totp_confirmed_at is not None:
        raise Conflict("begin the enrolment of a second factor first")
    refused = await check_code(session, vault, user, code, now=now)
    if refused is not None:
        after = {"error_code": refused.code}
        await record(
            session, actor, Action.TOTP_REFUSED, "user", user.id, tenant_id=user.tenant_id, after=after, now=now
        )
        return refused
    codes = new_recovery_codes()
    hashes = [vault.fingerprint(_RECOVERY, f"{user.id} {one}") for one in codes]
    await queries.replace_recovery_codes(session, user, hashes)
    user.totp_confirmed_at = now
    await session.flush()
    await record(session, actor, Action.TOTP_ENABLED, "user", user.id, tenant_id=user.tenant_id, now=now)
    return codes


async def disable(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """By its owner after a step-up, or by an administrator for somebody who lost the phone."""
    user = await _get_user(session, user_id)
    user.totp_key = None
    user.totp_confirmed_at = None
    await queries.replace_recovery_codes(session, user, [])
    await session.flush()
    await record(session, actor, Action.TOTP_DISABLED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def step_up(
    session: AsyncSession, vault: Vault, actor: Actor, token: AccessToken, code: str, *, now: datetime
) -> str | Refused:
    """A fresh access token that remembers for five minutes that the second factor was shown."""
    user = await _get_user(session, token.user_id)
    if user.totp_confirmed_at is None:
        raise Conflict("this user has no second factor")
    refused = await check_code(session, vault, user, code, now=now)
    action = Action.STEP_UP if refused is None else Action.STEP_UP_REFUSED
    after = None if refused is None else {"error_code": refused.code}
    await record(session, actor, action, "user", user.id, tenant_id=user.tenant_id, after=after, now=now)
    if refused is not None:
        return refused
    return sign_access(vault, AccessToken(token.tenant_id, token.user_id, token.session_id, now), now=now)


async def _get_user(session: AsyncSession, user_id: UUID) -> User:
    user = await queries.find_user(session, user_id)
    if user is None or user.state == "deleted":
        raise NotFound("no such user")
    return user


def _secret(vault: Vault, user: User) -> str:
    if user.totp_key is None:
        raise Conflict("this user has no second factor")
    return vault.open(_PURPOSE, user.totp_key).decode()
