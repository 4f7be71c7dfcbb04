"""The first start: a tenant and its owner, so that somebody can sign in. The password is told once."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import SYSTEM
from hashinsight.identity import queries
from hashinsight.identity.permissions import Role
from hashinsight.identity.service.tenants import create_tenant
from hashinsight.identity.service.users import NewUser, create_user

EMAIL = "owner@hashinsight.local"
TENANT = "My fleet"


@dataclass(frozen=True)
class FirstLogin:
    email: str
    password: str


async def ensure_owner(session: AsyncSession, *, now: datetime) -> FirstLogin | None:
    """Make the first owner if the installation has no user at all; None when it has."""
    # two starts at once make one owner
    await session.execute(text("select pg_advisory_xact_lock(hashtext('hashinsight first owner'))"))
    if await queries.has_users(session):
        return None
    tenants = await queries.list_tenants(session)
    tenant = tenants[0] if tenants else await create_tenant(session, SYSTEM, TENANT, now=now)
    login = FirstLogin(EMAIL, secrets.token_urlsafe(15))
    await create_user(session, SYSTEM, tenant.id, NewUser(login.email, login.password, Role.OWNER, "Owner"), now=now)
    return login
