"""Signing in: lookups before the tenant is known, sessions, tokens, second factors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import LoginSession, RecoveryCode, RefreshToken, User
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import Reach
from hashinsight.kit.db.database import Database
from hashinsight.kit.db.pipeline import driver_connection


@dataclass(frozen=True)
class TenantRow:
    """The result of a lookup before the tenant is known: the tenant, and an id inside it."""

    tenant_id: UUID
    id: UUID


async def enter_tenant(session: AsyncSession, tenant_id: UUID) -> None:
    """From here on the transaction sees this tenant's rows. Only for a tenant from a lookup or a signed token."""
    await session.execute(
        select(func.set_config("app.tenant", str(tenant_id), True), func.set_config("app.sites", "*", True))  # noqa: FBT003
    )


async def find_login(session: AsyncSession, email: str) -> TenantRow | None:
    return await _find(session, "select tenant_id, id from lookup_login(:key)", email)


async def find_refresh(session: AsyncSession, token_hash: bytes) -> TenantRow | None:
    return await _find(session, "select tenant_id, id from lookup_refresh(:key)", token_hash)


async def find_session(session: AsyncSession, session_id: UUID) -> LoginSession | None:
    return (await session.execute(select(LoginSession).where(LoginSession.id == session_id))).scalar()


async def list_addresses(session: AsyncSession, user_id: UUID) -> Sequence[str]:
    """Addresses of this user's last 200 logins."""
    query = (
        select(LoginSession.address)
        .where(LoginSession.user_id == user_id, LoginSession.address.is_not(None))
        .order_by(LoginSession.created_at.desc())
        .limit(200)
    )
    return [address for address in (await session.execute(query)).scalars() if address is not None]


async def insert_refresh(
    session: AsyncSession, token_hash: bytes, login: LoginSession, *, now: datetime, expires_at: datetime
) -> None:
    await session.execute(
        insert(RefreshToken).values(
            token_hash=token_hash,
            tenant_id=login.tenant_id,
            session_id=login.id,
            issued_at=now,
            expires_at=expires_at,
        )
    )


async def move_refresh_used(session: AsyncSession, token_hash: bytes, *, now: datetime) -> bool:
    """Use the token; False when it was used before or has expired. Of two concurrent calls one wins."""
    used = await session.execute(
        update(RefreshToken)
        .where(RefreshToken.token_hash == token_hash, RefreshToken.used_at.is_(None), RefreshToken.expires_at > now)
        .values(used_at=now)
        .returning(RefreshToken.session_id)
    )
    return used.first() is not None


async def find_refresh_row(session: AsyncSession, token_hash: bytes) -> RefreshToken | None:
    return (await session.execute(select(RefreshToken).where(RefreshToken.token_hash == token_hash))).scalar()


async def move_session_revoked(session: AsyncSession, session_id: UUID, *, reason: str, now: datetime) -> bool:
    moved = await session.execute(
        update(LoginSession)
        .where(LoginSession.id == session_id, LoginSession.revoked_at.is_(None))
        .values(revoked_at=now, revoked_reason=reason)
        .returning(LoginSession.id)
    )
    return moved.first() is not None


async def move_sessions_revoked(
    session: AsyncSession, user_id: UUID, *, reason: str, now: datetime, keep: UUID | None = None
) -> int:
    """All sessions of a user except `keep`: after a new password, a lost phone, when they leave."""
    moved = await session.execute(
        update(LoginSession)
        .where(
            LoginSession.user_id == user_id, LoginSession.revoked_at.is_(None), LoginSession.id.is_distinct_from(keep)
        )
        .values(revoked_at=now, revoked_reason=reason)
        .returning(LoginSession.id)
    )
    return len(moved.all())


async def move_password(session: AsyncSession, user_id: UUID, *, before: str, after: str) -> bool:
    """False when it was changed in the meantime."""
    moved = await session.execute(
        update(User)
        .where(User.id == user_id, User.password_hash == before)
        .values(password_hash=after)
        .returning(User.id)
    )
    return moved.first() is not None


async def move_totp_step(session: AsyncSession, user_id: UUID, step: int) -> bool:
    """A code is good for one use: False when this step or a later one was used."""
    moved = await session.execute(
        update(User)
        .where(User.id == user_id, User.totp_last_step < step)
        .values(totp_last_step=step)
        .returning(User.id)
    )
    return moved.first() is not None


async def move_recovery_used(session: AsyncSession, user_id: UUID, code_hash: bytes, *, now: datetime) -> bool:
    moved = await session.execute(
        update(RecoveryCode)
        .where(RecoveryCode.user_id == user_id, RecoveryCode.code_hash == code_hash, RecoveryCode.used_at.is_(None))
        .values(used_at=now)
        .returning(RecoveryCode.user_id)
    )
    return moved.first() is not None


async def replace_recovery_codes(session: AsyncSession, user: User, hashes: Sequence[bytes]) -> None:
    await session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    if hashes:
        rows = [{"user_id": user.id, "tenant_id": user.tenant_id, "code_hash": code_hash} for code_hash in hashes]
        await session.execute(insert(RecoveryCode), rows)


async def _find(session: AsyncSession, query: str, key: str | bytes) -> TenantRow | None:
    row = (await session.execute(text(query), {"key": key})).first()
    return TenantRow(row.tenant_id, row.id) if row else None


Reaches = tuple[tuple[Role, Reach], ...]
_Ids = tuple[int, ...] | None
_GRANTS = msgspec.json.Decoder(list[tuple[Role, _Ids, _Ids, _Ids]])


@dataclass(frozen=True)
class SessionLookup:
    """`revoked_at` and `expires_at` are the session's; both None for an unknown session."""

    is_active: bool
    has_totp: bool
    require_totp: bool
    revoked_at: datetime | None
    expires_at: datetime | None
    grants: Reaches
    touched: tuple[int, ...]  # sites that the zones and groups of the grants are in


@dataclass(frozen=True)
class KeyLookup:
    tenant_id: UUID
    id: UUID
    user_id: UUID | None  # who created it; None for a key of the server's command line
    is_backed: bool  # its creator could still create it
    grants: Reaches
    touched: tuple[int, ...]


async def find_session_user(
    database: Database, tenant_id: UUID, user_id: UUID, session_id: UUID
) -> SessionLookup | None:
    """All that access code needs about a user, in one round trip. Only for ids from a signed token."""
    async with database.hot() as session:
        driver = await driver_connection(session)
        query = "select * from user_entering(%s, %s, %s)"
        row = await (await driver.execute(query, (tenant_id, user_id, session_id), prepare=True)).fetchone()
    if row is None:
        return None
    state, has_totp, require_totp, revoked_at, expires_at, grants, touched = row
    return SessionLookup(
        state == "active", has_totp, require_totp, revoked_at, expires_at, _reaches(grants), tuple(touched)
    )


async def find_api_key(database: Database, key_hash: bytes, *, now: datetime) -> KeyLookup | None:
    """A valid key, in one round trip; its use is noted."""
    async with database.hot() as session:
        driver = await driver_connection(session)
        query = "select * from key_entering(%s, %s)"
        row = await (await driver.execute(query, (key_hash, now), prepare=True)).fetchone()
    if row is None:
        return None
    tenant_id, key_id, user_id, is_backed, grants, touched = row
    return KeyLookup(tenant_id, key_id, user_id, is_backed, _reaches(grants), tuple(touched))


def _reaches(grants: str) -> Reaches:
    return tuple((role, Reach(sites, zones, groups)) for role, sites, zones, groups in _GRANTS.decode(grants))
