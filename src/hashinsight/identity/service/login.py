"""Signing in, refreshing, signing out. Every refusal has its code and its audit entry.

No database connection is held while a password is hashed, and only a few are hashed at a time: a flood of wrong
passwords slows logins down, not the installation.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.models import LoginSession, User
from hashinsight.identity.passwords import is_password
from hashinsight.identity.queries import accounts, login_failures, sessions
from hashinsight.identity.service.proofs import account_fingerprint, check_login_code
from hashinsight.identity.throttle import FROM_EVERYWHERE, FROM_NETWORK
from hashinsight.identity.tokens import ACCESS_LIFE, REFRESH_LIFE, SESSION_LIFE, AccessToken, Proof, sign_access
from hashinsight.kit.crypto import Vault, token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id, new_token
from hashinsight.kit.networks import network_of

_NOBODY = sessions.TenantRow(UUID(int=0), UUID(int=0))
_WRONG = AccessRefusal(401, "INVALID_CREDENTIALS", "wrong e-mail or password")
_UNKNOWN = AccessRefusal(401, "REFRESH_UNKNOWN", "unknown refresh token")


@dataclass(frozen=True)
class Tokens:
    access_token: str
    refresh_token: str
    expires_in: int
    session_id: UUID
    user_id: UUID


@dataclass(frozen=True)
class Credentials:
    email: str
    password: str
    code: str | None = None
    kind: Literal["token", "cookie"] = "token"
    user_agent: str | None = None


@dataclass(frozen=True)
class _LoginAttempt:
    """Counted before its password is checked: many attempts at once count as many."""

    account: bytes  # counter of this account from every network that is new to it
    here: bytes  # counter of this account from this network
    is_known_network: bool  # the user signed in from this network before
    login: sessions.TenantRow
    password_hash: str | None


async def login(
    database: Database, vault: Vault, actor: Actor, given: Credentials, *, now: datetime
) -> Tokens | AccessRefusal:
    async with database.transaction(Context()) as session:
        attempt = await _count_attempt(session, vault, actor, given.email.strip().lower(), now=now)
    if isinstance(attempt, AccessRefusal):
        return attempt
    is_right = await is_password(given.password, attempt.password_hash)
    async with database.transaction(Context()) as session:
        await sessions.enter_tenant(session, attempt.login.tenant_id)
        user = await accounts.find_user(session, attempt.login.id)
        refusal = _check_password(user, is_right=is_right)
        if refusal is None:
            # the account's counter first, as every attempt takes them: two logins at once never deadlock
            await login_failures.lock_failures(session, attempt.account, attempt.account, now=now)
            if not attempt.is_known_network:
                await login_failures.update_failures_less_one(session, attempt.account)
            await login_failures.delete_failures(session, attempt.here)
        if refusal is None and user is not None and user.totp_confirmed_at is not None:
            refusal = await check_login_code(session, vault, user, given.code, now=now)
        if refusal is not None or user is None:
            return await _record_refusal(session, actor, user, refusal or _WRONG, now=now)
        user.last_login_at = now
        opened = _open_session(user, given, actor, now=now)
        session.add(opened)
        await session.flush()
        # a user without a second factor has just entered all they have: no step-up for the first minutes
        proof = Proof.PASSWORD if user.totp_confirmed_at is None else None
        tokens = await _issue_tokens(session, vault, opened, proof=proof, now=now)
        signed_in = Actor(ActorKind.USER, str(user.id), actor.request_id, actor.address)
        await record(session, signed_in, Action.LOGIN, "session", opened.id, tenant_id=user.tenant_id, now=now)
        return tokens


async def _count_attempt(
    session: AsyncSession, vault: Vault, actor: Actor, email: str, *, now: datetime
) -> _LoginAttempt | AccessRefusal:
    """The same statements run for an unknown e-mail: the response time must not reveal who exists."""
    network = network_of(actor.address)
    account, here = account_fingerprint(vault, email), vault.fingerprint("login failures from", f"{network} {email}")
    everywhere = await login_failures.lock_failures(session, account, account, now=now)
    nearby = await login_failures.lock_failures(session, here, account, now=now)
    row = await sessions.find_login(session, email) or _NOBODY
    await sessions.enter_tenant(session, row.tenant_id)
    user = await accounts.find_user(session, row.id)
    is_known_network = network in {network_of(address) for address in await sessions.list_addresses(session, row.id)}
    blocked = nearby if nearby.is_blocked(now) or is_known_network else everywhere
    if blocked.is_blocked(now):
        code = "LOGIN_LOCKED" if nearby.is_locked(now, FROM_NETWORK) else "LOGIN_SLOWED"
        refusal = AccessRefusal(429, code, "too many failed logins", blocked.wait_sec(now))
        return await _record_refusal(session, actor, user, refusal, now=now)
    await login_failures.upsert_failures(session, here, account, nearby.one_more(now, FROM_NETWORK))
    counted = everywhere if is_known_network else everywhere.one_more(now, FROM_EVERYWHERE)
    await login_failures.upsert_failures(session, account, account, counted)
    await login_failures.delete_stale_failures(session, now=now)
    return _LoginAttempt(account, here, is_known_network, row, user.password_hash if user else None)


async def refresh(
    database: Database, vault: Vault, actor: Actor, token: str, *, now: datetime
) -> Tokens | AccessRefusal:
    """New tokens for an unused refresh token. A used one means that somebody stole it: the whole session ends."""
    hashed = token_hash(token)
    async with database.transaction(Context()) as session:
        token_row = await sessions.find_refresh(session, hashed)
        if token_row is not None:
            await sessions.enter_tenant(session, token_row.tenant_id)
        opened = await sessions.find_session(session, token_row.id) if token_row else None
        user = await accounts.find_user(session, opened.user_id) if opened else None
        refusal = _check_session(opened, user, now=now)
        if refusal is not None or opened is None or user is None:
            refusal = refusal or _UNKNOWN
            return await _record_refusal(session, actor, user, refusal, action=Action.REFRESH_REFUSED, now=now)
        if not await sessions.move_refresh_used(session, hashed, now=now):
            return await _refuse_used_token(session, actor, user, hashed, opened.id, now=now)
        return await _issue_tokens(session, vault, opened, now=now)


def _check_session(opened: LoginSession | None, user: User | None, *, now: datetime) -> AccessRefusal | None:
    if opened is None or user is None:
        return _UNKNOWN
    if opened.revoked_at is not None:
        return AccessRefusal(401, "SESSION_REVOKED", "this session has ended: sign in again")
    if user.state != "active":
        return AccessRefusal(401, "USER_NOT_ACTIVE", "this user is disabled or deleted")
    if opened.expires_at <= now:
        return AccessRefusal(401, "REFRESH_EXPIRED", "this session has expired: sign in again")
    return None


async def logout(session: AsyncSession, actor: Actor, tenant_id: UUID, session_id: UUID, *, now: datetime) -> None:
    if await sessions.move_session_revoked(session, session_id, reason="logout", now=now):
        await record(session, actor, Action.LOGOUT, "session", session_id, tenant_id=tenant_id, now=now)


def _check_password(user: User | None, *, is_right: bool) -> AccessRefusal | None:
    if user is None or not is_right:
        return _WRONG
    if user.state != "active":
        return AccessRefusal(_WRONG.status, _WRONG.code, _WRONG.message, reason=f"the user is {user.state}")
    return None


async def _issue_tokens(
    session: AsyncSession, vault: Vault, opened: LoginSession, *, now: datetime, proof: Proof | None = None
) -> Tokens:
    refresh_token = new_token("refresh")
    expires_at = min(now + REFRESH_LIFE, opened.expires_at)
    await sessions.insert_refresh(session, token_hash(refresh_token), opened, now=now, expires_at=expires_at)
    claims = AccessToken(opened.tenant_id, opened.user_id, opened.id, now if proof else None, proof)
    access_token = sign_access(vault, claims, now=now)
    return Tokens(access_token, refresh_token, int(ACCESS_LIFE.total_seconds()), opened.id, opened.user_id)


async def _refuse_used_token(
    session: AsyncSession, actor: Actor, user: User, hashed: bytes, session_id: UUID, *, now: datetime
) -> AccessRefusal:
    row = await sessions.find_refresh_row(session, hashed)
    if row is not None and row.used_at is not None:
        await sessions.move_session_revoked(session, session_id, reason="refresh token used twice", now=now)
        refusal = AccessRefusal(401, "REFRESH_REUSED", "this refresh token was used before: the session was ended")
        return await _record_refusal(session, actor, user, refusal, action=Action.REFRESH_REUSED, now=now)
    refusal = AccessRefusal(401, "REFRESH_EXPIRED", "this refresh token has expired: sign in again")
    return await _record_refusal(session, actor, user, refusal, action=Action.REFRESH_REFUSED, now=now)


async def _record_refusal(
    session: AsyncSession,
    actor: Actor,
    user: User | None,
    refusal: AccessRefusal,
    *,
    now: datetime,
    action: Action = Action.LOGIN_REFUSED,
) -> AccessRefusal:
    await record(
        session,
        actor,
        action,
        "user",
        user.id if user else None,
        tenant_id=user.tenant_id if user else None,
        after={"error_code": refusal.code},
        reason=refusal.reason,
        now=now,
    )
    return refusal


def _open_session(user: User, given: Credentials, actor: Actor, *, now: datetime) -> LoginSession:
    return LoginSession(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        kind=given.kind,
        created_at=now,
        expires_at=now + SESSION_LIFE,
        address=actor.address,
        user_agent=(given.user_agent or "")[:200] or None,
    )
