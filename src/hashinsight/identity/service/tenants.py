"""Tenants: made by the installation's own operator, changed by their owners."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service import record
from hashinsight.identity import queries
from hashinsight.identity.models import Tenant
from hashinsight.kit.errors import Conflict, NotFound
from hashinsight.kit.ids import new_id


async def create_tenant(session: AsyncSession, actor: Actor, name: str, *, now: datetime) -> Tenant:
    tenant = Tenant(id=new_id(), name=name.strip(), created_at=now, require_totp=False)
    try:
        async with session.begin_nested():
            session.add(tenant)
    except IntegrityError:
        raise Conflict(f"there is a tenant named {name} already") from None
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
    tenant = await queries.find_tenant(session, tenant_id)
    if tenant is None:
        raise NotFound("no such tenant")
    before = {"name": tenant.name, "require_totp": tenant.require_totp}
    tenant.name = tenant.name if name is None else name.strip()
    tenant.require_totp = tenant.require_totp if require_totp is None else require_totp
    after = {"name": tenant.name, "require_totp": tenant.require_totp}
    try:
        await session.flush()
    except IntegrityError:
        raise Conflict("this name cannot be used") from None
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
