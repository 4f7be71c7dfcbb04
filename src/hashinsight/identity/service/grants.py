"""Grants: a role over a scope, for a user or a key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor
from hashinsight.audit.service.entries import record
from hashinsight.identity.models import Grant
from hashinsight.identity.permissions import SCOPE_REQUIRED, Role
from hashinsight.identity.queries import accounts
from hashinsight.identity.scope import Reach
from hashinsight.kit.errors import Conflict, NotFound, ValidationFailed
from hashinsight.kit.ids import new_id


async def create_grant(
    session: AsyncSession,
    actor: Actor,
    tenant_id: UUID,
    role: Role,
    reach: Reach,
    *,
    now: datetime,
    whole_tenant: bool = False,
    user_id: UUID | None = None,
    api_key_id: UUID | None = None,
) -> Grant:
    check_scope(role, has_scope=not reach.is_whole, whole_tenant=whole_tenant)
    await _check_reach(session, tenant_id, reach)
    grant = Grant(
        id=new_id(),
        tenant_id=tenant_id,
        user_id=user_id,
        api_key_id=api_key_id,
        role=role.value,
        site_ids=_sorted_ids(reach.sites),
        zone_ids=_sorted_ids(reach.zones),
        group_ids=_sorted_ids(reach.groups),
        created_at=now,
    )
    session.add(grant)
    await session.flush()
    await record(
        session,
        actor,
        Action.GRANT_CREATED,
        "grant",
        grant.id,
        tenant_id=tenant_id,
        after=_grant_fields(grant),
        now=now,
    )
    return grant


async def delete_grant(session: AsyncSession, actor: Actor, grant_id: UUID, *, now: datetime) -> None:
    grant = await accounts.find_grant(session, grant_id)
    if grant is None:
        raise NotFound("no such grant")
    async with keep_last_owner(session, grant.tenant_id):
        await session.delete(grant)
        await session.flush()
    await record(
        session,
        actor,
        Action.GRANT_DELETED,
        "grant",
        grant.id,
        tenant_id=grant.tenant_id,
        before=_grant_fields(grant),
        now=now,
    )


@asynccontextmanager
async def keep_last_owner(session: AsyncSession, tenant_id: UUID) -> AsyncIterator[None]:
    """The block may not remove the tenant's last owner; concurrent blocks of one tenant take turns."""
    await accounts.lock_tenant(session, tenant_id)
    before = await accounts.list_owners(session, tenant_id)
    yield
    if before and not await accounts.list_owners(session, tenant_id):
        raise Conflict("this would leave the tenant without an owner", code="LAST_OWNER")


def check_scope(role: Role, *, has_scope: bool, whole_tenant: bool) -> None:
    """`whole_tenant`: asked for explicitly, as opposed to a scope left out."""
    if has_scope and whole_tenant:
        raise ValidationFailed(
            "whole_tenant cannot be combined with site_ids, zone_ids or group_ids",
            code="SCOPE_CONFLICT",
            details={"field": "whole_tenant"},
        )
    if role in SCOPE_REQUIRED and not has_scope and not whole_tenant:
        raise ValidationFailed(
            f"{role.value} without site_ids, zone_ids or group_ids would see the whole tenant: send them, or send"
            " whole_tenant: true",
            code="SCOPE_REQUIRED",
            details={"field": "site_ids"},
        )


async def _check_reach(session: AsyncSession, tenant_id: UUID, reach: Reach) -> None:
    """Only sites, zones and groups of the tenant can be granted; an empty list would grant nothing."""
    for kind, ids in (("sites", reach.sites), ("zones", reach.zones), ("groups", reach.groups)):
        if ids is None:
            continue
        if not ids:
            raise ValidationFailed(f"the list of {kind} is empty")
        missing = set(ids) - set(await accounts.list_existing(session, tenant_id, kind, ids))
        if missing:
            raise NotFound(f"no such {kind}: {', '.join(map(str, sorted(missing)))}", details={kind: sorted(missing)})


def _sorted_ids(ids: tuple[int, ...] | None) -> list[int] | None:
    return None if ids is None else sorted(set(ids))


def _grant_fields(grant: Grant) -> dict[str, object]:
    return {
        "role": grant.role,
        "user_id": str(grant.user_id) if grant.user_id else None,
        "api_key_id": str(grant.api_key_id) if grant.api_key_id else None,
        "site_ids": grant.site_ids,
        "zone_ids": grant.zone_ids,
        "group_ids": grant.group_ids,
    }
