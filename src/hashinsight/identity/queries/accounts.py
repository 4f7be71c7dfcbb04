"""SQL about tenants, users, keys and grants."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import column, delete, func, select, table, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import ApiKey, Grant, Tenant, User
from hashinsight.wire.sites import fold_code


async def find_user(session: AsyncSession, user_id: UUID) -> User | None:
    return (await session.execute(select(User).where(User.id == user_id))).scalar()


async def find_tenant(session: AsyncSession, tenant_id: UUID) -> Tenant | None:
    return (await session.execute(select(Tenant).where(Tenant.id == tenant_id))).scalar()


async def find_key(session: AsyncSession, key_id: UUID) -> ApiKey | None:
    return (await session.execute(select(ApiKey).where(ApiKey.id == key_id))).scalar()


async def list_grants_of(
    session: AsyncSession, *, user_id: UUID | None = None, api_key_id: UUID | None = None
) -> Sequence[Grant]:
    held = Grant.user_id == user_id if user_id is not None else Grant.api_key_id == api_key_id
    return (await session.execute(select(Grant).where(held))).scalars().all()


async def list_sites_of_parts(session: AsyncSession, zones: Sequence[int], groups: Sequence[int]) -> Sequence[int]:
    """The sites that these zones and groups lie in."""
    if not zones and not groups:
        return ()
    query = text("select site_id from sites_touched(cast(:zones as int[]), cast(:groups as int[]))")
    return list((await session.execute(query, {"zones": list(zones), "groups": list(groups)})).scalars())


async def find_grant(session: AsyncSession, grant_id: UUID) -> Grant | None:
    return (await session.execute(select(Grant).where(Grant.id == grant_id))).scalar()


async def delete_grants_of_user(session: AsyncSession, user_id: UUID) -> None:
    await session.execute(delete(Grant).where(Grant.user_id == user_id))


async def list_keys_of(session: AsyncSession, tenant_id: UUID) -> Sequence[ApiKey]:
    query = select(ApiKey).where(ApiKey.tenant_id == tenant_id).order_by(ApiKey.created_at, ApiKey.id)
    return (await session.execute(query)).scalars().all()


async def list_existing(session: AsyncSession, tenant_id: UUID, kind: str, ids: Sequence[int]) -> Sequence[int]:
    """Which of these sites, zones or groups the tenant has. Their tables belong to the layer above: asked by name."""
    named = table(kind, column("id"), column("tenant_id"))
    query = select(named.c.id).where(named.c.id.in_(ids), named.c.tenant_id == tenant_id)
    return list((await session.execute(query)).scalars())


async def move_key_revoked(session: AsyncSession, key_id: UUID, *, now: datetime) -> bool:
    moved = await session.execute(
        update(ApiKey)
        .where(ApiKey.id == key_id, ApiKey.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(ApiKey.id)
    )
    return moved.first() is not None


async def lock_tenant(session: AsyncSession, tenant_id: UUID) -> None:
    """Those who could take the last owner away take turns."""
    await session.execute(select(Tenant.id).where(Tenant.id == tenant_id).with_for_update())


async def list_owners(session: AsyncSession, tenant_id: UUID) -> set[UUID]:
    """Active users of the tenant who may administer all of it."""
    query = select(User.id).where(
        Grant.user_id == User.id,
        User.tenant_id == tenant_id,
        User.state == "active",
        Grant.role == "Owner",
        Grant.site_ids.is_(None),
        Grant.zone_ids.is_(None),
        Grant.group_ids.is_(None),
    )
    return set((await session.execute(query)).scalars())


async def has_users(session: AsyncSession) -> bool:
    return (
        await session.execute(select(func.count()).select_from(select(User.id).limit(1).subquery()))
    ).scalar_one() > 0


async def list_tenants(session: AsyncSession) -> Sequence[Tenant]:
    """Every tenant that the transaction may see: with the job role, all of them."""
    return (await session.execute(select(Tenant).order_by(Tenant.name))).scalars().all()


async def list_users_of(session: AsyncSession, tenant_id: UUID) -> Sequence[User]:
    query = select(User).where(User.tenant_id == tenant_id, User.state != "deleted").order_by(User.created_at, User.id)
    return (await session.execute(query)).scalars().all()


async def find_user_by_email(session: AsyncSession, email: str) -> User | None:
    return (await session.execute(select(User).where(User.email == email, User.state != "deleted"))).scalar()


_REACHING = text("""
select u.id, coalesce(nullif(u.name, ''), u.email) as name from users u
where u.tenant_id = :tenant_id and u.state = 'active'
and (cast(:user_id as uuid) is null or u.id = cast(:user_id as uuid)) and exists (
    select from grants g where g.user_id = u.id and g.role = any (:roles)
    and (coalesce(g.site_ids, g.zone_ids, g.group_ids) is null or :site_id = any (g.site_ids)
        or :site_id in (select t.site_id from sites_touched(g.zone_ids, g.group_ids) t)))
order by lower(coalesce(nullif(u.name, ''), u.email)), u.id limit :most
""")


async def list_users_with_access(
    session: AsyncSession,
    tenant_id: UUID,
    site_id: int,
    roles: Sequence[str],
    *,
    most: int,
    user_id: UUID | None = None,
) -> list[dict[str, Any]]:
    """Active users with one of these roles at the site, or in a part of it: id and what they are called.

    With `user_id` that one, if he is among them.
    """
    values = {"tenant_id": tenant_id, "site_id": site_id, "roles": list(roles), "most": most, "user_id": user_id}
    return [dict(row._mapping) for row in await session.execute(_REACHING, values)]  # noqa: SLF001 - SQLAlchemy's name


async def list_site_codes(session: AsyncSession, tenant_id: UUID) -> dict[int, str]:
    """The code of each site of the tenant, by its id."""
    sites = table("sites", column("id"), column("code"), column("tenant_id"))
    found = await session.execute(select(sites.c.id, sites.c.code).where(sites.c.tenant_id == tenant_id))
    return {row.id: row.code for row in found}


async def list_sites_by_code(session: AsyncSession, tenant_id: UUID, codes: Sequence[str]) -> dict[str, int]:
    """The site's id by the code as it is asked for, whatever its case."""
    keys = {code: fold_code(code) for code in codes}
    sites = table("sites", column("id"), column("code_key"), column("tenant_id"))
    query = select(sites.c.code_key, sites.c.id).where(
        sites.c.tenant_id == tenant_id, sites.c.code_key.in_(keys.values())
    )
    found = {row.code_key: row.id for row in await session.execute(query)}
    return {code: found[key] for code, key in keys.items() if key in found}
