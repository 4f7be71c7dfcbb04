"""Users and grants of one's own tenant, and the tenant itself."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from sqlalchemy import select

from hashinsight.audit.actions import Action
from hashinsight.audit.service.entries import record
from hashinsight.identity import queries
from hashinsight.identity.access import ReadSession, Session, allowed, now_of, vault_of
from hashinsight.identity.models import Grant, User
from hashinsight.identity.permissions import Permission
from hashinsight.identity.schemas import (
    GRANT_ID,
    USER_ID,
    ChangeTenantBody,
    ChangeUserBody,
    NewGrantBody,
    NewPasswordBody,
    NewUserBody,
    show_grant,
    show_user,
)
from hashinsight.identity.scope import Columns, Scope, within
from hashinsight.identity.service import grants, second_factor, tenants, users
from hashinsight.kit.errors import Conflict, Forbidden, NotFound
from hashinsight.kit.paging import MAX_LIMIT, page
from hashinsight.kit.web.error_handlers import exception_response
from hashinsight.kit.web.examples import answers

router = APIRouter(prefix="/api/admin/v1", tags=["identity"])

Admin = Annotated[Scope, allowed(Permission.ADMIN, whole=True)]
# every change of people and their rights: by a person, who has just shown that it is them
ActingAdmin = Annotated[Scope, allowed(Permission.ADMIN, whole=True, step_up=True)]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT)]
Cursor = Annotated[str | None, Query(max_length=1024)]

_USER = {
    "id": USER_ID,
    "email": "tech@example.com",
    "name": "Night shift",
    "state": "active",
    "has_totp": False,
    "created_at": "2026-03-01T12:00:00Z",
    "last_login_at": None,
}
_GRANT = {
    "id": GRANT_ID,
    "user_id": USER_ID,
    "api_key_id": None,
    "role": "NOC",
    "site_ids": [3, 4],
    "zone_ids": None,
    "group_ids": None,
    "created_at": "2026-03-01T12:00:00Z",
}


@router.get("/users", responses=answers({"users": [_USER], "next_cursor": None}))
async def list_users(scope: Admin, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> dict[str, Any]:
    """The tenant's users, newest last."""
    query = select(User).where(within(scope, Columns(User.tenant_id)), User.state != "deleted")
    found = await page(session, query, [User.created_at, User.id], limit=limit, cursor=cursor)
    return {"users": [show_user(user) for user in found.rows], "next_cursor": found.next_cursor}


@router.post("/users", status_code=201, responses=answers(_USER, 201))
async def create_user(request: Request, scope: ActingAdmin, session: Session, body: NewUserBody) -> Any:
    """A new user with a first grant: a role over the tenant, or over some of its sites, zones or groups.

    409 `EMAIL_TAKEN`: somebody in the installation has this e-mail. 422 `SCOPE_REQUIRED`: a Customer without sites,
    zones and groups, and without `whole_tenant: true`. 422 `SCOPE_CONFLICT`: with both.
    """
    now = now_of(request)
    password = body.password.get_secret_value()
    new = users.NewUser(body.email, password, body.role, body.name, body.reach(), body.whole_tenant)
    try:
        return show_user(await users.create_user(session, scope.actor, scope.tenant_id, new, now=now))
    except Conflict as error:  # that somebody elsewhere has this e-mail can be guessed here: on the record
        after = {"email": body.email.lower(), "error_code": error.error_code}
        await record(session, scope.actor, Action.USER_REFUSED, "user", tenant_id=scope.tenant_id, after=after, now=now)
        return exception_response(request.scope, error)


@router.get("/users/{user_id}", responses=answers(_USER | {"grants": [_GRANT]}))
async def get_user(scope: Admin, session: ReadSession, user_id: UUID) -> dict[str, Any]:
    """One user with their grants."""
    del scope  # asked for the permission; the tenant's rows are all that this session sees
    user = await users.get_user(session, user_id)
    held = await queries.list_grants_of(session, user_id=user_id)
    return show_user(user) | {"grants": [show_grant(grant) for grant in held]}


@router.patch("/users/{user_id}", responses=answers(_USER))
async def change_user(
    request: Request, scope: ActingAdmin, session: Session, user_id: UUID, body: ChangeUserBody
) -> dict[str, Any]:
    """Another name, or disabled and active again. Disabling ends all sessions at once."""
    now = now_of(request)
    return show_user(await users.change_user(session, scope.actor, user_id, name=body.name, state=body.state, now=now))


