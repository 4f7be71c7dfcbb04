"""Codes of the second factor and passwords entered by users, counted so that guessing ends.

Wrong ones at the login are counted apart from those in a session, and each session by itself: a thief with a stolen
session locks that session only and loses it at the second lock. Over all sessions a user is only slowed down.
The account's counter is locked before the others, here and at the login, so that two attempts never deadlock.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.caller import AccessRefusal, Caller
from hashinsight.identity.models import User
from hashinsight.identity.passwords import is_password
from hashinsight.identity.queries import accounts, login_failures, sessions
from hashinsight.identity.throttle import PROOFS, PROOFS_OF_USER, SESSION_ENDS_AT, Failures, ThrottlePolicy
from hashinsight.identity.totp import matching_step
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict

TOTP_KEYS = "totp keys"
RECOVERY_CODES = "recovery codes"
_LOCKED = "too many wrong attempts: wait, or ask an owner to unlock you"


@dataclass(frozen=True)
class _Counter:
    """One counter of failures, and how it slows down and locks."""

    fingerprint: bytes
    policy: ThrottlePolicy


@dataclass(frozen=True)
class PasswordAttempt:
    """A password entered in a session, counted as wrong before it was checked."""

    session_id: UUID
    account: bytes
    user_counter: _Counter
    session_counter: _Counter
    count: int  # attempts in the session, including this one
    password_hash: str
    is_right: bool


def account_fingerprint(vault: Vault, email: str) -> bytes:
    """The key of all failure counters of one account."""
    return vault.fingerprint("login failures", email)


async def check_login_code(
    session: AsyncSession, vault: Vault, user: User, code: str | None, *, now: datetime
) -> AccessRefusal | None:
    if not code:
        return AccessRefusal(401, "TOTP_REQUIRED", "authenticator code required")
    counter = _Counter(vault.fingerprint("codes at the login", str(user.id)), PROOFS)
    refusal, _ = await _check_counted_code(session, vault, user, code, [counter], now=now)
    return refusal


async def check_session_code(
    session: AsyncSession, vault: Vault, user: User, session_id: UUID, code: str, *, now: datetime
) -> AccessRefusal | None:
    """None when the code is right."""
    counters = _session_counters(vault, "codes", user, session_id)
    refusal, counted = await _check_counted_code(session, vault, user, code, counters, now=now)
    if refusal is not None and counted and counted[-1].count >= SESSION_ENDS_AT:
        return await _end_session(session, session_id, refusal, now=now)
    return refusal


async def try_password(
    database: Database, vault: Vault, caller: Caller, password: str, *, now: datetime
) -> PasswordAttempt | AccessRefusal:
    """In a session. No connection and no lock is held while it is hashed; `settle_password` gives the outcome."""
    token = caller.get_token()
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        account = account_fingerprint(vault, user.email)
        counters = _session_counters(vault, "passwords", user, token.session_id)
        before = await _lock(session, account, counters, now=now)
        blocked = _find_blocked(before, now)
        if blocked is not None:
            return AccessRefusal(429, "PASSWORD_LOCKED", _LOCKED, blocked.wait_sec(now))
        counted = await _count_failure(session, account, counters, before, now=now)
        password_hash = user.password_hash
    is_right = await is_password(password, password_hash)
    of_user, of_session = counters
    return PasswordAttempt(token.session_id, account, of_user, of_session, counted[-1].count, password_hash, is_right)


async def settle_password(
    session: AsyncSession, user: User, attempt: PasswordAttempt | AccessRefusal, *, now: datetime
) -> AccessRefusal | None:
    """None when the password was right and has not been changed since."""
    if isinstance(attempt, AccessRefusal):
        return attempt
    if not attempt.is_right or user.password_hash != attempt.password_hash:
        refusal = AccessRefusal(403, "INVALID_CREDENTIALS", "the password is wrong")
        is_last = attempt.count >= SESSION_ENDS_AT
        return await _end_session(session, attempt.session_id, refusal, now=now) if is_last else refusal
    await login_failures.lock_failures(session, attempt.account, attempt.account, now=now)
    await login_failures.update_failures_less_one(session, attempt.user_counter.fingerprint)
    await login_failures.delete_failures(session, attempt.session_counter.fingerprint)
    return None


async def _check_code(
    session: AsyncSession, vault: Vault, user: User, code: str, *, now: datetime
) -> AccessRefusal | None:
    """None when the code is right: a time-based code not used before, or an unused recovery code."""
    code = code.strip().upper()
    if "-" in code:
        code_hash = vault.fingerprint(RECOVERY_CODES, f"{user.id} {code}")
        if await sessions.move_recovery_used(session, user.id, code_hash, now=now):
            return None
        return AccessRefusal(401, "TOTP_WRONG", "this recovery code is wrong or was used before")
    step = matching_step(_totp_secret(vault, user), code, now=now)
    if step is None:
        return AccessRefusal(401, "TOTP_WRONG", "wrong authenticator code")
    if not await sessions.move_totp_step(session, user.id, step):
        return AccessRefusal(401, "TOTP_REPLAYED", "this code was used before: wait for the next one")
    return None


async def _check_counted_code(
    session: AsyncSession, vault: Vault, user: User, code: str, counters: list[_Counter], *, now: datetime
) -> tuple[AccessRefusal | None, list[Failures]]:
    """The refusal, and the counts after a wrong code. The last counter is the narrowest."""
    account = account_fingerprint(vault, user.email)
    before = await _lock(session, account, counters, now=now)
    blocked = _find_blocked(before, now)
    if blocked is not None:
        return AccessRefusal(429, "TOTP_LOCKED", _LOCKED, blocked.wait_sec(now)), []
    refusal = await _check_code(session, vault, user, code, now=now)
    if refusal is None:
        await login_failures.delete_failures(session, counters[-1].fingerprint)
    elif refusal.code == "TOTP_WRONG":
        return refusal, await _count_failure(session, account, counters, before, now=now)
    return refusal, []


def _session_counters(vault: Vault, what: str, user: User, session_id: UUID) -> list[_Counter]:
    of_user = vault.fingerprint(f"{what} in all sessions", str(user.id))
    of_session = vault.fingerprint(f"{what} in a session", f"{user.id} {session_id}")
    return [_Counter(of_user, PROOFS_OF_USER), _Counter(of_session, PROOFS)]


async def _lock(session: AsyncSession, account: bytes, counters: list[_Counter], *, now: datetime) -> list[Failures]:
    await login_failures.lock_failures(session, account, account, now=now)
    return [await login_failures.lock_failures(session, counter.fingerprint, account, now=now) for counter in counters]


def _find_blocked(counts: list[Failures], now: datetime) -> Failures | None:
    """The narrowest blocked counter: it is blocked for longest."""
    return next((failures for failures in reversed(counts) if failures.is_blocked(now)), None)


async def _count_failure(
    session: AsyncSession, account: bytes, counters: list[_Counter], before: list[Failures], *, now: datetime
) -> list[Failures]:
    counted = [failures.one_more(now, counter.policy) for failures, counter in zip(before, counters, strict=True)]
    for counter, failures in zip(counters, counted, strict=True):
        await login_failures.upsert_failures(session, counter.fingerprint, account, failures)
    return counted


async def _end_session(
    session: AsyncSession, session_id: UUID, refusal: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    """Who keeps guessing after a lock is not the owner of the account."""
    await sessions.move_session_revoked(session, session_id, reason="too many wrong codes or passwords", now=now)
    message = f"{refusal.message}; the session was ended: sign in again"
    return AccessRefusal(refusal.status, refusal.code, message, reason="the session was ended")


def _totp_secret(vault: Vault, user: User) -> str:
    if user.totp_key is None:
        raise Conflict("this user has no second factor")
    return vault.open(TOTP_KEYS, user.totp_key).decode()
