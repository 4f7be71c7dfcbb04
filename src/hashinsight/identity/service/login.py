"""Signing in, staying in, signing out. Every refusal has its code and its audit entry.

No database connection is held while a password is hashed, and only a few are hashed at a time: a flood of wrong
passwords costs time, not the installation.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.identity import queries
from hashinsight.identity.caller import AccessRefusal
from hashinsight.identity.models import LoginSession, User
from hashinsight.identity.passwords import is_password
from hashinsight.identity.service.proofs import account_door, show_login_code
from hashinsight.identity.throttle import FROM_EVERYWHERE, FROM_NETWORK
from hashinsight.identity.tokens import ACCESS_LIFE, REFRESH_LIFE, SESSION_LIFE, AccessToken, Proof, sign_access
from hashinsight.kit.crypto import Vault, token_hash
from hashinsight.kit.db.context import Context
from hashinsight.kit.db.database import Database
from hashinsight.kit.ids import new_id, new_token
from hashinsight.kit.networks import network_of

_NOBODY = queries.TenantRow(UUID(int=0), UUID(int=0))
_WRONG = AccessRefusal(401, "INVALID_CREDENTIALS", "e-mail or password is wrong")
_UNKNOWN = AccessRefusal(401, "REFRESH_UNKNOWN", "this refresh token is not known")


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


@dataclass(frozen=True)
class _Try:
    """One try, counted before its password is looked at: many that come at once count as many."""

    account: bytes  # the door of this account, from every network that is new to it
    here: bytes  # the door of this account from this network
    is_known: bool  # its owner signed in from this network before
    found: queries.TenantRow
    password_hash: str | None


async def login(
    database: Database, vault: Vault, actor: Actor, given: Credentials, *, now: datetime
) -> Tokens | AccessRefusal:
    async with database.transaction(Context()) as session:
        counted = await _count_try(session, vault, actor, given.email.strip().lower(), now=now)
    if isinstance(counted, AccessRefusal):
        return counted
    right = await is_password(given.password, counted.password_hash)
    async with database.transaction(Context()) as session:
        await queries.enter_tenant(session, counted.found.tenant_id)
        user = await queries.find_user(session, counted.found.id)
        refused = _judge_password(user, right=right)
        if refused is None:
            # the account's door before its others, as every try counts them: two logins at once never wait in a circle
            await queries.lock_failures(session, counted.account, counted.account, now=now)
            if not counted.is_known:
                await queries.update_failures_less_one(session, counted.account)
            await queries.delete_failures(session, counted.here)
        if refused is None and user is not None and user.totp_confirmed_at is not None:
            refused = await show_login_code(session, vault, user, given.code, now=now)
        if refused is not None or user is None:
            return await _refuse(session, actor, user, refused or _WRONG, now=now)
        user.last_login_at = now
        opened = _open_session(user, given, actor, now=now)
        session.add(opened)
        await session.flush()
        # who has a second factor shows it again before dangerous acts; who has none has just shown all there is
        proof = Proof.PASSWORD if user.totp_confirmed_at is None else None
        tokens = await _issue(session, vault, opened, proof=proof, now=now)
        await record(
            session, _as_user(actor, user), Action.LOGIN, "session", opened.id, tenant_id=user.tenant_id, now=now
        )
        return tokens


async def _count_try(
    session: AsyncSession, vault: Vault, actor: Actor, email: str, *, now: datetime
) -> "_Try | AccessRefusal":
    """For nobody the same statements run: how long an answer takes must not tell who exists."""
    network = network_of(actor.address)
    account, here = account_door(vault, email), vault.fingerprint("login failures from", f"{network} {email}")
    everywhere = await queries.lock_failures(session, account, account, now=now)
    nearby = await queries.lock_failures(session, here, account, now=now)
    found = await queries.find_login(session, email) or _NOBODY
    await queries.enter_tenant(session, found.tenant_id)
    user = await queries.find_user(session, found.id)
    is_known = network in {network_of(address) for address in await queries.list_addresses(session, found.id)}
    blocked = nearby if nearby.is_blocked(now) or is_known else everywhere
    if blocked.is_blocked(now):
        code = "LOGIN_LOCKED" if nearby.is_locked(now, FROM_NETWORK) else "LOGIN_SLOWED"
        refused = AccessRefusal(429, code, "too many failed logins", blocked.wait_sec(now))
        return await _refuse(session, actor, user, refused, now=now)
    await queries.upsert_failures(session, here, account, nearby.one_more(now, FROM_NETWORK))
    counted = everywhere if is_known else everywhere.one_more(now, FROM_EVERYWHERE)
    await queries.upsert_failures(session, account, account, counted)
    await queries.delete_stale_failures(session, now=now)
    return _Try(account, here, is_known, found, user.password_hash if user else None)


async def refresh(
    database: Database, vault: Vault, actor: Actor, token: str, *, now: datetime
) -> Tokens | AccessRefusal:
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


def _judge_session(opened: LoginSession | None, user: User | None, *, now: datetime) -> AccessRefusal | None:
    if opened is None or user is None:
        return _UNKNOWN
    if opened.revoked_at is not None:
        return AccessRefusal(401, "SESSION_REVOKED", "this session was ended")
    if user.state != "active":
        return AccessRefusal(401, "USER_NOT_ACTIVE", "this user may not sign in any more")
    if opened.expires_at <= now:
        return AccessRefusal(401, "REFRESH_EXPIRED", "this session is over: sign in again")
    return None


async def logout(session: AsyncSession, actor: Actor, tenant_id: UUID, session_id: UUID, *, now: datetime) -> None:
    if await queries.move_session_revoked(session, session_id, reason="logout", now=now):
        await record(session, actor, Action.LOGOUT, "session", session_id, tenant_id=tenant_id, now=now)


def _judge_password(user: User | None, *, right: bool) -> AccessRefusal | None:
    if user is None or not right:
        return _WRONG
    if user.state != "active":
        return AccessRefusal(_WRONG.status, _WRONG.code, _WRONG.message, reason=f"the user is {user.state}")
    return None


async def _issue(
    session: AsyncSession, vault: Vault, opened: LoginSession, *, now: datetime, proof: Proof | None = None
) -> Tokens:
    token = new_token("refresh")
    expires = min(now + REFRESH_LIFE, opened.expires_at)
    await queries.insert_refresh(session, token_hash(token), opened, now=now, expires_at=expires)
    token_of = AccessToken(opened.tenant_id, opened.user_id, opened.id, now if proof else None, proof)
    access = sign_access(vault, token_of, now=now)
    return Tokens(access, token, int(ACCESS_LIFE.total_seconds()), opened.id, opened.user_id)


async def _refuse_used(
    session: AsyncSession, actor: Actor, user: User, hashed: bytes, session_id: UUID, *, now: datetime
) -> AccessRefusal:
    row = await queries.find_refresh_row(session, hashed)
    if row is not None and row.used_at is not None:
        await queries.move_session_revoked(session, session_id, reason="refresh token used twice", now=now)
        refused = AccessRefusal(401, "REFRESH_REUSED", "this refresh token was used before: the session was ended")
        return await _refuse(session, actor, user, refused, action=Action.REFRESH_REUSED, now=now)
    refused = AccessRefusal(401, "REFRESH_EXPIRED", "this refresh token is too old: sign in again")
    return await _refuse(session, actor, user, refused, action=Action.REFRESH_REFUSED, now=now)


async def _refuse(
    session: AsyncSession,
    actor: Actor,
    user: User | None,
    refused: AccessRefusal,
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
