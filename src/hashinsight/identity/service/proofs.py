"""What people show behind the door, codes of the second factor and passwords: counted, so that guessing ends.

Wrong ones at the login are counted apart from those of a session, and those of each session by themselves: who holds a
stolen session locks that session alone and loses it with the second lock. Over all sessions a user only slows down.
The account's door is locked before the others, here and at the login, so that nobody waits in a circle.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity import queries
from hashinsight.identity.caller import AccessRefusal, SessionUser
from hashinsight.identity.models import User
from hashinsight.identity.passwords import is_password
from hashinsight.identity.throttle import PROOFS, PROOFS_OF_USER, SESSION_ENDS_AT, Failures, ThrottlePolicy
from hashinsight.identity.totp import matching_step
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict, NotFound

TOTP_KEYS = "totp keys"
RECOVERY_CODES = "recovery codes"
_LOCKED = "too many wrong ones: wait, or ask an owner to unlock you"


@dataclass(frozen=True)
class _Door:
    fingerprint: bytes
    pace: ThrottlePolicy


@dataclass(frozen=True)
class PasswordTry:
    """A password that was shown in a session, counted as wrong before it was looked at."""

    session_id: UUID
    account: bytes
    user_door: _Door
    session_door: _Door
    count: int  # of the session, this one among them
    password_hash: str
    is_right: bool


def account_door(vault: Vault, email: str) -> bytes:
    """The fingerprint of an e-mail, by which all failures of one account are found."""
    return vault.fingerprint("login failures", email)


async def show_login_code(
    session: AsyncSession, vault: Vault, user: User, code: str | None, *, now: datetime
) -> AccessRefusal | None:
    if not code:
        return AccessRefusal(401, "TOTP_REQUIRED", "this user also needs a code of the second factor")
    door = _Door(vault.fingerprint("codes at the login", str(user.id)), PROOFS)
    refused, _ = await _show_code(session, vault, user, code, [door], now=now)
    return refused


async def show_code(
    session: AsyncSession, vault: Vault, user: User, session_id: UUID, code: str, *, now: datetime
) -> AccessRefusal | None:
    """In a session. None when the code is right."""
    doors = _session_doors(vault, "codes", user, session_id)
    refused, counted = await _show_code(session, vault, user, code, doors, now=now)
    if refused is not None and counted and counted[-1].count >= SESSION_ENDS_AT:
        return await _end_session(session, session_id, refused, now=now)
    return refused


async def try_password(
    database: Database, vault: Vault, person: SessionUser, password: str, *, now: datetime
) -> PasswordTry | AccessRefusal:
    """In a session. No connection and no lock is held while it is hashed; `settle_password` says how it went."""
    token = person.token
    async with database.transaction(person.context) as session:
        user = await queries.find_user(session, token.user_id)
        if user is None or user.state == "deleted":
            raise NotFound("no such user")
        account, doors = account_door(vault, user.email), _session_doors(vault, "passwords", user, token.session_id)
        known = await _lock(session, account, doors, now=now)
        blocked = _find_blocked(known, now)
        if blocked is not None:
            return AccessRefusal(429, "PASSWORD_LOCKED", _LOCKED, blocked.wait_sec(now))
        counted = await _count(session, account, doors, known, now=now)
        password_hash = user.password_hash
    is_right = await is_password(password, password_hash)
    return PasswordTry(token.session_id, account, doors[0], doors[1], counted[-1].count, password_hash, is_right)


async def settle_password(
    session: AsyncSession, user: User, tried: PasswordTry | AccessRefusal, *, now: datetime
) -> AccessRefusal | None:
    """None when the password was right, and is the user's still."""
    if isinstance(tried, AccessRefusal):
        return tried
    if not tried.is_right or user.password_hash != tried.password_hash:
        refused = AccessRefusal(403, "INVALID_CREDENTIALS", "the password is wrong")
        is_last = tried.count >= SESSION_ENDS_AT
        return await _end_session(session, tried.session_id, refused, now=now) if is_last else refused
    await queries.lock_failures(session, tried.account, tried.account, now=now)
    await queries.update_failures_less_one(session, tried.user_door.fingerprint)
    await queries.delete_failures(session, tried.session_door.fingerprint)
    return None