@router.delete("/users/{user_id}", status_code=204)
async def delete_user(request: Request, scope: ActingAdmin, session: Session, user_id: UUID) -> None:
    """Remove a user: sessions end, grants go, the record stays."""
    await users.delete_user(session, scope.actor, user_id, now=now_of(request))


@router.post("/users/{user_id}/password", status_code=204)
async def reset_password(
    request: Request, scope: ActingAdmin, session: Session, user_id: UUID, body: NewPasswordBody
) -> None:
    """Give another user a new password. All their sessions end.

    One's own: `/api/v1/auth/password`, with the old one. 403 `OWN_ACCOUNT` here.
    """
    _check_other(scope, user_id, "change your own password with the old one: /api/v1/auth/password")
    new = body.new_password.get_secret_value()
    await users.set_password(session, scope.actor, user_id, new, now=now_of(request))


@router.post("/users/{user_id}/unlock", status_code=204)
async def unlock(request: Request, scope: ActingAdmin, session: Session, user_id: UUID) -> None:
    """Open the door again for somebody who mistyped too often."""
    await users.unlock_user(session, vault_of(request), scope.actor, user_id, now=now_of(request))


@router.post("/users/{user_id}/totp/reset", status_code=204)
async def reset_totp(request: Request, scope: ActingAdmin, session: Session, user_id: UUID) -> None:
    """Take the second factor off somebody else who lost the phone and the recovery codes. All their sessions end.

    One's own: `/api/v1/auth/totp/disable`, with a code. 403 `OWN_ACCOUNT` here.
    """
    _check_other(scope, user_id, "turn your own second factor off with its code: /api/v1/auth/totp/disable")
    await second_factor.reset_totp(session, scope.actor, user_id, now=now_of(request))


def _check_other(scope: Scope, user_id: UUID, instead: str) -> None:
    """Whoever holds a session of an owner must not get round what protects that owner."""
    if scope.actor.id == str(user_id):
        raise Forbidden(instead, code="OWN_ACCOUNT")


@router.get("/grants", responses=answers({"grants": [_GRANT], "next_cursor": None}))
async def list_grants(scope: Admin, session: ReadSession, limit: Limit = 100, cursor: Cursor = None) -> dict[str, Any]:
    """Every grant of the tenant, of users and of keys."""
    query = select(Grant).where(within(scope, Columns(Grant.tenant_id)))
    found = await page(session, query, [Grant.created_at, Grant.id], limit=limit, cursor=cursor)
    return {"grants": [show_grant(grant) for grant in found.rows], "next_cursor": found.next_cursor}


@router.post("/grants", status_code=201, responses=answers(_GRANT, 201))
async def create_grant(request: Request, scope: ActingAdmin, session: Session, body: NewGrantBody) -> dict[str, Any]:
    """One more role for a user. Grants add up. Scope as of a new user: 422 `SCOPE_REQUIRED`, `SCOPE_CONFLICT`."""
    user = await users.get_user(session, body.user_id)
    made = await grants.create_grant(
        session,
        scope.actor,
        scope.tenant_id,
        body.role,
        body.reach(),
        whole_tenant=body.whole_tenant,
        user_id=user.id,
        now=now_of(request),
    )
    return show_grant(made)


@router.delete("/grants/{grant_id}", status_code=204)
async def delete_grant(request: Request, scope: ActingAdmin, session: Session, grant_id: UUID) -> None:
    """Take a grant away; it counts from the next request on."""
    await grants.delete_grant(session, scope.actor, grant_id, now=now_of(request))


@router.get("/tenants", responses=answers({"tenants": [{"id": USER_ID, "name": "Acme", "require_totp": False}]}))
async def list_tenants(scope: Admin, session: ReadSession) -> dict[str, Any]:
    """One's own tenant: the list has one entry."""
    tenant = await queries.find_tenant(session, scope.tenant_id)
    if tenant is None:
        raise NotFound("no such tenant")
    return {"tenants": [{"id": str(tenant.id), "name": tenant.name, "require_totp": tenant.require_totp}]}


@router.patch("/tenants/{tenant_id}", responses=answers({"id": USER_ID, "name": "Acme", "require_totp": True}))
async def change_tenant(
    request: Request, scope: ActingAdmin, session: Session, tenant_id: UUID, body: ChangeTenantBody
) -> dict[str, Any]:
    """Another name, or a second factor asked of everybody."""
    tenant = await tenants.change_tenant(
        session, scope.actor, tenant_id, name=body.name, require_totp=body.require_totp, now=now_of(request)
    )
    return {"id": str(tenant.id), "name": tenant.name, "require_totp": tenant.require_totp}
