"""API keys: shown once, stored as a hash, with grants of their own; they end with the rights of their creator."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from hashinsight.audit.actions import Action, Actor, ActorKind
from hashinsight.audit.service.entries import record
from hashinsight.identity.models import ApiKey
from hashinsight.identity.permissions import Role
from hashinsight.identity.queries import accounts
from hashinsight.identity.scope import Reach
from hashinsight.identity.service.grants import create_grant
from hashinsight.kit.crypto import token_hash
from hashinsight.kit.errors import Forbidden, NotFound, ValidationFailed
from hashinsight.kit.ids import new_id, new_token

_SHOWN_CHARS = 12


async def create_key(
    session: AsyncSession,
    actor: Actor,
    tenant_id: UUID,
    *,
    name: str,
    role: Role,
    reach: Reach,
    now: datetime,
    whole_tenant: bool = False,
    expires_at: datetime | None = None,
    person_id: UUID | None = None,
) -> tuple[ApiKey, str]:
    """The key's row and its secret, which is shown this once.

    The key acts for the user who creates it and ends with that user's rights. On the server's command line it is
    created for the user `person_id`, or for nobody.
    """
    if actor.kind is ActorKind.API_KEY:
        raise Forbidden("an API key cannot create keys: sign in as a user", code="PERSON_REQUIRED")
    if expires_at is not None and expires_at <= now:
        raise ValidationFailed("expires_at is in the past")
    secret = new_token("api")
    key = ApiKey(
        id=new_id(),
        tenant_id=tenant_id,
        name=name.strip(),
        key_hash=token_hash(secret),
        key_start=secret[:_SHOWN_CHARS],
        created_at=now,
        created_by=actor.id,
        user_id=UUID(actor.id) if actor.kind is ActorKind.USER and actor.id else person_id,
        expires_at=expires_at,
    )
    session.add(key)
    await session.flush()
    await record(
        session,
        actor,
        Action.API_KEY_CREATED,
        "api_key",
        key.id,
        tenant_id=tenant_id,
        after={"name": key.name, "user_id": str(key.user_id) if key.user_id else None},
        now=now,
    )
    await create_grant(session, actor, tenant_id, role, reach, whole_tenant=whole_tenant, api_key_id=key.id, now=now)
    return key, secret


async def revoke_key(session: AsyncSession, actor: Actor, key_id: UUID, *, now: datetime) -> None:
    if not await accounts.move_key_revoked(session, key_id, now=now):
        if await accounts.find_key(session, key_id) is None:
            raise NotFound("no such API key")
        return
    key = await accounts.find_key(session, key_id)
    tenant_id = key.tenant_id if key else None
    await record(session, actor, Action.API_KEY_REVOKED, "api_key", key_id, tenant_id=tenant_id, now=now)
