"""Tenants: created on the server's command line, changed by their owners; and the first owner of an installation."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM, Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity.models import Tenant
from hashinsight.identity.permissions import Role
from hashinsight.identity.queries import accounts
from hashinsight.identity.service.users import NewUser, create_user
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.ids import new_id


async def create_tenant(session: AsyncSession, actor: Actor, name: str, *, now: datetime) -> Tenant:
    tenant = Tenant(id=new_id(), name=name.strip(), created_at=now, require_totp=False)
    try:
        async with session.begin_nested():
            session.add(tenant)
    except IntegrityError:
        raise Conflict(f"a tenant named {name} already exists") from None
    await record(
        session, actor, Action.TENANT_CREATED, "tenant", tenant.id, tenant_id=tenant.id, after={"name": name}, now=now
    )
    return tenant


async def change_tenant(
    session: AsyncSession,
    actor: Actor,
    tenant_id: UUID,
    *,
    now: datetime,
    name: str | None = None,
    require_totp: bool | None = None,
) -> Tenant:
    tenant = await accounts.find_tenant(session, tenant_id)
    if tenant is None:
        raise NotFound("no such tenant")
    before = {"name": tenant.name, "require_totp": tenant.require_totp}
    tenant.name = tenant.name if name is None else name.strip()
    tenant.require_totp = tenant.require_totp if require_totp is None else require_totp
    after = {"name": tenant.name, "require_totp": tenant.require_totp}
    try:
        await session.flush()
    except IntegrityError:
        raise Conflict("a tenant with this name already exists") from None
    await record(
        session,
        actor,
        Action.TENANT_CHANGED,
        "tenant",
        tenant.id,
        tenant_id=tenant.id,
        before=before,
        after=after,
        now=now,
    )
    return tenant


FIRST_OWNER_EMAIL = "owner@hashinsight.local"
FIRST_TENANT_NAME = "My fleet"


@dataclass(frozen=True)
class FirstLogin:
    email: str
    password: str


async def ensure_owner(session: AsyncSession, *, now: datetime) -> FirstLogin | None:
    """Create the first owner of an installation without users; None when there are any."""
    await accounts.lock_first_owner(session)
    if await accounts.has_users(session):
        return None
    tenants = await accounts.list_tenants(session)
    tenant = tenants[0] if tenants else await create_tenant(session, SYSTEM, FIRST_TENANT_NAME, now=now)
    login = FirstLogin(FIRST_OWNER_EMAIL, secrets.token_urlsafe(15))
    await create_user(session, SYSTEM, tenant.id, NewUser(login.email, login.password, Role.OWNER, "Owner"), now=now)
    return login
