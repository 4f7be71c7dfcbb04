"""Signing in, staying in, signing out. Every refusal has its code and its audit entry.

No database connection is held while a password is hashed, and only a few are hashed at a time: a flood of wrong
passwords costs time, not the installation.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service import record
from hashinsight.identity import queries
from hashinsight.identity.claims import AccessToken
from hashinsight.identity.models import LoginSession, User
from hashinsight.identity.passwords import is_password
from hashinsight.identity.refusals import Refused
from hashinsight.identity.service.second_factor import check_code
from hashinsight.identity.tokens import (
    ACCESS_LIFE,
    REFRESH_LIFE,
    SESSION_LIFE,
    sign_access,
)
from hashinsight.kit.crypto import Vault, token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id, new_token

_NOBODY = queries.Found(UUID(int=0), UUID(int=0))
_UNKNOWN = Refused(401, "REFRESH_UNKNOWN", "this refresh token is not known")


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
    kind: str = "token"
    user_agent: str | None = None


async def login(
    database: Database, vault: Vault, actor: Actor, given: Credentials, *, now: datetime
) -> Tokens | Refused:
    email = given.email.strip().lower()
    fingerprint = vault.fingerprint("login failures", email)
    async with database.transaction(Context()) as session:
        failures = await queries.find_failures(session, fingerprint)
        # for nobody the same statements run: how long an answer takes must not tell who exists
        found = await queries.find_login(session, email) or _NOBODY
        await queries.enter_tenant(session, found.tenant_id)
        user = await queries.find_user(session, found.id)
        if failures.is_blocked(now):
            code = "LOGIN_LOCKED" if failures.is_locked(now) else "LOGIN_SLOWED"
            wait = int((failures.blocked_until - now).total_seconds()) + 1 if failures.blocked_until else 1
            return await _refuse(session, actor, user, Refused(429, code, "too many failed logins", wait), now=now)
    right = await is_password(given.password, user.password_hash if user else None)
    async with database.transaction(Context()) as session:
        await queries.enter_tenant(session, found.tenant_id)
        user = await queries.find_user(session, found.id)
        refused = await _judge(session, vault, user, given, right=right, now=now)
        if refused is not None or user is None:
            refused = refused or Refused(401, "INVALID_CREDENTIALS", "e-mail or password is wrong")
            if refused.code != "TOTP_REQUIRED":
                failures = await queries.find_failures(session, fingerprint, lock=True)
                await queries.upsert_failures(session, fingerprint, failures.one_more(now))
            return await _refuse(session, actor, user, refused, now=now)
        await queries.delete_failures(session, fingerprint)
        user.last_login_at = now
        opened = _open_session(user, given, actor, now=now)
        session.add(opened)
        await session.flush()
        tokens = await _issue(session, vault, opened, now=now)
        await record(
            session, _as_user(actor, user), Action.LOGIN, "session", opened.id, tenant_id=user.tenant_id, now=now
        )
        return tokens


async def refresh(database: Database, vault: Vault, actor: Actor, token: str, *, now: datetime) -> Tokens | Refused:
    """A new pair for an unused token. One that was used before is a thief's or a victim's: the whole family goes."""
    hashed = token_hash(token)
    async with database.transaction(Context()) as session:
        found = await queries.find_refresh(session, hashed)
        if found is not None:
            await queries.enter_tenant(session, found.tenant_id)
        opened = await queries.find_session(session, found.id) if found else None
        user = await queries.find_user(session, opened.user_id) if opened else None
        refused = _judge_session(opened, user, now=now)
        if refused is not None or opened is None or user is None:
            refused = refused or _UNKNOWN
            return await _refuse(session, actor, user, refused, action=Action.REFRESH_REFUSED, now=now)
        if not await queries.move_refresh_used(session, hashed, now=now):
            return await _refuse_used(session, actor, user, hashed, opened.id, now=now)
        return await _issue(session, vault, opened, now=now)


def _judge_session(opened: LoginSession | None, user: User | None, *, now: datetime) -> Refused | None:
    if opened is None or user is None:
        return _UNKNOWN
    if opened.revoked_at is not None:
        return Refused(401, "SESSION_REVOKED", "this session was ended")
    if user.state != "active":
        return Refused(401, "USER_NOT_ACTIVE", "this user may not sign in any more")
    if opened.expires_at <= now:
        return Refused(401, "REFRESH_EXPIRED", "this session is over: sign in again")
    return None


async def logout(session: AsyncSession, actor: Actor, tenant_id: UUID, session_id: UUID, *, now: datetime) -> None:
    if await queries.move_session_revoked(session, session_id, reason="logout", now=now):
        await record(session, actor, Action.LOGOUT, "session", session_id, tenant_id=tenant_id, now=now)


async def _judge(
    session: AsyncSession, vault: Vault, user: User | None, given: Credentials, *, right: bool, now: datetime
) -> Refused | None:
    wrong = Refused(401, "INVALID_CREDENTIALS", "e-mail or password is wrong")
    if user is None or not right:
        return wrong
    if user.state != "active":
        return Refused(wrong.status, wrong.code, wrong.message, reason=f"the user is {user.state}")
    if user.totp_confirmed_at is None:
        return None
    if not given.code:
        return Refused(401, "TOTP_REQUIRED", "this user also needs the code of the second factor")
    return await check_code(session, vault, user, given.code, now=now)


async def _issue(session: AsyncSession, vault: Vault, opened: LoginSession, *, now: datetime) -> Tokens:
    token = new_token("refresh")
    expires = min(now + REFRESH_LIFE, opened.expires_at)
    await queries.insert_refresh(session, token_hash(token), opened, now=now, expires_at=expires)
    access = sign_access(vault, AccessToken(opened.tenant_id, opened.user_id, opened.id), now=now)
    return Tokens(access, token, int(ACCESS_LIFE.total_seconds()), opened.id, opened.user_id)


async def _refuse_used(
    session: AsyncSession, actor: Actor, user: User, hashed: bytes, session_id: UUID, *, now: datetime
) -> Refused:
    row = await queries.find_refresh_row(session, hashed)
    if row is not None and row.used_at is not None:
        await queries.move_session_revoked(session, session_id, reason="refresh token used twice", now=now)
        refused = Refused(401, "REFRESH_REUSED", "this refresh token was used before: the session was ended")
        return await _refuse(session, actor, user, refused, action=Action.REFRESH_REUSED, now=now)
    refused = Refused(401, "REFRESH_EXPIRED", "this refresh token is too old: sign in again")
    return await _refuse(session, actor, user, refused, action=Action.REFRESH_REFUSED, now=now)


async def _refuse(
    session: AsyncSession,
    actor: Actor,
    user: User | None,
    refused: Refused,
    *,
    now: datetime,
    action: Action = Action.LOGIN_REFUSED,
) -> Refused:
    await record(
        session,
        actor,
        action,
        "user",
        user.id if user else None,
        tenant_id=user.tenant_id if user else None,
        after={"error_code": refused.code},
        reason=refused.reason,
        now=now,
    )
    return refused


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


def _as_user(actor: Actor, user: User) -> Actor:
    return Actor(ActorKind.USER, str(user.id), actor.request_id, actor.address)
