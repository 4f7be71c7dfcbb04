"""Users: create, change, delete, set a new password, unlock. A tenant never loses its last owner."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity.caller import AccessRefusal, Caller
from hashinsight.identity.models import User
from hashinsight.identity.passwords import check_strength, hash_password
from hashinsight.identity.permissions import Role
from hashinsight.identity.queries import accounts, login_failures, sessions
from hashinsight.identity.scope import WHOLE_TENANT, Reach
from hashinsight.identity.service.grants import create_grant, keep_last_owner
from hashinsight.identity.service.proofs import account_fingerprint, settle_password, try_password
from hashinsight.kit.crypto import Vault
from hashinsight.kit.db.database import Database
from hashinsight.kit.errors import Conflict
from hashinsight.kit.ids import new_id


@dataclass(frozen=True)
class NewUser:
    email: str
    password: str
    role: Role
    name: str = ""
    reach: Reach = WHOLE_TENANT
    whole_tenant: bool = False  # explicit: see `grants.check_scope`


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
        # the same answer whichever tenant has it: docs/decisions/0016
        raise Conflict("this e-mail is already in use", code="EMAIL_TAKEN") from None
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
    user = await accounts.get_user(session, user_id)
    before = {"name": user.name, "state": user.state}
    async with keep_last_owner(session, user.tenant_id):
        user.name = user.name if name is None else name.strip()
        if state is not None and state != user.state:
            user.state = state
            await sessions.move_sessions_revoked(session, user.id, reason=f"user {state}", now=now)
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
    """The row stays for the audit log; sessions end, grants are removed, the e-mail can be used again."""
    user = await accounts.get_user(session, user_id)
    async with keep_last_owner(session, user.tenant_id):
        user.state = "deleted"
        user.totp_key = None
        user.totp_confirmed_at = None
        await session.flush()
        await sessions.move_sessions_revoked(session, user.id, reason="user deleted", now=now)
        await accounts.delete_grants_of_user(session, user.id)
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
    database: Database, vault: Vault, caller: Caller, *, old: str, new: str, now: datetime
) -> AccessRefusal | None:
    """By the user, with the old one. Their other sessions end. No connection is held while passwords are hashed."""
    actor, token = caller.actor, caller.get_token()
    attempt = await try_password(database, vault, caller, old, now=now)
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        refusal = await settle_password(session, user, attempt, now=now)
        if refusal is not None:
            return await _record_refusal(session, actor, user, refusal, now=now)
        old_hash = user.password_hash
    check_strength(new, user.email)
    new_hash = await hash_password(new)
    async with database.transaction(caller.context()) as session:
        user = await accounts.get_user(session, token.user_id)
        if not await sessions.move_password(session, user.id, before=old_hash, after=new_hash):
            refusal = AccessRefusal(403, "INVALID_CREDENTIALS", "the password was changed in the meantime")
            return await _record_refusal(session, actor, user, refusal, now=now)
        await _end_other_sessions(session, actor, user, now=now, keep=token.session_id)
    return None


async def set_password(session: AsyncSession, actor: Actor, user_id: UUID, new: str, *, now: datetime) -> None:
    """By an owner. All sessions of the user end."""
    user = await accounts.get_user(session, user_id)
    check_strength(new, user.email)
    user.password_hash = await hash_password(new)
    await session.flush()
    await _end_other_sessions(session, actor, user, now=now)


async def _end_other_sessions(
    session: AsyncSession, actor: Actor, user: User, *, now: datetime, keep: UUID | None = None
) -> None:
    await sessions.move_sessions_revoked(session, user.id, reason="new password", now=now, keep=keep)
    await record(session, actor, Action.PASSWORD_CHANGED, "user", user.id, tenant_id=user.tenant_id, now=now)


async def _record_refusal(
    session: AsyncSession, actor: Actor, user: User, refusal: AccessRefusal, *, now: datetime
) -> AccessRefusal:
    await record(
        session,
        actor,
        Action.PASSWORD_REFUSED,
        "user",
        user.id,
        tenant_id=user.tenant_id,
        after={"error_code": refusal.code},
        reason=refusal.reason,
        now=now,
    )
    return refusal


async def unlock_user(session: AsyncSession, vault: Vault, actor: Actor, user_id: UUID, *, now: datetime) -> None:
    user = await accounts.get_user(session, user_id)
    await login_failures.delete_failures_of(session, account_fingerprint(vault, user.email))
    await record(session, actor, Action.USER_UNLOCKED, "user", user.id, tenant_id=user.tenant_id, now=now)
