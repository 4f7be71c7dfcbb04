"""Tenants, users, keys and grants."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, any_, column, delete, exists, func, select, table, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.identity.models import ApiKey, Grant, Tenant, User
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.kit.errors import NotFound
from hashinsight.kit.paging import Page, page
from hashinsight.wire.sites import fold_code


async def find_user(session: AsyncSession, user_id: UUID) -> User | None:
    return (await session.execute(select(User).where(User.id == user_id))).scalar()


async def get_user(session: AsyncSession, user_id: UUID) -> User:
    user = await find_user(session, user_id)
    if user is None or user.state == "deleted":
        raise NotFound("no such user")
    return user


async def list_users(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    query = select(User).where(within(scope, Columns(User.tenant_id)), User.state != "deleted")
    return await page(session, query, [User.created_at, User.id], limit=limit, cursor=cursor)


async def list_user_names(session: AsyncSession, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Display names; the e-mail for a user without a name."""
    query = select(User.id, func.coalesce(func.nullif(User.name, ""), User.email)).where(User.id.in_(user_ids))
    return {row[0]: row[1] for row in await session.execute(query)}


async def list_user_emails(session: AsyncSession, user_ids: Collection[UUID]) -> dict[UUID, str]:
    query = select(User.id, User.email).where(User.id.in_(user_ids))
    return {row.id: row.email for row in await session.execute(query)}


async def find_tenant(session: AsyncSession, tenant_id: UUID) -> Tenant | None:
    return (await session.execute(select(Tenant).where(Tenant.id == tenant_id))).scalar()


async def find_key(session: AsyncSession, key_id: UUID) -> ApiKey | None:
    return (await session.execute(select(ApiKey).where(ApiKey.id == key_id))).scalar()


async def list_grants_of(
    session: AsyncSession, *, user_id: UUID | None = None, api_key_id: UUID | None = None
) -> Sequence[Grant]:
    is_holder = Grant.user_id == user_id if user_id is not None else Grant.api_key_id == api_key_id
    return (await session.execute(select(Grant).where(is_holder))).scalars().all()


async def list_grants(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    query = select(Grant).where(within(scope, Columns(Grant.tenant_id)))
    return await page(session, query, [Grant.created_at, Grant.id], limit=limit, cursor=cursor)


def is_group_granted(group_id: Any) -> ColumnElement[bool]:
    """Whether any grant is over this group: a number or a column."""
    return exists(select(Grant.id).where(group_id == any_(Grant.group_ids)))


async def list_sites_of_parts(session: AsyncSession, zones: Sequence[int], groups: Sequence[int]) -> Sequence[int]:
    """The sites that these zones and groups are in."""
    if not zones and not groups:
        return ()
    query = text("select site_id from sites_touched(cast(:zones as int[]), cast(:groups as int[]))")
    return list((await session.execute(query, {"zones": list(zones), "groups": list(groups)})).scalars())


async def find_grant(session: AsyncSession, grant_id: UUID) -> Grant | None:
    return (await session.execute(select(Grant).where(Grant.id == grant_id))).scalar()


async def delete_grants_of_user(session: AsyncSession, user_id: UUID) -> None:
    await session.execute(delete(Grant).where(Grant.user_id == user_id))


async def list_keys(session: AsyncSession, scope: Scope, *, limit: int, cursor: str | None = None) -> Page:
    query = select(ApiKey).where(within(scope, Columns(ApiKey.tenant_id)))
    return await page(session, query, [ApiKey.created_at, ApiKey.id], limit=limit, cursor=cursor)


async def list_keys_of(session: AsyncSession, tenant_id: UUID) -> Sequence[ApiKey]:
    query = select(ApiKey).where(ApiKey.tenant_id == tenant_id).order_by(ApiKey.created_at, ApiKey.id)
    return (await session.execute(query)).scalars().all()


async def list_existing(session: AsyncSession, tenant_id: UUID, kind: str, ids: Sequence[int]) -> Sequence[int]:
    """Which of these the tenant has; `kind` is a table (sites, zones, groups) whose model is in the layer above."""
    places = table(kind, column("id"), column("tenant_id"))
    query = select(places.c.id).where(places.c.id.in_(ids), places.c.tenant_id == tenant_id)
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
    """Serializes changes that could remove the last owner."""
    await session.execute(select(Tenant.id).where(Tenant.id == tenant_id).with_for_update())


async def list_owners(session: AsyncSession, tenant_id: UUID) -> set[UUID]:
    """Active users who own the whole tenant."""
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
    return (await session.execute(select(User.id).limit(1))).first() is not None


async def lock_first_owner(session: AsyncSession) -> None:
    """Two servers that start at once create one first owner."""
    await session.execute(text("select pg_advisory_xact_lock(hashtext('hashinsight first owner'))"))


async def list_tenants(session: AsyncSession) -> Sequence[Tenant]:
    """Every tenant that the transaction sees: with the job role, all."""
    return (await session.execute(select(Tenant).order_by(Tenant.name))).scalars().all()


async def list_users_of(session: AsyncSession, tenant_id: UUID) -> Sequence[User]:
    query = select(User).where(User.tenant_id == tenant_id, User.state != "deleted").order_by(User.created_at, User.id)
    return (await session.execute(query)).scalars().all()


async def find_user_by_email(session: AsyncSession, email: str) -> User | None:
    return (await session.execute(select(User).where(User.email == email, User.state != "deleted"))).scalar()


_USERS_WITH_ACCESS = text("""
select
    u.id,
    coalesce(nullif(u.name, ''), u.email) as name
from users u
where u.tenant_id = :tenant_id
and u.state = 'active'
and (cast(:user_id as uuid) is null or u.id = cast(:user_id as uuid))
and exists (
    select from grants g
    where g.user_id = u.id
    and g.role = any (:roles)
    and (
        coalesce(g.site_ids, g.zone_ids, g.group_ids) is null
        or :site_id = any (g.site_ids)
        or :site_id in (select t.site_id from sites_touched(g.zone_ids, g.group_ids) t)
    )
)
order by lower(coalesce(nullif(u.name, ''), u.email)), u.id
limit :most
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
    """Active users with one of these roles at the site or a part of it, as `id` and `name`; only `user_id` if given."""
    values = {"tenant_id": tenant_id, "site_id": site_id, "roles": list(roles), "most": most, "user_id": user_id}
    return [dict(row._mapping) for row in await session.execute(_USERS_WITH_ACCESS, values)]  # noqa: SLF001 - SQLAlchemy's name


async def list_site_codes(session: AsyncSession, tenant_id: UUID) -> dict[int, str]:
    """Codes of the tenant's sites by id."""
    sites = table("sites", column("id"), column("code"), column("tenant_id"))
    rows = await session.execute(select(sites.c.id, sites.c.code).where(sites.c.tenant_id == tenant_id))
    return {row.id: row.code for row in rows}


async def list_sites_by_code(session: AsyncSession, tenant_id: UUID, codes: Sequence[str]) -> dict[str, int]:
    """Site ids by code as given; codes match in any case."""
    keys = {code: fold_code(code) for code in codes}
    sites = table("sites", column("id"), column("code_key"), column("tenant_id"))
    query = select(sites.c.code_key, sites.c.id).where(
        sites.c.tenant_id == tenant_id, sites.c.code_key.in_(keys.values())
    )
    ids = {row.code_key: row.id for row in await session.execute(query)}
    return {code: ids[key] for code, key in keys.items() if key in ids}