async def check_code(
    session: AsyncSession, vault: Vault, user: User, code: str, *, now: datetime
) -> AccessRefusal | None:
    """None when the code is right: a time-based one that was not used before, or an unused recovery code."""
    code = code.strip().upper()
    if "-" in code:
        hashed = vault.fingerprint(RECOVERY_CODES, f"{user.id} {code}")
        if await queries.move_recovery_used(session, user.id, hashed, now=now):
            return None
        return AccessRefusal(401, "TOTP_WRONG", "this recovery code is wrong or was used")
    step = matching_step(_secret(vault, user), code, now=now)
    if step is None:
        return AccessRefusal(401, "TOTP_WRONG", "the code of the second factor is wrong")
    if not await queries.move_totp_step(session, user.id, step):
        return AccessRefusal(401, "TOTP_REPLAYED", "this code was used already: wait for the next one")
    return None


async def _show_code(
    session: AsyncSession, vault: Vault, user: User, code: str, doors: list[_Door], *, now: datetime
) -> tuple[AccessRefusal | None, list[Failures]]:
    """Whether it is right, and what is counted now if it is not. The last door is the narrowest."""
    account = account_door(vault, user.email)
    known = await _lock(session, account, doors, now=now)
    blocked = _find_blocked(known, now)
    if blocked is not None:
        return AccessRefusal(429, "TOTP_LOCKED", _LOCKED, blocked.wait_sec(now)), []
    refused = await check_code(session, vault, user, code, now=now)
    if refused is None:
        await queries.delete_failures(session, doors[-1].fingerprint)
    elif refused.code == "TOTP_WRONG":
        return refused, await _count(session, account, doors, known, now=now)
    return refused, []


def _session_doors(vault: Vault, what: str, user: User, session_id: UUID) -> list[_Door]:
    of_user = vault.fingerprint(f"{what} in all sessions", str(user.id))
    of_session = vault.fingerprint(f"{what} in a session", f"{user.id} {session_id}")
    return [_Door(of_user, PROOFS_OF_USER), _Door(of_session, PROOFS)]


async def _lock(session: AsyncSession, account: bytes, doors: list[_Door], *, now: datetime) -> list[Failures]:
    await queries.lock_failures(session, account, account, now=now)
    return [await queries.lock_failures(session, door.fingerprint, account, now=now) for door in doors]


def _find_blocked(known: list[Failures], now: datetime) -> Failures | None:
    """The narrowest door that is shut: it is the one that is shut for longest."""
    return next((failures for failures in reversed(known) if failures.is_blocked(now)), None)


async def _count(
    session: AsyncSession, account: bytes, doors: list[_Door], known: list[Failures], *, now: datetime
) -> list[Failures]:
    counted = [failures.one_more(now, door.pace) for failures, door in zip(known, doors, strict=True)]
    for door, failures in zip(doors, counted, strict=True):
        await queries.upsert_failures(session, door.fingerprint, account, failures)
    return counted


async def _end_session(
    session: AsyncSession, session_id: UUID, refused: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    """Whoever goes on guessing after a lock is not its owner."""
    await queries.move_session_revoked(session, session_id, reason="too many wrong codes or passwords", now=now)
    message = f"{refused.message}; this session was ended: sign in again"
    return AccessRefusal(refused.status, refused.code, message, reason="the session was ended")


def _secret(vault: Vault, user: User) -> str:
    if user.totp_key is None:
        raise Conflict("this user has no second factor")
    return vault.open(TOTP_KEYS, user.totp_key).decode()
