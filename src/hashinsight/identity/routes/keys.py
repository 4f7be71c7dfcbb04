"""API keys for integrations."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy import select

from hashinsight.identity import queries
from hashinsight.identity.access import ReadSession, Session, now_of
from hashinsight.identity.models import ApiKey
from hashinsight.identity.routes.admin import ActingAdmin, Admin, Cursor, Limit
from hashinsight.identity.schemas import KEY_ID, USER_ID, NewKeyBody, show_key
from hashinsight.identity.scope import Columns, within
from hashinsight.identity.service import keys
from hashinsight.kit.paging import page
from hashinsight.kit.web.examples import answers

router = APIRouter(prefix="/api/admin/v1/api-keys", tags=["identity"])

_KEY = {
    "id": KEY_ID,
    "name": "grafana",
    "user_id": USER_ID,
    "state": "active",
    "key_start": "hi_api_Zk3Qx",
    "created_at": "2026-03-01T12:00:00Z",
    "expires_at": "2027-01-01T00:00:00Z",
    "revoked_at": None,
    "last_used_at": None,
}


@router.get("", responses=answers({"api_keys": [_KEY], "next_cursor": None}))
async def list_keys(
    request: Request, scope: Admin, session: ReadSession, limit: Limit = 100, cursor: Cursor = None
) -> dict[str, Any]:
    """The tenant's keys, revoked ones too. The keys themselves are not shown again.

    `state`: `active`, `revoked`, `expired`, or `ended` while `user_id`, who made it, does not own the whole tenant.
    """
    query = select(ApiKey).where(within(scope, Columns(ApiKey.tenant_id)))
    found = await page(session, query, [ApiKey.created_at, ApiKey.id], limit=limit, cursor=cursor)
    owners, now = await queries.list_owners(session, scope.tenant_id), now_of(request)
    return {"api_keys": [show_key(key, owners, now=now) for key in found.rows], "next_cursor": found.next_cursor}


@router.post("", status_code=201, responses=answers(_KEY | {"key": "hi_api_…"}, 201))
async def create_key(request: Request, scope: ActingAdmin, session: Session, body: NewKeyBody) -> dict[str, Any]:
    """A new key with its own role and scope. `key` is shown this once; send it as `X-API-Key`.

    It acts for you: what it requests you cannot approve, and it ends when you are no longer an owner. It approves
    nothing, and changes no people, grants, keys and protecting settings. Scope as of users: 422 `SCOPE_REQUIRED`,
    `SCOPE_CONFLICT`.
    """
    now = now_of(request)
    key, secret = await keys.create_key(
        session,
        scope.actor,
        scope.tenant_id,
        name=body.name,
        role=body.role,
        reach=body.reach(),
        whole_tenant=body.whole_tenant,
        expires_at=body.expires_at,
        now=now,
    )
    return show_key(key, {key.user_id} if key.user_id else (), now=now) | {"key": secret}


@router.delete("/{key_id}", status_code=204)
async def revoke_key(request: Request, scope: ActingAdmin, session: Session, key_id: UUID) -> None:
    """Revoke a key: it is refused from the next call on."""
    await keys.revoke_key(session, scope.actor, key_id, now=now_of(request))
