"""Users: create, change, delete, give a new password, unlock. A tenant never loses its last owner."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity import queries
from hashinsight.identity.caller import AccessRefusal, SessionUser
from hashinsight.identity.models import User
from hashinsight.identity.passwords import check_strength, hash_password
from hashinsight.identity.permissions import Role
from hashinsight.identity.scope import WHOLE_TENANT, Reach
from hashinsight.identity.service.grants import create_grant, keep_last_owner
from hashinsight.identity.service.proofs import account_door, settle_password, try_password
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class NewUser:
    email: str
    password: str
    role: Role
    name: str = ""
    reach: Reach = WHOLE_TENANT
    whole_tenant: bool = False  # asked for: see `grants.check_scope`


async def create_user(session: AsyncSession, actor: Actor, tenant_id: UUID, new: NewUser, *, now: datetime) -> User:
    email = new.email.strip().lower()
    check_strength(new.password, email)
    user = User(
        id=new_id(),
        tenant_id=tenant_id,
        email=email,
        name=new.name.strip() or email.split("@")[0],
        password_hash=await hash_password(new.password),
        state="active",
        totp_last_step=0,
        created_at=now,
    )
    try:
        async with session.begin_nested():
            session.add(user)
    except IntegrityError:
        # the same for one's own tenant and for another's: docs/decisions/0016
        raise Conflict("this e-mail cannot be used", code="EMAIL_TAKEN") from None
    await record(
        session, actor, Action.USER_CREATED, "user", user.id, tenant_id=tenant_id, after={"email": email}, now=now
    )
    await create_grant(
        session, actor, tenant_id, new.role, new.reach, whole_tenant=new.whole_tenant, user_id=user.id, now=now
    )
    return user


async def change_user(
    session: AsyncSession,
    actor: Actor,
    user_id: UUID,
    *,
    now: datetime,
    name: str | None = None,
    state: str | None = None,
) -> User:
    user = await get_user(session, user_id)
    before = {"name": user.name, "state": user.state}
    async with keep_last_owner(session, user.tenant_id):
        user.name = user.name if name is None else name.strip()
        if state is not None and state != user.state:
            user.state = state
            await queries.move_sessions_revoked(session, user.id, reason=f"user {state}", now=now)
        await session.flush()
    after = {"name": user.name, "state": user.state}
    await record(
        session,
        actor,
        Action.USER_CHANGED,
        "user",
        user.id,
        tenant_id=user.tenant_id,
        before=before,
        after=after,
        now=now,
    )
    return user


async def delete_user(session: AsyncSession, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    """The row stays for the record; sessions end, grants go, the e-mail is free again."""
    user = await get_user(session, user_id)
    async with keep_last_owner(session, user.tenant_id):
        user.state = "deleted"
        user.totp_key = None
        user.totp_confirmed_at = None
        await session.flush()
        await queries.move_sessions_revoked(session, user.id, reason="user deleted", now=now)
        await queries.delete_grants_of_user(session, user.id)
    await record(
        session,
        actor,
        Action.USER_DELETED,
        "user",
        user.id,
        tenant_id=user.tenant_id,
        before={"email": user.email},
        now=now,
    )


async def change_password(
    database: Database, vault: Vault, person: SessionUser, *, old: str, new: str, now: datetime
) -> AccessRefusal | None:
    """By oneself, with the old one. All other sessions end. No connection is held while either is hashed."""
    actor, token = person.actor, person.token
    tried = await try_password(database, vault, person, old, now=now)
    async with database.transaction(person.context) as session:
        user = await get_user(session, token.user_id)
        refused = await settle_password(session, user, tried, now=now)
        if refused is not None:
            return await _refuse_password(session, actor, user, refused, now=now)
        shown = user.password_hash
    check_strength(new, user.email)
    hashed = await hash_password(new)
    async with database.transaction(person.context) as session:
        user = await get_user(session, token.user_id)
        if not await queries.move_password(session, user.id, before=shown, after=hashed):
            refused = AccessRefusal(403, "INVALID_CREDENTIALS", "the password was changed meanwhile")
            return await _refuse_password(session, actor, user, refused, now=now)
        await _end_other_sessions(session, actor, user, now=now, keep=token.session_id)
    return None


async def set_password(session: AsyncSession, actor: Actor, user_id: UUID, new: str, *, now: datetime) -> None:
    """By an administrator. All sessions end."""
    user = await get_user(session, user_id)
    check_strength(new, user.email)
    user.password_hash = await hash_password(new)
    await session.flush()
    await _end_other_sessions(session, actor, user, now=now)


async def _end_other_sessions(
    session: AsyncSession, actor: Actor, user: User, *, now: datetime, keep: UUID | None = None
) -> None:
    await queries.move_sessions_revoked(session, user.id, reason="new password", now=now, keep=keep)
    await record(session, actor, Action.PASSWORD_CHANGED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def _refuse_password(
    session: AsyncSession, actor: Actor, user: User, refused: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    await record(
        session,
        actor,
        Action.PASSWORD_REFUSED,
        "user",
        user.id,
        tenant_id=user.tenant_id,
        after={"error_code": refused.code},
        reason=refused.reason,
        now=now,
    )
    return refused


async def unlock_user(session: AsyncSession, vault: Vault, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    user = await get_user(session, user_id)
    await queries.delete_failures_of(session, account_door(vault, user.email))
    await record(session, actor, Action.USER_UNLOCKED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def get_user(session: AsyncSession, user_id: UUID) -> User:
    user = await queries.find_user(session, user_id)
    if user is None or user.state == "deleted":
        raise NotFound("no such user")
    return user
